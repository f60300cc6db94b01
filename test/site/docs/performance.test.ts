/** What the page on use and licence says of funds whose performance no page shows, beside what is published of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { buildSite, type Site } from '../../support/site.ts'
import { fillDemo } from '../../support/snapshots.ts'
import { filesIn } from '../../support/tree.ts'

interface Listed {
  readonly isin: string
  readonly not_comparable: string | null
  readonly price: { readonly change_percent: string | null } | null
}

let site: Site
beforeAll(async () => {
  // The twelfth fund is the first whose performance may not be shown.
  site = await buildSite('performance', '2026-11-20', fillDemo(12, 2, '2026-11-20'))
  return () => site.stop()
})

const read = (key: string) => readFileSync(join(site.out, key), 'utf8')
const newestPrices = () => {
  const key = filesIn(site.out).find((each) => /^downloads\/[\d-]+\/newest_prices\.csv$/.test(each)) ?? ''
  const [header = '', ...rows] = read(key).trim().split('\n')
  return { columns: header.split(','), rows }
}

it.each(['young', 'not_permitted'])(
  'the list gives no change of a fund that is %s, its prices do, and the page of terms says both',
  (reason) => {
    const { funds } = JSON.parse(read('funds/index.json')) as { readonly funds: readonly Listed[] }
    const fund = funds.find((each) => each.not_comparable === reason && each.price !== null)
    const isin = fund?.isin ?? ''
    expect(fund?.price?.change_percent).toBeNull()
    // The classes of a change, up or down: pages have no figure of performance without one of them.
    expect(read(`funds/${isin}/index.html`)).not.toMatch(/class="(good|bad)"/)
    const [shown = ''] = funds.filter((each) => each.not_comparable === null).map((each) => each.isin)
    expect(read(`funds/${shown}/index.html`)).toMatch(/class="(good|bad)"/)

    const current = JSON.parse(read(`api/v1/prices-current/${isin}/index.json`)) as {
      readonly prices: { readonly change_percent: { readonly value: string } | string }
    }
    expect(JSON.stringify(current.prices)).toMatch(/"change_percent":"?.*\d\.\d/)
    const { columns, rows } = newestPrices()
    const row = rows.find((each) => each.startsWith(isin))?.split(',') ?? []
    expect(row[columns.indexOf('change_percent')]).toMatch(/^-?\d+\.\d+$/)

    for (const key of ['docs/terms/index.html', 'docs/de/terms/index.html']) {
      const [, section = ''] = /<h2 id="performance">([^]*?)<h2/.exec(read(key)) ?? []
      for (const name of ['change', 'change_percent', 'performance', reason])
        expect(section).toContain(`<code>${name}</code>`)
    }
  },
)
