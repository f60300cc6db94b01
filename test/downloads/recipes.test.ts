/**
 * The recipes as they are published: programs run against a server, and what spreadsheets and Portfolio Performance do is
 * done here in small, by the settings that the recipes give.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../support/programs.ts'
import { mustRun, repository, type Server, startServer, tempFolder } from '../support/product.ts'
import { demoNight, type Night } from './night.ts'
import { expectedPrices } from './oracle.ts'
import { duckdb, hasDuckdb } from './readers.ts'

const folder = tempFolder()
let night: Night = { db: '', out: '', asOf: '', folder: '' }
let server: Server | undefined
let isin = ''
let newest: { readonly date: string; readonly nav: string } = { date: '', nav: '' }

beforeAll(async () => {
  night = await demoNight()
  server = await startServer(night.out)
  const [first = ['', []]] = expectedPrices(night.db, night.asOf)
  isin = first[0]
  const [, date, nav] = first[1].at(-1) ?? []
  newest = { date: String(date), nav: String(nav) }
})
afterAll(async () => {
  await server?.stop()
})

const languages = ['en', 'de'] as const
const fragment = (language: string) =>
  readFileSync(join(repository, `templates/docs/recipes.${language}.html`), 'utf8')

/** A recipe's text, as a reader copies it. */
function recipe(name: string, language: string): string {
  const pattern = new RegExp(`<(pre|dl)[^>]*data-recipe="${name}"[^>]*>([^]*?)</\\1>`)
  const [, , markup = ''] = pattern.exec(fragment(language)) ?? []
  const text = markup
    .replace(/<\/?code>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
  return text.replaceAll('{{baseUrl}}', server?.base ?? '').replaceAll('{{isin}}', isin)
}

const isThere = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0
const shell = (script: string) =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: mkdtempSync(folder.file('shell-')),
    encoding: 'utf8',
  })
const linesOf = (text: string, delimiter: string) =>
  text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(delimiter))
const fetchText = async (url: string) => {
  const answer = await fetch(url)
  expect([url, answer.status]).toEqual([url, 200])
  return answer.text()
}

it('has the same programs in both languages, and no recipe without a test', () => {
  const names = (language: string) =>
    [...fragment(language).matchAll(/data-recipe="([\w-]+)"/g)].map(([, name = '']) => name)
  expect(names('de')).toEqual(names('en'))
  expect(names('en').sort()).toEqual([...same, ...formulas, 'portfolio-performance'].sort())
  for (const name of same) expect(recipe(name, 'de')).toBe(recipe(name, 'en'))
})

const same = ['curl', 'check', 'python', 'pandas', 'r', 'duckdb', 'sqlite', 'power-query']
const formulas = ['excel-cell', 'sheets', 'sheets-cell']

it('curl fetches all prices, and prints the newest NAV of a fund', () => {
  const printed = shell(`${recipe('curl', 'en')}; echo; wc -l < prices.csv`)
  expect(printed).toMatch(new RegExp(`^${newest.nav}\n\\d+\n$`))
})

it('sha256sum finds the file as it was made', () => {
  expect(shell(recipe('check', 'en'))).toContain('prices.csv: ')
})

it('Python prints the newest NAV', () => {
  const printed = execFileSync('python3', ['-c', recipe('python', 'en')], { encoding: 'utf8' })
  expect(printed.trim()).toBe(`${newest.date} ${Number(newest.nav)}`)
})

/** Of the system, where another Python comes first. */
const pythonWithPandas = ['python3', '/usr/bin/python3'].find((python) =>
  isThere(python, '-c', 'import pandas'),
)

it.skipIf(isMissing(pythonWithPandas !== undefined))('pandas shows the newest NAV', () => {
  const printed = String(execFileSync(pythonWithPandas ?? 'python3', ['-c', recipe('pandas', 'en')]))
  expect(printed).toContain(newest.date)
  expect(printed).toContain(String(Number(newest.nav)))
})

it.skipIf(isMissing(isThere('Rscript', '--version')))('R shows the newest NAV', () => {
  const printed = execFileSync('Rscript', ['-e', recipe('r', 'en')], { cwd: folder.path, encoding: 'utf8' })
  expect(printed).toContain(newest.date)
})

it.skipIf(isMissing(isThere('sqlite3', '--version')))('SQLite lists the newest NAV of each fund', () => {
  const rows = shell(recipe('sqlite', 'en')).trim().split('\n')
  expect(rows).toHaveLength(expectedPrices(night.db, night.asOf).size)
  const row = new RegExp(`,${newest.date},${Number(newest.nav)}\r?$`)
  expect(rows.find((line) => line.startsWith(isin))).toMatch(row)
})

it.skipIf(isMissing(hasDuckdb))('DuckDB finds the newest NAV of each fund', async () => {
  // Its extension for HTTP is not installed here: the same file is read from the folder.
  const sql = recipe('duckdb', 'en').replace(`${server?.base ?? ''}/downloads/latest`, night.folder)
  const rows = await duckdb(sql)
  const expected = [...expectedPrices(night.db, night.asOf).values()].map((prices) => prices.at(-1) ?? [])
  const read = (some: readonly (readonly unknown[])[]) =>
    some.map(([fund, day, nav]) => [fund, day, Number(nav)])
  expect(read(rows)).toEqual(read(expected))
})

it('Power Query makes a table of days and numbers, as its steps say', async () => {
  const program = recipe('power-query', 'en')
  const [, url = ''] = /Web\.Contents\("([^"]+)"\)/.exec(program) ?? []
  const [, delimiter = ''] = /Delimiter = "(.)"/.exec(program) ?? []
  expect(program).toContain('Encoding = 65001')
  const [header = [], ...rows] = linesOf(await fetchText(url), delimiter)
  const types = [...program.matchAll(/\{"(\w+)", type (\w+)\}/g)].map(([, ...found]) => found.join(' '))
  expect([header, types]).toEqual([
    ['date', 'nav'],
    ['date date', 'nav number'],
  ])
  // In the culture en-US a point is the decimal mark, and the only one of these marks in a number.
  expect(program).toContain('"en-US"')
  for (const row of rows) expect(row.join()).toMatch(/^\d{4}-\d\d-\d\d,-?\d+(\.\d+)?$/)
  expect(rows.at(-1)).toEqual([newest.date, newest.nav])
})

describe.each(languages)('spreadsheets (%s)', (language) => {
  /** The arguments of a formula: texts in quotes, apart by the language's mark. */
  const argumentsOf = (formula: string) => [...formula.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)

  it('Excel makes a number of the newest NAV, whatever its own decimal mark is', async () => {
    const formula = recipe('excel-cell', language)
    expect(formula).toMatch(language === 'en' ? /^=NUMBERVALUE\(WEBSERVICE\(/ : /^=ZAHLENWERT\(WEBDIENST\(/)
    const [url = '', mark = ''] = argumentsOf(formula)
    const text = await fetchText(url)
    expect(text.length).toBeLessThan(32_767)
    expect(numberValue(text, mark)).toBe(Number(newest.nav))
  })

  it('Google Sheets makes rows of days and numbers, and a cell of the newest NAV', async () => {
    const [url = '', delimiter = '', locale] = argumentsOf(recipe('sheets', language))
    const text = await fetchText(url)
    expect([text.length < 32_767, locale]).toEqual([true, 'en_US'])
    const rows = linesOf(text, delimiter)
    expect(rows[0]).toEqual(['date', 'nav'])
    expect(rows.every((row) => row.length === 2)).toBe(true)
    const [date, nav = ''] = rows.at(-1) ?? []
    expect([date, numberValue(nav, '.')]).toEqual([newest.date, Number(newest.nav)])
    const [cell = ''] = argumentsOf(recipe('sheets-cell', language))
    expect(numberValue(await fetchText(cell), '.')).toBe(Number(newest.nav))
  })

  it('Portfolio Performance reads every price of the file by the settings', async () => {
    const list = recipe('portfolio-performance', language)
    const setting = (name: string) => new RegExp(`data-setting="${name}"\\s*>([^<]+)<`).exec(list)?.[1] ?? ''
    expect(setting('provider')).toBe('JSON')
    const json = await fetchText(withMacros(setting('url'), { ISIN: isin }))
    const days = jsonPath(JSON.parse(json), setting('date')).map(dayOf)
    const quotes = jsonPath(JSON.parse(json), setting('close')).map(quoteOf)
    const expected = (expectedPrices(night.db, night.asOf).get(isin) ?? []).slice(-days.length)
    expect(days).toEqual(expected.map(([, date]) => date))
    expect(quotes).toEqual(expected.map(([, , nav]) => Math.round(Number(nav) * 1e8)))
    expect(days.length).toBeGreaterThan(250)
  })
})

it('the values of the API itself would be misread, since they have a comma', async () => {
  const url = `${server?.base ?? ''}/api/v1/prices-historic/${isin}/${newest.date}/${newest.date}/`
  const answer = JSON.parse(await fetchText(url)) as { prices: { net_asset_value: { value: string } }[] }
  expect(answer.prices[0]?.net_asset_value.value).toBe(newest.nav.replace('.', ','))
})

it('import emt reads emt.csv back, and every value is as it was', async () => {
  const copy = folder.file('emt.sqlite')
  const db = new Database(copy)
  db.exec(readFileSync(join(repository, 'templates/schema.sql'), 'utf8'))
  db.prepare('ATTACH ? AS source').run(night.db)
  db.exec('INSERT INTO fund SELECT * FROM source.fund')
  await mustRun(['import', 'emt', join(night.folder, 'emt.csv')], { env: { FUNDPRESS_DB: copy } })
  const rows = (schema: string) =>
    db
      .prepare(
        `SELECT isin, srri, ongoing_costs_date, ongoing_costs, transaction_costs, incidental_costs, entry_costs,
          governanceprocess, compatible_for_clients_with_esg_preferences, other_specific_investment_need
          FROM ${schema}.emt WHERE isin IN (SELECT isin FROM fund WHERE data_permitted = 1) ORDER BY isin`,
      )
      .all()
  expect(rows('main')).toEqual(rows('source'))
  expect(rows('main').length).toBeGreaterThan(3)
  db.close()
})

/** As NUMBERVALUE does it: blanks do not count, what is left has to be a number with this decimal mark. */
function numberValue(text: string, mark: string): number {
  const [whole = '', fraction, ...more] = text.replaceAll(' ', '').split(mark)
  if (more.length > 0 || !/^-?\d+$/.test(whole) || !/^\d*$/.test(fraction ?? '')) return NaN
  return Number(`${whole}.${fraction ?? '0'}`)
}

/** The part of JSONPath that the recipes use: `$`, then `[*]` and names. */
function jsonPath(root: unknown, path: string): readonly unknown[] {
  const steps = [...path.replace(/^\$/, '').matchAll(/\[\*\]|\.(\w+)/g)]
  expect(`$${steps.map(([step]) => step).join('')}`).toBe(path)
  return steps.reduce<readonly unknown[]>(
    (values, [, name]) =>
      values.flatMap((value) =>
        name === undefined ? (value as unknown[]) : [(value as Record<string, unknown>)[name]],
      ),
    [root],
  )
}

/**
 * The address that Portfolio Performance asks for. With a macro that it does not know it would take all of them as they
 * stand. Source: its VariableURL (ISIN, WKN, TICKER, CURRENCY; names count in upper case), which its JSON feed uses.
 */
function withMacros(url: string, macros: Readonly<Record<string, string>>): string {
  return url.replace(/\{(.*?)\}/g, (_, name: string) => {
    expect(Object.keys(macros)).toContain(name)
    return macros[name] ?? ''
  })
}

/** Portfolio Performance takes a text for an ISO day, unless a format is given. */
function dayOf(value: unknown): string {
  expect(value).toMatch(/^\d{4}-\d\d-\d\d$/)
  return String(value)
}

/** A number counts as it is, in units of 10^-8; a text would be read by the rules of its language. */
function quoteOf(value: unknown): number {
  expect(typeof value).toBe('number')
  return Math.round(Number(value) * 1e8)
}
