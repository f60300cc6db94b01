/** The performance over one and five years: what it is from stands beside it, and page, list and data agree. */
import Database from 'better-sqlite3'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { fillDemo } from '../../support/snapshots.ts'
import { buildSite, type Site } from '../../support/site.ts'

const asOf = '2026-11-20'
let site: Site
let db: Database.Database
let distributing: readonly string[] = []
/** Three days before the newest price. */
const reportedTo = '2026-11-17'

beforeAll(async () => {
  const fill = async (path: string) => {
    await fillDemo(14, 7, asOf)(path)
    const funds = new Database(path, { readonly: true })
    distributing = funds
      .prepare<[], string>(
        `SELECT isin FROM fund JOIN profile USING (isin) WHERE accumulating = 0 AND data_permitted AND prices_permitted
          AND performance_permitted AND fund_inception_date < '2019-01-01' AND isin IN (SELECT isin FROM corporate_action)
          AND isin IN (SELECT isin FROM price) ORDER BY isin`,
      )
      .pluck()
      .all()
    funds.close()
    const [, computed = '', unknown = '', earlier = ''] = distributing
    editDatabase(path, `DELETE FROM legal_period WHERE isin IN ('${computed}', '${unknown}')`)
    editDatabase(path, `DELETE FROM corporate_action WHERE isin = '${unknown}'`)
    editDatabase(
      path,
      `UPDATE legal_period SET date_from = date(date_from, '-3 days'), date_to = date(date_to, '-3 days')
        WHERE isin = '${earlier}'`,
    )
  }
  site = await buildSite('returns', asOf, fill, { FUNDPRESS_DERIVE_LEGAL_PERIOD: 'delivered' })
  db = new Database(site.db, { readonly: true })
  return async () => {
    db.close()
    await site.stop()
  }
})

const read = (key: string) => readFileSync(join(site.out, key), 'utf8')
/** The figures of a fund's head by their names. */
const headOf = (isin: string, page = 'index.html') => {
  const html = read(`funds/${isin}/${page}`)
  const head = html.slice(html.indexOf('class="headline"'), html.indexOf('<section'))
  const figures = [...head.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)]
  return Object.fromEntries(
    figures.map(([, name = '', value = '']) => [name, value.replace(/<[^>]+>/g, '').replace('\u2212', '-')]),
  )
}
interface Listed {
  readonly isin: string
  readonly one_year_percent: string | null
  readonly three_years_percent: string | null
  readonly five_years_percent: string | null
}
const listed = (isin: string) => {
  const { funds } = JSON.parse(read('funds/index.json')) as { readonly funds: readonly Listed[] }
  return funds.find((fund) => fund.isin === isin)
}
const oneYearIn = (isin: string) => listed(isin)?.one_year_percent
/** The figures of its row, by the class of their column. */
const cellsOf = (isin: string) => {
  const cells = [...(rowOf(isin) ?? '').matchAll(/<td class="(?:number )?(\w+)[^>]*>(.*?)<\/td>/gs)]
  return Object.fromEntries(
    cells.map(([, name = '', value = '']) => [name, value.replace(/<[^>]+>/g, '').replace('\u2212', '-')]),
  )
}
const rowOf = (isin: string) =>
  new RegExp(`<tr[^>]*>(?:(?!</tr>).)*${isin}.*?</tr>`, 's').exec(read('funds/index.html'))?.[0]

/** By the BVI method, in SQL: each distribution buys shares at the NAV of its ex-date. */
function totalReturn(isin: string, start: string): string {
  const percent = db
    .prepare(
      `WITH nav AS (SELECT date, CAST(net_asset_value AS REAL) AS value FROM price WHERE isin = @isin)
      SELECT (SELECT value FROM nav ORDER BY date DESC LIMIT 1) / (SELECT value FROM nav WHERE date <= @start ORDER BY date DESC LIMIT 1)
        * coalesce((SELECT exp(sum(ln(1 + CAST(amount AS REAL) / (SELECT value FROM nav WHERE date >= ex_date ORDER BY date LIMIT 1))))
          FROM corporate_action WHERE isin = @isin AND kind = 'distribution' AND ex_date > @start AND ex_date <= @asOf), 1) * 100 - 100`,
    )
    .pluck()
    .get({ isin, start, asOf }) as number
  return percent.toFixed(2)
}
const signed = (percent: string) => `${Number(percent) > 0 ? '+' : ''}${percent}`

it('of a distributing fund is the reported one, and is called so', () => {
  const [isin = ''] = distributing
  const head = headOf(isin)
  const gross = db
    .prepare('SELECT gross FROM legal_period WHERE isin = ? ORDER BY date_to DESC LIMIT 1')
    .pluck()
    .get(isin) as number
  expect(head['1 year']).toBe(`${signed(gross.toFixed(2))}% reported`)
  expect(head['5 years']).toMatch(/^[+-][\d.]+% reported$/)
  expect(oneYearIn(isin)).toBe(gross.toFixed(2))
  const growth = db
    .prepare(
      `SELECT exp(sum(ln(1 + gross / 100))) FROM
        (SELECT gross FROM legal_period WHERE isin = ? ORDER BY date_to DESC LIMIT 3)`,
    )
    .pluck()
    .get(isin) as number
  const threeYears = ((growth - 1) * 100).toFixed(2)
  expect(listed(isin)?.three_years_percent).toBe(threeYears)
  expect(cellsOf(isin)).toMatchObject({
    year: `${signed(gross.toFixed(2))}%`,
    years3: `${signed(threeYears)}%`,
    years5: head['5 years']?.replace(' reported', ''),
  })
  expect(read(`funds/${isin}/index.html`)).toContain('The chart is computed from prices')
})

it('says the day of a reported figure that is not the price’s, and that the chart ends on another one', () => {
  const isin = distributing[3] ?? ''
  const [last] = db
    .prepare<[string], string>('SELECT date_to FROM legal_period WHERE isin = ? ORDER BY date_to DESC')
    .pluck()
    .all(isin)
  expect(last).toBe(reportedTo)
  expect(headOf(isin)['1 year']).toMatch(/^[+-][\d.]+% reported to 17\s+Nov\s+2026$/)
  expect(headOf(isin)['5 years']).toMatch(/^[+-][\d.]+% reported to 17\s+Nov\s+2026$/)
  expect(headOf(isin, 'de.html')['1 Jahr']).toMatch(/ gemeldet bis 17\.11\.2026$/)
  const page = read(`funds/${isin}/index.html`)
  expect(page).toMatch(/They end on 17\s+Nov\s+2026\. The chart is computed from prices to 20\s+Nov\s+2026/)
  expect(page).not.toContain('its last digit')
})

it('is computed with distributions reinvested where none is reported, and is called so on page, list and in the data', () => {
  const [, isin = ''] = distributing
  const oneYear = totalReturn(isin, '2025-11-20')
  const head = headOf(isin)
  expect(head['1 year']).toBe(`${signed(oneYear)}% distributions reinvested`)
  expect(head['5 years']).toBe(`${signed(totalReturn(isin, '2021-11-20'))}% distributions reinvested`)
  expect(headOf(isin, 'de.html')['1 Jahr']).toMatch(/ mit Ausschüttungen$/)
  expect(oneYearIn(isin)).toBe(oneYear)
  const threeYears = totalReturn(isin, '2023-11-20')
  const fiveYears = totalReturn(isin, '2021-11-20')
  expect(listed(isin)).toMatchObject({ three_years_percent: threeYears, five_years_percent: fiveYears })
  expect(cellsOf(isin)).toMatchObject({
    year: `${signed(oneYear)}%`,
    years3: `${signed(threeYears)}%`,
    years5: `${signed(fiveYears)}%`,
  })
  const page = read(`funds/${isin}/index.html`)
  expect(page).toContain('Nothing is reported for these periods')
  expect(page).not.toContain('reported:')
})

it('is unknown for a distributing fund of which neither a distribution nor a period is known', () => {
  const [, , isin = ''] = distributing
  expect(Object.keys(headOf(isin))).not.toContain('1 year')
  expect(listed(isin)).toMatchObject({
    one_year_percent: null,
    three_years_percent: null,
    five_years_percent: null,
  })
})

it('has ranges in the view of performance, unless distributions may be missing, and the page says so', () => {
  const [reported = '', , unknown = ''] = distributing
  const viewOf = (isin: string) => {
    const page = read(`funds/${isin}/index.html`)
    const view = page.slice(page.indexOf('id="index"'))
    return view.slice(0, view.indexOf('</figure>'))
  }
  const note = 'Shorter periods cannot be shown: the distributions of this fund are not known.'
  for (const isin of [reported, 'DE000FP1DYD1']) {
    expect(viewOf(isin)).toContain('data-prices-of="nav"')
    expect(viewOf(isin)).toContain('Shorter periods are computed from prices')
  }
  expect(viewOf(unknown)).not.toContain('data-prices-of')
  expect(viewOf(unknown)).toContain(note)
})

it('says below the chart what becomes of distributions, on the page and in the picture', () => {
  const [reported = '', , unknown = ''] = distributing
  const notes = {
    [reported]: 'The solid line does not include distributions.',
    DE000FP1DYD1: 'The fund reinvests its income.',
    [unknown]: 'Distributions are not included.',
  }
  for (const [isin, note] of Object.entries(notes)) {
    const page = read(`funds/${isin}/index.html`)
    const found = Object.values(notes).filter((each) => page.includes(each))
    expect({ isin, found }).toEqual({ isin, found: [note] })
    const picture = read(`funds/${isin}/chart.svg`)
    expect(picture).toContain(isin === reported ? 'Each distribution is reinvested' : note)
  }
})

it('stands in the list beside costs and risk, as the database has them', () => {
  interface Facts {
    readonly isin: string
    readonly ter: number | null
    readonly srri: number | null
    /** In millions. */
    readonly assets: number | null
    readonly currency: string
  }
  const facts = db
    .prepare<[], Facts>(
      `SELECT fund.isin, total_expense_ratio AS ter, srri, CAST(total_fund_assets AS REAL) / 1e6 AS assets,
          coalesce(total_fund_assets_currency, currency) AS currency
        FROM fund LEFT JOIN profile USING (isin) LEFT JOIN emt USING (isin) WHERE data_permitted`,
    )
    .all()
  expect(facts.length).toBeGreaterThan(10)
  const inMillions = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  for (const { isin, ter, srri, assets, currency } of facts)
    expect({ isin, ...cellsOf(isin) }).toMatchObject({
      isin,
      assets: assets === null ? '–' : `${currency}\u00a0${inMillions.format(assets)}`,
      costs: ter === null ? '–' : `${ter.toFixed(2)}%`,
      risk: srri === null ? '–' : String(srri),
    })
})

it('of an accumulating fund is the change in its net asset value', () => {
  const isin = 'DE000FP1DYD1'
  expect(headOf(isin)['1 year']).toBe(`${signed(totalReturn(isin, '2025-11-20'))}% computed`)
})

it('shows the highest and the lowest net asset value of the year before the newest price, with their days', () => {
  const nav = (order: string, isin: string) =>
    db
      .prepare(
        `SELECT net_asset_value, date FROM price WHERE isin = ? AND date > '2025-11-20'
          ORDER BY CAST(net_asset_value AS REAL) ${order}, date LIMIT 1`,
      )
      .raw()
      .get(isin) as readonly [nav: string, date: string]
  for (const isin of distributing.slice(0, 2)) {
    const page = read(`funds/${isin}/de.html`).replaceAll('\u00a0', ' ')
    for (const [name, order] of [
      ['Höchststand', 'DESC'],
      ['Tiefststand', 'ASC'],
    ] as const) {
      const [value, day] = nav(order, isin)
      const [, shown = '', on = ''] =
        new RegExp(`<dt>${name} \\(1 Jahr\\)</dt>\\s*<dd>([\\d.,]+) \\w{3} <small>(.*?)</small>`).exec(
          page,
        ) ?? []
      expect({ shown: shown.replace('.', '').replace(',', '.'), on }).toEqual({
        shown: value,
        on: day.split('-').reverse().join('.'),
      })
    }
  }
})
