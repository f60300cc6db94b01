/** Funds that have ended or are suspended: on pages, in lists, in the status and in downloads. Their answers stay as they are. */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, visit, whyNoBrowser } from '../../support/browser.ts'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { mustRun, tempFolder } from '../../support/product.ts'
import { hashesOf } from '../../support/tree.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const read = (path: string) => readFileSync(folder.file(path), 'utf8').replaceAll('\u00a0', ' ')

/** With prices, and old enough to show their performance. */
let isins: readonly string[]
const isinAt = (index: number) => isins[index] ?? ''

const build = (out: string) =>
  mustRun(
    ['build', '--db', folder.file('funds.sqlite'), '--out', folder.file(out), '--as-of', asOf, '--quiet'],
    { env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' } },
  )

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  await mustRun(['init', '--demo', '--db', db, '--funds', '24', '--years', '2', '--until', asOf])
  const found = readDatabase(
    db,
    `SELECT isin FROM fund WHERE data_permitted AND prices_permitted AND performance_permitted AND isin IN
      (SELECT isin FROM price GROUP BY isin HAVING count(*) > 300 AND max(date) >= '2026-11-18') ORDER BY isin`,
  )
  isins = found.map(({ isin }) => String(isin))
  const silent = isins.slice(0, 6).map((isin) => `'${isin}'`)
  editDatabase(
    db,
    `DELETE FROM price WHERE isin IN (${silent.join(', ')}) AND date > '2026-09-30';
      DELETE FROM price WHERE isin = '${isinAt(11)}'`,
  )
  await build('before')
  const set = (index: number, columns: string) =>
    `UPDATE fund SET ${columns} WHERE isin = '${isinAt(index)}';`
  editDatabase(
    db,
    set(0, "end_date = '2026-09-30', end_reason = 'liquidated'") +
      set(1, "end_date = '2026-09-30', end_reason = 'matured'") +
      set(2, "end_date = '2026-09-30'") +
      `INSERT INTO corporate_action (isin, ex_date, kind, successor_isin)
        VALUES ('${isinAt(3)}', '2026-10-01', 'merger', '${isinAt(7)}');` +
      set(4, "suspended_from = '2026-10-01'") +
      set(5, "suspended_from = '2026-10-01', suspended_to = '2026-11-30'") +
      // Announced: nothing has happened yet.
      set(6, "end_date = '2026-12-31', end_reason = 'liquidated'") +
      `INSERT INTO corporate_action (isin, ex_date, kind, successor_isin)
        VALUES ('${isinAt(8)}', '2026-12-01', 'merger', '${isinAt(7)}');` +
      set(9, "suspended_from = '2026-12-01', end_date = '2026-12-31'") +
      set(10, "suspended_from = '2026-12-01', suspended_to = '2026-12-04'") +
      set(11, "end_date = '2026-09-30', end_reason = 'liquidated'") +
      // Today.
      `INSERT INTO corporate_action (isin, ex_date, kind, successor_isin)
        VALUES ('${isinAt(12)}', '${asOf}', 'merger', '${isinAt(7)}');`,
  )
  await build('out')
  editDatabase(db, set(5, "suspended_to = '2026-11-11'"))
  await build('returned')
})

const states = ['ended', 'ended', 'ended', 'ended', 'suspended', 'suspended', undefined, undefined]

describe('a fund page', () => {
  it.each([
    [0, 'This fund was liquidated on 30 Sep 2026.', 'Dieser Fonds wurde am 30.09.2026 aufgelöst.'],
    [1, 'The term of this fund ended on 30 Sep 2026.', 'Die Laufzeit dieses Fonds endete am 30.09.2026.'],
    [2, 'This fund ended on 30 Sep 2026.', 'Dieser Fonds endete am 30.09.2026.'],
    [3, 'This fund was merged into <a', 'Dieser Fonds wurde am 01.10.2026 auf <a'],
    [4, 'Since 1 Oct 2026, shares are neither issued', 'Seit dem 01.10.2026 werden Anteile weder ausgegeben'],
    [5, 'From 1 Oct 2026 to 30 Nov 2026, shares are', 'Vom 01.10.2026 bis zum 30.11.2026 werden Anteile'],
  ])('says what happened to fund %i, and calls no price late', (index, en, de) => {
    for (const [name, words, mark] of [
      ['index.html', en, index < 4 ? 'ended' : 'suspended'],
      ['de.html', de, index < 4 ? 'beendet' : 'ausgesetzt'],
    ] as const) {
      const page = read(`out/funds/${isinAt(index)}/${name}`)
      expect(page).toContain(`<p class="callout">${words}`)
      expect(page).toMatch(new RegExp(`class="mark ${states[index] ?? ''}">${mark}<`))
      expect(page).not.toMatch(/class="(mark )?(late|stale)"/)
      expect(page).not.toContain('"offers"')
    }
  })

  it('leads from a merged fund to its successor', () => {
    const { funds } = JSON.parse(read('out/funds/index.json')) as {
      readonly funds: readonly { readonly isin: string; readonly successor: string | null }[]
    }
    // An announced merger has not happened.
    expect(funds.flatMap(({ isin, successor }) => (successor === null ? [] : [[isin, successor]]))).toEqual([
      [isinAt(3), isinAt(7)],
    ])
    const page = read(`out/funds/${isinAt(3)}/index.html`)
    const told = new RegExp(`<p class="callout">[^<]*<a href="../${isinAt(7)}/[^"]*">.*?</p>`, 's')
    expect(
      told
        .exec(page)?.[0]
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' '),
    ).toMatch(
      /^This fund was merged into .+ on 1 Oct 2026\. There are no new prices; its data remain available\. $/,
    )
  })

  it.each([
    [6, ['This fund will be liquidated on 31 Dec 2026.'], ['Dieser Fonds wird am 31.12.2026 aufgelöst.']],
    [8, ['This fund will be merged into <a'], ['Dieser Fonds wird am 01.12.2026 auf <a']],
    [
      9,
      [
        'From 1 Dec 2026 until further notice, shares will be neither issued nor redeemed.',
        'This fund will end on 31 Dec 2026.',
      ],
      [
        'Ab dem 01.12.2026 werden Anteile bis auf Weiteres weder ausgegeben noch zurückgenommen.',
        'Dieser Fonds endet am 31.12.2026.',
      ],
    ],
    [
      10,
      ['From 1 Dec 2026 to 4 Dec 2026, shares will be neither issued nor redeemed.'],
      ['Vom 01.12.2026 bis zum 04.12.2026 werden Anteile weder ausgegeben noch zurückgenommen.'],
    ],
  ])('says what is announced for fund %i, whose price has a mark by its age only', (index, en, de) => {
    for (const [name, notes] of [
      ['index.html', en],
      ['de.html', de],
    ] as const) {
      const page = read(`out/funds/${isinAt(index)}/${name}`)
      expect(page.match(/class="callout"/g)).toHaveLength(1)
      expect(page).toContain(`<p class="callout">${notes.join(' ')}`)
      expect(page).not.toMatch(/class="mark (ended|suspended)"/)
      expect(page).toContain('"offers"')
    }
  })

  it('says in its notice that there are no prices, and names no section of them', () => {
    for (const [name, note] of [
      ['index.html', 'This fund was liquidated on 30 Sep 2026. No prices are available for this fund.'],
      ['de.html', 'Dieser Fonds wurde am 30.09.2026 aufgelöst. Für diesen Fonds liegen keine Preise vor.'],
    ] as const) {
      const page = read(`out/funds/${isinAt(11)}/${name}`)
      expect(page).toContain(`<p class="callout">${note}`)
      expect(page).not.toMatch(/#price|id="price"/)
      expect(page).toContain('href="#performance"')
    }
  })

  it('says of a merger of this day that it has come', () => {
    expect(read(`out/funds/${isinAt(12)}/index.html`)).toContain('This fund was merged into <a')
    const german = read(`out/funds/${isinAt(12)}/de.html`)
    expect(german).toContain('Dieser Fonds wurde am 20.11.2026 auf <a')
    expect(german).not.toContain('wird am')
  })

  it.skipIf(whyNoBrowser !== undefined)(
    'has its figures in one row on a wide page, whatever its state, and beside each other if they are few',
    async () => {
      const browser = await openBrowser()
      const young = String(
        readDatabase(
          folder.file('funds.sqlite'),
          `SELECT isin FROM fund JOIN price USING (isin) JOIN profile USING (isin)
            WHERE data_permitted AND prices_permitted AND fund_inception_date > '2025-12-01' LIMIT 1`,
        )[0]?.isin,
      )
      const pages = [
        ...[0, 3, 4, 7].map((index) => `out/funds/${isinAt(index)}`),
        `returned/funds/${isinAt(5)}`,
        `out/funds/${young}`,
      ]
      try {
        for (const path of pages.flatMap((each) => [`${each}/index.html`, `${each}/de.html`])) {
          const { page, end } = await visit(browser, pathToFileURL(folder.file(path)).href)
          for (const width of [1440, 1200, 1120]) {
            await page.setViewportSize({ width, height: 900 })
            const figures = await page.evaluate<{ top: number; left: number; right: number }[]>(
              `[...document.querySelectorAll('.fund-head .headline > div')].map((each) => {
                const range = document.createRange()
                range.selectNodeContents(each)
                const { left, right } = range.getBoundingClientRect()
                return { top: Math.round(each.getBoundingClientRect().top), left, right }
              })`,
            )
            expect(figures.length).toBeGreaterThan(1)
            const rows = new Set(figures.map(({ top }) => top)).size
            const gaps = figures.slice(1).map(({ left }, index) => left - (figures[index]?.right ?? 0))
            const widest = Math.round(Math.max(...gaps))
            expect({ path, width, rows, isApart: widest > 160 }).toEqual({
              path,
              width,
              rows: 1,
              isApart: false,
            })
          }
          await end()
        }
      } finally {
        await browser.close()
      }
    },
  )

  it('says nothing of a suspension that is over', () => {
    const returned = read(`returned/funds/${isinAt(5)}/index.html`)
    expect(returned).not.toContain('class="callout"')
    // Prices are expected again, and seven business days are too many.
    expect(returned).toContain('class="mark stale"')
  })
})

it('the list of funds, the status and its page mark them, and none of them is late or stale', () => {
  const { funds } = JSON.parse(read('out/funds/index.json')) as {
    funds: readonly { isin: string; state: string | null; price: { overdue: string | null } | null }[]
  }
  const ofFund = new Map(funds.map((fund) => [fund.isin, fund]))
  const some = isins.slice(0, 8)
  expect(some.map((isin) => ofFund.get(isin)?.state ?? undefined)).toEqual(states)
  expect(some.map((isin) => ofFund.get(isin)?.price?.overdue)).toEqual(some.map(() => null))
  const unpriced = isinAt(11)
  expect(ofFund.get(unpriced)).toMatchObject({ state: 'ended', price: null })
  const { freshness, overdue, prices } = JSON.parse(read('out/status/index.json')) as {
    freshness: object
    overdue: readonly { isin: string }[]
    prices: readonly { isin: string; mark: string; next_price: string | null }[]
  }
  expect(freshness).toMatchObject({ ended: 5, suspended: 2 })
  expect(overdue.filter(({ isin }) => some.includes(isin))).toEqual([])
  const marked = new Map(prices.map((price) => [price.isin, price]))
  expect(some.map((isin) => marked.get(isin)?.mark)).toEqual(states.map((state) => state ?? 'fresh'))
  expect(marked.get(isinAt(4))).toMatchObject({ next_price: null })
  expect(marked.get(unpriced)).toMatchObject({ mark: 'ended', newest_price: null })
  expect(read('out/status/index.html')).toContain('<span class="mark suspended">suspended</span>')
  expect(read('out/funds/de.html')).toContain('<small class="mark ended">beendet<')
  const row = read('out/funds/index.html')
    .split('<tr>')
    .find((one) => one.includes(unpriced))
  expect(row).toContain('<small class="mark ended">ended<')
})

it('the list tells beside the name what is announced, and its data the last day', () => {
  const rowOf = (index: number, name: string) => {
    const rows = read(`out/funds/${name}`).split('<tr>')
    const row = rows.find((one) => one.includes(isinAt(index))) ?? ''
    return [...(row.split('</th>')[0]?.matchAll(/<small class="mark(?: \w+)?">([^<]*)</g) ?? [])].map(
      ([, mark]) => mark,
    )
  }
  expect(rowOf(3, 'index.html')).toEqual(['ended'])
  expect(rowOf(6, 'index.html')).toEqual(['liquidation on 31 Dec 2026'])
  expect(rowOf(7, 'index.html')).toEqual([])
  expect(rowOf(8, 'de.html')).toEqual(['Verschmelzung am 01.12.2026'])
  expect(rowOf(9, 'de.html')).toEqual(['Aussetzung ab 01.12.2026', 'Ende am 31.12.2026'])
  expect(rowOf(12, 'de.html')).toEqual(['Verschmelzung am 20.11.2026'])
  const { funds } = JSON.parse(read('out/funds/index.json')) as {
    readonly funds: readonly {
      readonly isin: string
      readonly end_date: string | null
      readonly end_reason: string | null
    }[]
  }
  const ends = new Map(funds.map((fund) => [fund.isin, fund.end_date]))
  const reasons = new Map(funds.map((fund) => [fund.isin, fund.end_reason]))
  expect([0, 1, 2, 3, 5, 6, 7, 8, 9].map((index) => reasons.get(isinAt(index)))).toEqual([
    'liquidated',
    'matured',
    null,
    'merged',
    null,
    'liquidated',
    null,
    'merged',
    null,
  ])
  expect([0, 3, 5, 6, 7, 8, 12].map((index) => ends.get(isinAt(index)))).toEqual([
    '2026-09-30',
    '2026-10-01',
    null,
    '2026-12-31',
    null,
    '2026-12-01',
    asOf,
  ])
})

it('the answers of the API are the same, byte for byte', () => {
  const answers = (out: string) =>
    [...Object.entries(hashesOf(folder.file(out)))].filter(([key]) => key.startsWith('api/'))
  expect(answers('out').length).toBeGreaterThan(200)
  expect(answers('out')).toEqual(answers('before'))
})

it('the downloads have the columns of the table', () => {
  const [header = '', ...lines] = read('out/downloads/2026-11-20/funds.csv').trimEnd().split('\r\n')
  const columns = header.split(',').slice(-4)
  expect(columns).toEqual(['end_date', 'end_reason', 'suspended_from', 'suspended_to'])
  const endOf = (index: number) => {
    const line = lines.find((one) => one.includes(isinAt(index))) ?? ''
    const cells = line.split(',').slice(-4)
    return Object.fromEntries(columns.map((column, at) => [column, cells[at]]))
  }
  const open = { end_date: '', end_reason: '', suspended_from: '', suspended_to: '' }
  expect(endOf(0)).toEqual({ ...open, end_date: '2026-09-30', end_reason: 'liquidated' })
  expect(endOf(3)).toEqual(open)
  expect(endOf(5)).toEqual({ ...open, suspended_from: '2026-10-01', suspended_to: '2026-11-30' })
})
