/**
 * The recipes as they are published: programs run against a server, and what spreadsheets and Portfolio Performance do is
 * done here in small, by the formulas, queries and settings that the recipes give.
 */
import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing, lacks, lacksAny } from '../support/programs.ts'
import { mustRun, type Server, startServer, tempFolder } from '../support/product.ts'
import { codeNames, codeOn, guideOf } from '../support/published-code.ts'
import { interpreterWith } from '../support/python.ts'
import { demoDay, type Night } from './night.ts'
import { expectedPrices } from './oracle.ts'
import { duckdb, hasDuckdb } from './readers.ts'

const folder = tempFolder()
let night: Night = { db: '', out: '', asOf: '', folder: '' }
let server: Server | undefined
/** Of the fund in the recipes: each day and its NAV, ascending. */
let prices: readonly Price[] = []
let isin = ''
let other = ''

interface Price {
  readonly day: string
  readonly nav: number
}

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  const out = folder.file('out')
  await mustRun(['init', '--demo', '--db', db, '--funds', '6', '--years', '3', '--until', demoDay])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', demoDay, '--quiet'], {
    env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: publishedAt },
  })
  night = { db, out, asOf: demoDay, folder: join(out, 'downloads', demoDay) }
  server = await startServer(out)
  ;[, isin = '', other = ''] = /"(\w{12})", "(\w{12})"/.exec(recipe('several-pandas')) ?? []
  prices = pricesOf(isin)
})
afterAll(async () => {
  await server?.stop()
})

const pricesOf = (fund: string) =>
  (expectedPrices(night.db, night.asOf).get(fund) ?? []).map(([, day, nav]): Price => ({
    day: String(day),
    nav: Number(nav),
  }))
const newest = (): Price => prices.at(-1) ?? { day: '', nav: NaN }

/** Monthly, the last price of each. */
const monthEnds = () =>
  prices.filter(({ day }, index) => prices[index + 1]?.day.slice(0, 7) !== day.slice(0, 7))

/** The days of a range in the address of a recipe. */
function rangeIn(name: string): readonly [from: string, to: string] {
  const [, from = '', to = ''] = /\/(\d{4}-\d\d-\d\d)\/(\d{4}-\d\d-\d\d)\//.exec(recipe(name)) ?? []
  return [from, to]
}

/** The day asked for is a Sunday: the last price is older. */
function lastBefore(): Price {
  const [, sunday] = rangeIn('day-curl')
  expect(new Date(sunday).getUTCDay()).toBe(0)
  return prices.findLast(({ day }) => day <= sunday) ?? { day: '', nav: NaN }
}

/** In percent, of any fund. */
function changeOf(fund: string): number {
  const [from, to] = rangeIn('return-curl')
  const navs = pricesOf(fund).flatMap(({ day, nav }) => (day >= from && day <= to ? [nav] : []))
  return ((navs.at(-1) ?? NaN) / (navs[0] ?? NaN) - 1) * 100
}

/** In percent, of the fund in the recipes, by plain SQL: what is paid buys shares at the NAV of the ex-date or of the next price. */
function totalReturn(from: string, to: string): { readonly percent: number; readonly paid: number } {
  const db = new Database(night.db, { readonly: true })
  const all = (sql: string) => db.prepare(sql).all(isin, from, to) as { factor: number }[]
  const factors = [
    ...all(`SELECT 1.0 + amount / (SELECT net_asset_value FROM price WHERE price.isin = action.isin AND date >= ex_date
      ORDER BY date LIMIT 1) AS factor FROM corporate_action AS action
      WHERE kind = 'distribution' AND isin = ? AND ex_date > ? AND ex_date <= ?`),
    ...all(
      `SELECT factor * 1.0 AS factor FROM corporate_action WHERE kind = 'split' AND isin = ? AND ex_date > ? AND ex_date <= ?`,
    ),
  ]
  db.close()
  const navs = pricesOf(isin).flatMap(({ day, nav }) => (day >= from && day <= to ? [nav] : []))
  const growth = (navs.at(-1) ?? NaN) / (navs[0] ?? NaN)
  return {
    percent: (factors.reduce((sum, { factor }) => sum * factor, growth) - 1) * 100,
    paid: factors.length,
  }
}

const publishedAt = 'https://api.example.org'
const languages = ['en', 'de'] as const
const page = (language: string) => guideOf(night.out, 'recipes', language)

/** A recipe's text, as a reader copies it. */
const recipe = (name: string, language = 'en') =>
  codeOn(page(language), name).replaceAll(publishedAt, server?.base ?? '')

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
  expect({ url, status: answer.status }).toEqual({ url, status: 200 })
  return answer.text()
}

const questions = ['newest', 'day', 'month-ends', 'return', 'several', 'history', 'all'] as const
type Question = (typeof questions)[number]
/** What spreadsheets and DuckDB answer. */
const inExcel = ['newest', 'day', 'month-ends', 'return', 'several', 'history'] as const
const inSheets = ['newest', 'day', 'several', 'history'] as const
const inDuckdb = ['day', 'month-ends', 'return', 'several', 'history', 'all'] as const

it('has the same programs in both languages, and no recipe without a test', () => {
  const names = (language: string) => codeNames(page(language))
  const of = (program: string, some: readonly string[]) => some.map((question) => `${question}-${program}`)
  const tested = [
    ...['curl', 'pandas', 'r'].flatMap((program) => of(program, questions)),
    ...of('excel', inExcel),
    ...of('google-sheets', inSheets),
    ...of('duckdb', inDuckdb),
    ...['curl', 'pandas', 'r', 'duckdb'].map((program) => `total-return-${program}`),
    'all-sqlite',
    'portfolio-performance',
  ]
  expect(names('de')).toEqual(names('en'))
  expect(names('en').sort()).toEqual(tested.sort())
  const isFormula = (name: string) => recipe(name).startsWith('=') || name === 'portfolio-performance'
  for (const name of tested) if (!isFormula(name)) expect(recipe(name, 'de')).toBe(recipe(name))
})

/** Numbers that a program prints, with the texts between them. */
const numbersIn = (line: string) =>
  line
    .trim()
    .split(/\s+/)
    .map((word) => (/^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word))
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''
/** What a program prints is rounded. */
const expectPrices = (
  found: readonly { readonly day: unknown; readonly nav: unknown }[],
  expected: readonly Price[],
) => {
  expect(found.map(({ day }) => day)).toEqual(expected.map(({ day }) => day))
  for (const [index, { nav }] of expected.entries()) expect(Number(found[index]?.nav) / nav).toBeCloseTo(1, 5)
}

describe.skipIf(lacksAny('bash', 'curl', 'awk', 'grep'))('curl', () => {
  const print = (question: Question) => shell(recipe(`${question}-curl`)).trim()
  const asText = ({ day, nav }: Price) => `${day} ${nav}`
  const read = (text: string) =>
    text.split('\n').map((line) => line.replace(/\S+$/, (nav) => String(Number(nav))))

  it.skipIf(lacks('jq'))('prints the newest price with jq', () => {
    expect(read(print('newest'))).toEqual([asText(newest())])
  })

  it('prints the last price before a Sunday, all month-ends, and the change in a year', () => {
    expect(read(print('day'))).toEqual([asText(lastBefore())])
    expect(read(print('month-ends'))).toEqual(monthEnds().map(asText))
    expect(monthEnds().length).toBeGreaterThan(30)
    expect(print('return')).toBe(`${changeOf(isin).toFixed(2)} %`)
  })

  it('prints the newest prices of two funds, saves a whole history, and checks a file', () => {
    const expected = [isin, other]
      .sort()
      .map((fund) => `${fund} ${asText(pricesOf(fund).at(-1) ?? newest())}`)
    expect(isin).not.toBe(other)
    expect(read(print('several'))).toEqual(expected)
    const rows = linesOf(shell(`${recipe('history-curl')}; cat ${isin}.csv`), ',')
    expectPrices(
      rows.slice(1).map(([day, , , nav]) => ({ day, nav })),
      prices,
    )
    expect(print('all')).toContain('prices.csv: ')
  })
})

const pythonWithPandas = interpreterWith('pandas')

/** Runs each recipe as a program of its own, but in one process: to start takes longer than to run. */
const inPython = `import contextlib, io, json, sys
printed = []
for code in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, "recipe", "exec"), {})
    printed.append(output.getvalue())
print(json.dumps(printed))`
const inR = `for (code in commandArgs(trailingOnly = TRUE)) {
  cat(capture.output(invisible(eval(parse(text = code), new.env()))), "\f", sep = "\n")
}`

describe('the total return', () => {
  const ofYear = () => {
    const first = prices.find(({ day }) => day >= rangeIn('total-return-curl')[0])?.day ?? ''
    return totalReturn(first, rangeIn('total-return-curl')[1])
  }

  it('is that of a fund that has paid something', () => {
    expect(ofYear().paid).toBeGreaterThan(0)
    expect(ofYear().percent).toBeGreaterThan(changeOf(isin))
  })

  it.skipIf(lacksAny('bash', 'curl', 'awk', 'jq'))('is printed by curl and jq', () => {
    expect(shell(recipe('total-return-curl')).trim()).toMatch(/^-?\d+(\.\d\d?)? %$/)
    expect(parseFloat(shell(recipe('total-return-curl')))).toBeCloseTo(ofYear().percent, 1)
  })

  it.skipIf(isMissing(pythonWithPandas !== undefined))('is printed by pandas', () => {
    const code = recipe('total-return-pandas')
    const run = execFileSync(pythonWithPandas ?? 'python3', ['-c', inPython, code], { encoding: 'utf8' })
    expect(JSON.parse(run)).toEqual([`${ofYear().percent.toFixed(2)} %\n`])
  })

  it.skipIf(lacks('Rscript'))('is listed by R for all funds', () => {
    const run = execFileSync('Rscript', ['-e', inR, recipe('total-return-r')], {
      cwd: folder.path,
      encoding: 'utf8',
    })
    const [, day, percent] = numbersIn(run.split('\n').find((line) => line.includes(isin)) ?? '')
    expect(day).toBe(newest().day)
    expect(Number(percent)).toBeCloseTo(yearUntilNewest(), 1)
  })

  it.skipIf(isMissing(hasDuckdb))('is listed by DuckDB for all funds', async () => {
    const rows = await duckdb(
      recipe('total-return-duckdb').replace(`${server?.base ?? ''}/downloads/latest`, night.folder),
    )
    expect(rows.map(([fund]) => fund)).toEqual([...expectedPrices(night.db, night.asOf).keys()])
    expect(Number(rows.find(([fund]) => fund === isin)?.[2])).toBeCloseTo(yearUntilNewest(), 1)
  })

  /** From the last price on or before the same day of the year before. */
  function yearUntilNewest(): number {
    const { day } = newest()
    const before = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
    const first = prices.findLast((price) => price.day <= before)?.day ?? ''
    return totalReturn(first, day).percent
  }
})

describe.skipIf(isMissing(pythonWithPandas !== undefined))('pandas', () => {
  it('prints what is asked for', () => {
    const codes = questions.map((question) => recipe(`${question}-pandas`))
    const run = execFileSync(pythonWithPandas ?? 'python3', ['-c', inPython, ...codes], { encoding: 'utf8' })
    const [first = '', day = '', ends = '', change, several = '', history = '', all = ''] = JSON.parse(
      run,
    ) as string[]
    const [at, nav, ...rest] = numbersIn(first)
    expect({ day: at, nav, rest }).toEqual({ ...newest(), rest: [] })
    expect(Number(day)).toBe(lastBefore().nav)
    const rows = ends.trimEnd().split('\n').slice(1).map(numbersIn)
    expectPrices(
      rows.map(([day, nav]) => ({ day, nav })),
      monthEnds(),
    )
    expect(change).toBe(`${changeOf(isin).toFixed(2)} %\n`)
    expect(numbersIn(lastLine(several)).slice(1)).toEqual([newest().nav, pricesOf(other).at(-1)?.nav])
    expect(history).toContain(newest().day)
    expect(all).toContain(String(newest().nav))
  })
})

describe.skipIf(lacks('Rscript'))('R', () => {
  it('prints what is asked for', () => {
    const codes = questions.map((question) => recipe(`${question}-r`))
    const run = execFileSync('Rscript', ['-e', inR, ...codes], { cwd: folder.path, encoding: 'utf8' })
    const [first = '', day = '', ends = '', change = '', several = '', history = '', all = ''] = run
      .split('\f')
      .map((text) => text.trim())
    const lastRow = (text: string) => {
      const [, at, nav] = numbersIn(lastLine(text))
      return { day: at, nav }
    }
    expectPrices([lastRow(first)], [newest()])
    expectPrices([lastRow(day)], [lastBefore()])
    const rows = ends.split('\n').slice(1).map(numbersIn)
    expectPrices(
      rows.map(([day, nav]) => ({ day, nav })),
      monthEnds(),
    )
    expect(change).toBe(`${changeOf(isin).toFixed(2)} %`)
    for (const fund of [isin, other]) {
      const line = several.split('\n').find((one) => one.includes(fund)) ?? ''
      expect(Number(numbersIn(line).at(-1)) / (pricesOf(fund).at(-1)?.nav ?? NaN)).toBeCloseTo(1, 5)
    }
    expect(history).toContain(newest().day)
    expect(all).toContain(String(prices.length))
  })
})

const lacksSqlite = lacksAny('bash', 'curl', 'sqlite3')

it.skipIf(lacksSqlite)('SQLite lists the newest NAV of each fund', () => {
  const rows = shell(recipe('all-sqlite')).trim().split('\n')
  expect(rows).toHaveLength(expectedPrices(night.db, night.asOf).size)
  const row = new RegExp(`,${newest().day},${newest().nav}\r?$`)
  expect(rows.find((line) => line.startsWith(isin))).toMatch(row)
})

it.skipIf(isMissing(hasDuckdb))('DuckDB answers for one fund and for all', async () => {
  // Its extension for HTTP is not installed here: the same file is read from the folder.
  const ask = (question: (typeof inDuckdb)[number]) =>
    duckdb(recipe(`${question}-duckdb`).replace(`${server?.base ?? ''}/downloads/latest`, night.folder))
  const asPrices = (rows: unknown[][]) =>
    rows.map(([day, nav]): Price => ({ day: String(day), nav: Number(nav) }))
  expect(asPrices(await ask('day'))).toEqual([lastBefore()])
  expect(asPrices(await ask('month-ends'))).toEqual(monthEnds())
  expect(asPrices(await ask('history'))).toEqual(prices)
  const funds = [...expectedPrices(night.db, night.asOf).keys()]
  const several = await ask('several')
  expect(several.map(([fund]) => fund)).toEqual(funds)
  expect(asPrices(several.map(([, ...rest]) => rest))).toEqual(funds.map((fund) => pricesOf(fund).at(-1)))
  for (const [fund, percent] of await ask('return'))
    expect(Number(percent)).toBeCloseTo(changeOf(String(fund)), 1)
  const counts = (await ask('all')).map(([fund, count, first]) => ({ fund, count: Number(count), first }))
  expect(counts).toEqual(
    funds.map((fund) => ({ fund, count: pricesOf(fund).length, first: pricesOf(fund)[0]?.day })),
  )
})

/** What a query of Power Query reads: the table `Typed`, by its steps. */
async function typedTable(question: (typeof inExcel)[number]) {
  const program = recipe(`${question}-excel`)
  const [, url = ''] = /Web\.Contents\("([^"]+)"\)/.exec(program) ?? []
  const [, delimiter = ''] = /Delimiter = "(.)"/.exec(program) ?? []
  expect(program).toContain('Encoding = 65001')
  // In the culture en-US a point is the decimal mark, and the only one of these marks in a number.
  expect(program).toContain('"en-US"')
  const [header = [], ...rows] = linesOf(await fetchText(url), delimiter)
  const types = [...program.matchAll(/\{"(\w+)", type (\w+)\}/g)].map(
    ([, name = '', type]) => [name, type] as const,
  )
  expect(types.length).toBeGreaterThan(1)
  for (const [name, type] of types) {
    const column = rows.map((row) => row[header.indexOf(name)] ?? 'missing')
    const form = type === 'date' ? /^\d{4}-\d\d-\d\d$/ : /^-?\d+(\.\d+)?$/
    expect({ name, wrong: column.filter((cell) => !form.test(cell)) }).toEqual({ name, wrong: [] })
  }
  // Later steps name only columns that are there.
  const named = [...program.matchAll(/\[(\w+)\]/g)].flatMap(([, name = '']) => name)
  expect(named.filter((name) => !header.includes(name))).toEqual([])
  const dayAt = header.indexOf('date')
  const navAt = header.indexOf('net_asset_value')
  return rows.map((row) => ({ fund: row[0], day: row[dayAt] ?? '', nav: Number(row[navAt]) }))
}

it('Power Query makes tables of days and numbers, as its steps say', async () => {
  const asPrices = (rows: Awaited<ReturnType<typeof typedTable>>) =>
    rows.map(({ day, nav }): Price => ({ day, nav }))
  expect(asPrices(await typedTable('history'))).toEqual(prices)
  expect(asPrices(await typedTable('month-ends'))).toEqual(prices)
  const year = asPrices(await typedTable('return'))
  expect(((year.at(-1)?.nav ?? NaN) / (year[0]?.nav ?? NaN) - 1) * 100).toBeCloseTo(changeOf(isin), 9)
  const all = await typedTable('several')
  expect(all.map(({ fund, nav }) => ({ fund, nav }))).toEqual(
    [...expectedPrices(night.db, night.asOf).keys()].map((fund) => ({
      fund,
      nav: pricesOf(fund).at(-1)?.nav,
    })),
  )
})

describe.each(languages)('spreadsheets (%s)', (language) => {
  const next = language === 'en' ? ', ' : '; '
  /** Compares a formula with its form, in which `name` stands for a function and `_` for the address. */
  function addressIn(name: string, form: string): string {
    const formula = recipe(name, language)
    const [url = ''] = /http:[^"]+/.exec(formula) ?? []
    expect(formula.replace(url, '_')).toBe(form.replaceAll(', ', next))
    return url
  }
  const inLanguage = (en: string, de: string) => (language === 'en' ? en : de)

  it('Excel makes a number of the newest NAV, whatever its own decimal mark is', async () => {
    const functions = inLanguage('NUMBERVALUE(WEBSERVICE', 'ZAHLENWERT(WEBDIENST')
    const text = await fetchText(addressIn('newest-excel', `=${functions}("_"), ".")`))
    expect(text.length).toBeLessThan(32_767)
    expect(numberValue(text, '.')).toBe(newest().nav)
  })

  it('Excel finds the NAV of the last line of a range', async () => {
    const form = inLanguage(
      '=NUMBERVALUE(INDEX(TEXTSPLIT(TEXTAFTER(WEBSERVICE("_"), CHAR(10), -2), ","), 4), ".")',
      '=ZAHLENWERT(INDEX(TEXTTEILEN(TEXTNACH(WEBDIENST("_"), ZEICHEN(10), -2), ","), 4), ".")',
    )
    const text = await fetchText(addressIn('day-excel', form))
    const afterSecondLast = text.split('\n').slice(-2).join('\n')
    expect(numberValue(afterSecondLast.split(',')[3] ?? '', '.')).toBe(lastBefore().nav)
  })

  it('Google Sheets makes rows of days and numbers, and a cell of the newest NAV', async () => {
    const form = '=IMPORTDATA("_", ",", "en_US")'
    expect(numberValue(await fetchText(addressIn('newest-google-sheets', form)), '.')).toBe(newest().nav)
    const text = await fetchText(addressIn('history-google-sheets', form))
    expect(text.length).toBeLessThan(32_767)
    const [header, ...rows] = linesOf(text, ',')
    expect(header).toEqual(['date', 'nav'])
    expect(rows.map(([day, nav = '']) => ({ day, nav: numberValue(nav, '.') }))).toEqual(
      prices.slice(-rows.length),
    )
    const asked = await fetchText(
      addressIn('day-google-sheets', '=CHOOSEROWS(IMPORTDATA("_", ",", "en_US"), -1)'),
    )
    const [day, , , nav = ''] = linesOf(asked, ',').at(-1) ?? []
    expect({ day, nav: numberValue(nav, '.') }).toEqual(lastBefore())
    const all = linesOf(await fetchText(addressIn('several-google-sheets', form)), ',')
    expect(all.slice(1).map(([fund]) => fund)).toEqual([...expectedPrices(night.db, night.asOf).keys()])
  })

  it('Portfolio Performance finds every day and price by the settings', async () => {
    const list = recipe('portfolio-performance', language)
    const setting = (name: string) => new RegExp(`data-setting="${name}"\\s*>([^<]+)<`).exec(list)?.[1] ?? ''
    expect({ provider: setting('provider'), date: setting('date'), close: setting('close') }).toEqual({
      provider: 'JSON',
      date: '$[*].date',
      close: '$[*].net_asset_value',
    })
    const json = await fetchText(setting('url').replaceAll('{ISIN}', isin))
    const found = JSON.parse(json) as { date: string; net_asset_value: number }[]
    expect(found.map(({ date, net_asset_value: nav }) => ({ day: date, nav }))).toEqual(prices)
  })
})

/** As NUMBERVALUE does it: blanks do not count, what is left has to be a number with this decimal mark. */
function numberValue(text: string, mark: string): number {
  const [whole = '', fraction, ...more] = text.replaceAll(' ', '').split(mark)
  if (more.length > 0 || !/^-?\d+$/.test(whole) || !/^\d*$/.test(fraction ?? '')) return NaN
  return Number(`${whole}.${fraction ?? '0'}`)
}
