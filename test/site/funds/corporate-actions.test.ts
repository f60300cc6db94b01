/** Distributions, a split, a merger and documents on pages and in lists, against plain SQL. */
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { editDatabase, isinOf } from '../../support/database.ts'
import { mustRun, runFundpress, type Server, startServer, tempFolder } from '../../support/product.ts'
import { drawingOf, lineOf } from './drawing.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const dbFile = folder.file('demo.sqlite')
/** The day on which ten shares stand for one, and the prices fall to a tenth. */
const splitDay = '2025-05-06'
const merger = { isin: isinOf(71), day: '2026-03-02' }
const former = { isin: isinOf(72), day: '2025-11-20' }
let server: Server
let db: Database.Database
/** A fund that distributes, and one that accumulates, which is split. */
let paying: string
let split: string

beforeAll(async () => {
  await mustRun(['init', '--demo', '--db', dbFile, '--funds', '24', '--years', '4', '--until', asOf])
  db = new Database(dbFile)
  const oldFund = (accumulating: number) =>
    db
      .prepare<[number], string>(
        `SELECT isin FROM fund JOIN profile USING (isin) WHERE accumulating = ? AND data_permitted AND prices_permitted
          AND performance_permitted AND fund_inception_date < '2015-01-01' AND isin IN (SELECT isin FROM price)
          ORDER BY (SELECT count(*) FROM corporate_action AS own WHERE own.isin = fund.isin) DESC LIMIT 1`,
      )
      .pluck()
      .get(accumulating) ?? ''
  ;[paying, split] = [oldFund(0), oldFund(1)]
  const tenth = (column: string) => `${column} = printf('%.4f', CAST(${column} AS REAL) / 10)`
  editDatabase(
    dbFile,
    `INSERT INTO corporate_action (isin, ex_date, kind, factor) VALUES ('${split}', '${splitDay}', 'split', '10');
     UPDATE price SET ${['issue_price', 'repurchase_price', 'net_asset_value', 'change'].map(tenth).join(', ')}
       WHERE isin = '${split}' AND date >= '${splitDay}';
     INSERT INTO corporate_action (isin, ex_date, kind, successor_isin) VALUES
       ('${merger.isin}', '${merger.day}', 'merger', '${paying}'), ('${former.isin}', '${former.day}', 'merger', '${paying}');
     INSERT INTO document VALUES ('${paying}', 'kid', 'en', '2020-01-01', '', 'An <old> paper', 'https://example.com/?a=1&b=2');
     DELETE FROM document WHERE isin = '${split}';
     INSERT INTO document VALUES ('${split}', 'kid', 'de', '2026-01-02', 'DE', 'For one', 'https://example.com/de'),
       ('${split}', 'kid', 'de', '2026-01-02', 'LU', 'For two', 'https://example.com/at'),
       ('${split}', 'kid', 'de', '2026-01-02', 'AT', 'For two', 'https://example.com/at'),
       ('${split}', 'kid', 'de', '2025-01-02', 'CH', 'Swiss', 'https://example.com/ch'),
       ('${split}', 'kid', 'de', '2025-01-02', 'DE', 'Superseded', 'https://example.com/old'),
       ('${split}', 'prospectus', 'de', '2025-01-02', '', 'For all', 'https://example.com/all')`,
  )
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
  const build = ['build', '--db', dbFile, '--out', folder.file('out'), '--as-of', asOf, '--quiet']
  await mustRun([...build], { env })
  server = await startServer(folder.file('out'))
  return async () => {
    db.close()
    await server.stop()
  }
})

const get = (path: string) => fetch(`${server.base}/${path}`)
const text = async (path: string) => (await get(path)).text()
const json = async (path: string) => (await get(path)).json()
const pageOf = async (isin: string) => (await text(`funds/${isin}/index.html`)).replaceAll('\u00a0', ' ')
const value = <T>(sql: string, ...values: readonly string[]) => db.prepare(sql).pluck().get(values) as T
const rows = (sql: string, ...values: readonly string[]) => db.prepare(sql).all(values)

/** The growth of a NAV from its first to its last price, times what distributions bought, in percent. */
const totalReturn = (isin: string) =>
  value<number>(
    `WITH own AS (SELECT date, CAST(net_asset_value AS REAL) AS nav FROM price WHERE isin = ?),
       bought AS (SELECT exp(sum(ln(1 + CAST(amount AS REAL)
           / (SELECT nav FROM own WHERE date >= ex_date ORDER BY date LIMIT 1)))) AS shares
         FROM corporate_action WHERE isin = ? AND kind = 'distribution' AND ex_date > (SELECT min(date) FROM own))
     SELECT ((SELECT nav FROM own ORDER BY date DESC LIMIT 1) / (SELECT nav FROM own ORDER BY date LIMIT 1)
       * coalesce(shares, 1) - 1) * 100 FROM bought`,
    isin,
    isin,
  )
const signed = (percent: number) =>
  `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${Math.abs(percent).toFixed(2)}%`

describe('the distributions of a fund', () => {
  const paid = () =>
    rows(
      `SELECT ex_date, amount, currency,
         (SELECT min(date) FROM price WHERE isin = own.isin AND date >= ex_date) AS reinvested_on,
         (SELECT net_asset_value FROM price WHERE isin = own.isin AND date >= ex_date ORDER BY date LIMIT 1) AS net_asset_value
         FROM corporate_action AS own WHERE isin = ? AND kind = 'distribution' ORDER BY ex_date`,
      paying,
    ) as Record<string, string>[]

  it('are listed as JSON and CSV, with the NAV that buys shares', async () => {
    expect(paid().length).toBeGreaterThan(2)
    const { currency } = paid()[0] ?? {}
    expect(await json(`funds/${paying}/distributions.json`)).toEqual({
      isin: paying,
      currency,
      distributions: paid(),
      splits: [],
    })
    const lines = [Object.keys(paid()[0] ?? {}), ...paid().map((row) => Object.values(row))]
    expect(await text(`funds/${paying}/distributions.csv`)).toBe(
      lines.map((line) => `${line.join(',')}\r\n`).join(''),
    )
    expect(await json(`funds/${split}/distributions.json`)).toMatchObject({
      distributions: [],
      splits: [{ ex_date: splitDay, factor: '10' }],
    })
  })

  it('are in the downloads', async () => {
    const lines = (await text('downloads/latest/distributions.csv')).trimEnd().split('\r\n')
    const permitted = `isin IN (SELECT isin FROM fund WHERE data_permitted AND prices_permitted)`
    expect(lines[0]).toBe('isin,ex_date,kind,amount,currency,factor,successor_isin')
    expect(lines.length - 1).toBe(value(`SELECT count(*) FROM corporate_action WHERE ${permitted}`))
    expect(lines).toContain(`${split},${splitDay},split,,,10,`)
  })

  it('are not given out without the permission for prices', async () => {
    const denied = value<string>(
      `SELECT isin FROM fund WHERE data_permitted AND NOT prices_permitted LIMIT 1`,
    )
    db.prepare(
      `INSERT INTO corporate_action (isin, ex_date, kind, amount, currency)
      SELECT isin, '2026-05-04', 'distribution', '1.00', currency FROM fund WHERE isin = ?`,
    ).run(denied)
    const out = folder.file('denied')
    const build = ['build', '--db', dbFile, '--out', out, '--as-of', asOf, '--quiet']
    await mustRun(build, { env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' } })
    const other = await startServer(out)
    const ask = async (path: string) => (await fetch(`${other.base}/${path}`)).text()
    const list = JSON.parse(await ask(`funds/${denied}/distributions.json`)) as unknown
    expect(list).toMatchObject({ distributions: [], splits: [] })
    expect(await ask(`funds/${denied}/`)).not.toContain('id="distributions"')
    expect(await ask('downloads/latest/distributions.csv')).not.toContain(denied)
    await other.stop()
  })

  it('are reinvested in a second line, to the last digit that is shown', async () => {
    const page = await pageOf(paying)
    expect(page).toMatch(
      new RegExp(`With distributions: <b class="\\w*">\\${signed(totalReturn(paying))}</b>`),
    )
    // Of a period without a distribution it is hidden: the last text leaves no gap.
    expect(page).toMatch(/Dots mark ex-dates\.<\/span>\s*<\/p>\s*<\/figcaption>/)
    const { elements } = drawingOf(page, 'nav')
    expect(elements.filter(({ name }) => name === 'path')).toHaveLength(2)
    expect(elements.filter(({ name }) => name === 'circle')).toHaveLength(
      value('SELECT count(*) FROM corporate_action WHERE isin = ?', paying),
    )
    expect(page).toContain(`<summary>Distributions (${paid().length})</summary>`)
    const { amount = '', ex_date = '' } = paid().at(-1) ?? {}
    expect(page.replaceAll(',', '')).toContain(amount)
    expect(page).toContain(String(Number(ex_date.slice(8))))
  })
})

describe('a split', () => {
  it('makes no chart fall, and no performance', async () => {
    const page = await pageOf(split)
    const drawing = drawingOf(page, 'nav')
    const { points, precision } = lineOf(drawing)
    const navs = rows(
      'SELECT date, CAST(net_asset_value AS REAL) AS nav FROM price WHERE isin = ? ORDER BY date',
      split,
    ) as {
      date: string
      nav: number
    }[]
    const today = navs.map(({ date, nav }) => (date < splitDay ? nav / 10 : nav))
    for (const [point, nav] of [
      [points[0], today[0]],
      [points.at(-1), today.at(-1)],
    ] as const)
      expect(Math.abs((point?.value ?? NaN) - (nav ?? NaN))).toBeLessThanOrEqual(precision)
    expect(drawing.range[1]).toBeLessThan(Math.max(...today) * 1.5)
    const first = today[0] ?? 1
    const last = today.at(-1) ?? 1
    expect(page).toContain(
      `Net asset value: <b class="${last > first ? 'good' : 'bad'}">${signed((last / first - 1) * 100)}</b>`,
    )
    expect(page).toContain('Split 1:10')
    const list = (await json('funds/index.json')) as { funds: { isin: string; one_year_percent: string }[] }
    const [before] = rows(
      `SELECT CAST(net_asset_value AS REAL) AS nav FROM price WHERE isin = ? AND date <= '2025-11-20' ORDER BY date DESC LIMIT 1`,
      split,
    ) as { nav: number }[]
    const oneYear = list.funds.find(({ isin }) => isin === split)?.one_year_percent
    expect(oneYear).toBe(((last / (before?.nav ?? 1) - 1) * 100).toFixed(2))
  })
})

describe('a fund that merged', () => {
  it('keeps a page for a year that leads to its successor, and nothing else', async () => {
    const name = value<string>('SELECT name FROM fund WHERE isin = ?', paying)
    for (const [path, words] of [
      [`funds/${merger.isin}/`, /This fund was merged into <a.*\) on 2\u00a0Mar\u00a02026\./s],
      [`funds/${merger.isin}/de.html`, /Dieser Fonds wurde am 02\.03\.2026 auf <a.*\) verschmolzen\./s],
    ] as const) {
      const page = await text(path)
      expect(page).toMatch(words)
      expect(page).toContain(`href="../${paying}/`)
      expect(page).toContain(name)
    }
    expect((await get(`funds/${merger.isin}/feed.xml`)).status).toBe(404)
    expect((await get(`api/v1/prices-current/${merger.isin}/`)).status).toBe(404)
    expect((await get(`funds/${former.isin}/`)).status).toBe(404)
    expect(await text('sitemap.xml')).not.toContain(merger.isin)
  })
})

describe('documents about a fund', () => {
  it('are listed on its page, as JSON and in the downloads', async () => {
    const all = rows(
      'SELECT kind, language, date, title, url FROM document WHERE isin = ? ORDER BY kind, language, date',
      paying,
    )
    expect(all.length).toBeGreaterThan(5)
    expect(await json(`funds/${paying}/documents.json`)).toEqual({ isin: paying, documents: all })
    const page = await pageOf(paying)
    const [shown = '', earlier = ''] = (page.split('aria-labelledby="papers"')[1] ?? '').split('<details>')
    for (const { url } of all as { url: string }[]) expect(page).toContain(url.replace('&', '&#38;'))
    expect(earlier).toContain('An &#60;old&#62; paper')
    expect(shown).not.toContain('old')
    const lines = (await text('downloads/latest/documents.csv')).trimEnd().split('\r\n')
    expect(lines.length - 1).toBe(
      value('SELECT count(*) FROM document WHERE isin IN (SELECT isin FROM fund WHERE data_permitted)'),
    )
  })

  it('name their countries, and are the newest of each', async () => {
    const { documents } = (await json(`funds/${split}/documents.json`)) as {
      documents: readonly { readonly title: string; readonly countries?: readonly string[] }[]
    }
    expect(documents.map(({ title, countries = null }) => [title, countries])).toEqual([
      ['Swiss', ['CH']],
      ['Superseded', ['DE']],
      ['For two', ['AT', 'LU']],
      ['For one', ['DE']],
      ['For all', null],
    ])
    const [shown = '', earlier = ''] = (
      (await pageOf(split)).split('aria-labelledby="papers"')[1] ?? ''
    ).split('<details>')
    for (const cell of ['Countries', 'AT, LU', 'CH', 'DE', 'all']) expect(shown).toContain(`>${cell}</t`)
    expect(shown).not.toContain('Superseded')
    expect(earlier).toContain('Superseded')
    expect(await pageOf(paying)).not.toContain('>Countries</t')
  })

  it.each([
    [{ language: 'EN' }, 'language "EN" is not a language: two small letters, ISO 639-1'],
    [{ url: 'ftp://example.com/kid.pdf' }, 'url "ftp://example.com/kid.pdf" is not an address of the web'],
    [{ url: 'https://' }, 'url "https://" is not an address of the web'],
    [{ url: 'https://example.com/a b' }, 'url "https://example.com/a b" is not an address of the web'],
    [{ date: '2026-02-30' }, 'date "2026-02-30" is not a date (YYYY-MM-DD)'],
  ])('are refused in a wrong form: %s', async (wrong, message) => {
    const copy = folder.file('wrong.sqlite')
    await mustRun(['init', '--demo', '--db', copy, '--funds', '1', '--years', '1', '--until', asOf])
    const [[column, text]] = Object.entries(wrong) as [[string, string]]
    editDatabase(
      copy,
      `UPDATE document SET ${column} = '${text}' WHERE kind = 'factsheet' AND language = 'en'`,
    )
    const { code, stdout } = await runFundpress(['check', '--db', copy, '--as-of', asOf])
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(message) })
  })
})
