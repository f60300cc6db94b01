/** The status page of a company with many funds. */
import { expect, it } from 'vitest'
import { countsByMark, type MarkedFund } from '../../../src/core/guards/assess.ts'
import type { PageSite } from '../../../src/core/layout/layout.ts'
import type { StatusSource } from '../../../src/core/snapshot/status-document.ts'
import { statusPages } from '../../../src/extensions/site/status/page.ts'

const fund = (index: number, mark: 'late' | 'fresh'): MarkedFund => ({
  isin: `DE${String(index).padStart(10, '0')}`,
  name: `Fund ${index}`,
  mark,
  newestPrice: '2026-11-18',
  ageDays: 2,
  rhythmDays: 1,
  // One that has come is expected again on the next business day.
  nextPrice: mark === 'late' ? '2026-11-19' : '2026-11-23',
})

function pageOf(late: number, parts: PageSite['parts'] = ['status', 'funds']): string {
  const overdue = Array.from({ length: late }, (_, index) => fund(index, 'late'))
  const funds = [...overdue, fund(late, 'fresh')]
  const counts = countsByMark((mark) => funds.filter((one) => one.mark === mark).length)
  const source: StatusSource = {
    snapshot: '2026-11-20-3f9c2ab4d1e0',
    asOf: '2026-11-20',
    documents: 1000,
    bytes: 1_000_000,
    assessment: {
      counts,
      funds,
      overdue,
      oldestPrice: { isin: 'DE0000000000', day: '2026-11-18' },
      newestPrice: '2026-11-18',
    },
    withheld: [],
  }
  const site = {
    baseUrl: 'https://api.example.org',
    publisher: null,
    isAlone: false,
    parts,
  }
  const pages = new Map(statusPages(source, site).map(({ key, content }) => [key, String(content)]))
  return pages.get('status/index.html') ?? ''
}

/** Rows of late funds that are seen before anything is opened, and those below a line that opens. */
function rowsOf(page: string) {
  const folded = [...page.matchAll(/<details class="folded\s?"[^]*?<\/details>/g)].map(([text]) => text)
  const late = (text: string) => text.match(/class="mark late">late<\/span><\/td>/g)?.length ?? 0
  return { open: late(page) - late(folded.join('')), folded: late(folded.join('')), says: folded.length }
}

it('shows the first twenty late funds, those with the oldest prices, and folds the others', () => {
  expect(rowsOf(pageOf(20))).toEqual({ open: 20, folded: 0, says: 0 })
  const page = pageOf(500)
  expect(rowsOf(page)).toEqual({ open: 20, folded: 480, says: 1 })
  expect(page).toContain('<span>480 more funds</span>')
  expect(page.indexOf('Fund 19<')).toBeLessThan(page.indexOf('480 more funds'))
})

it('says what “since” is before the day of the next price, if a row has it', () => {
  const note = 'With “since” before the day, the price was expected then and has not come yet.'
  for (const late of [0, 1]) {
    const page = pageOf(late).replaceAll('\u00a0', ' ')
    expect({ late, rows: page.includes('since <time'), note: page.includes(note) }).toEqual({
      late,
      rows: late > 0,
      note: late > 0,
    })
  }
})

it('leads to the feed of changes, if the site has changes', () => {
  const link = 'href="../changes/feed.xml" type="application/atom+xml">Recent changes (feed)</a>'
  expect(pageOf(1, ['status', 'funds', 'changes'])).toContain(link)
  expect(pageOf(1)).not.toContain('application/atom+xml')
})
