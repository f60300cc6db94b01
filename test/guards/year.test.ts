/**
 * A year of nights of an invented company, with distributions, splits and mergers: no true night is refused, and each
 * error that is put among them is.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { editDatabase, isinOf, readDatabase } from '../support/database.ts'
import { docsUrl, tempFolder } from '../support/product.ts'
import { isComplete } from '../support/rounds.ts'

const folder = tempFolder()
const fundpress = (words: readonly string[]) => run(words, { cwd: folder.path })

/** From November to November, without weekends and closed days. */
const closed = [
  '2025-12-24',
  '2025-12-25',
  '2025-12-26',
  '2025-12-31',
  '2026-01-01',
  '2026-04-03',
  '2026-04-06',
]
const days = Array.from({ length: 385 }, (_, index) =>
  new Date(Date.UTC(2025, 10, 3 + index)).toISOString().slice(0, 10),
).filter(
  (day) =>
    ![0, 6].includes(new Date(day).getUTCDay()) &&
    ![...closed, '2026-05-01', '2026-05-14', '2026-05-25'].includes(day),
)

/** Figures with distributions added back, or of the NAVs alone; or none: the import computes them. */
type Habit = 'adjusted' | 'plain' | 'derived'
interface Company {
  readonly habit: Habit
  readonly start: number
  /** By ex-day. */
  readonly paid?: Readonly<Record<string, number>>
  readonly splits?: Readonly<Record<string, number>>
  /** The first day without the fund, and what it became. */
  readonly merged?: readonly [day: string, into: string]
}
const isins = Array.from({ length: 8 }, (_, index) => isinOf(index + 1))
const [
  quarterly = '',
  yearly = '',
  split = '',
  reverse = '',
  survivor = '',
  first = '',
  second = '',
  late = '',
] = isins
/** All of them on the same day, by a twentieth. */
const exDay = '2026-02-16'
const afterWeekend = '2026-07-04'
const splitDay = '2026-06-15'
const mergerDay = '2026-09-01'
const company: Readonly<Record<string, Company>> = {
  [quarterly]: {
    habit: 'adjusted',
    start: 100,
    paid: { '2025-12-15': 3, [exDay]: 5, '2026-05-15': 3.25, '2026-08-17': 2.5 },
  },
  [yearly]: { habit: 'plain', start: 60, paid: { [exDay]: 3 } },
  [split]: {
    habit: 'adjusted',
    start: 1200,
    paid: { [exDay]: 60, '2026-10-05': 4 },
    splits: { [splitDay]: 10 },
  },
  // A distribution on the day of a split, and derived figures with a factor that no decimal is.
  [reverse]: {
    habit: 'derived',
    start: 9,
    paid: { [exDay]: 0.45, '2026-03-16': 1 },
    splits: { '2026-03-16': 1 / 3, [splitDay]: 0.5 },
  },
  [survivor]: { habit: 'plain', start: 50, paid: { [exDay]: 2.5 } },
  [first]: { habit: 'plain', start: 40, merged: [mergerDay, survivor] },
  [second]: { habit: 'adjusted', start: 30, paid: { [exDay]: 1.5 }, merged: [mergerDay, survivor] },
  // An ex-day on a Saturday shows in the price of Monday. Merged with a fund of another company.
  [late]: { habit: 'adjusted', start: 80, paid: { [afterWeekend]: 6 }, merged: ['2026-10-12', isinOf(99)] },
}

function of(isin: string): Company {
  const found = company[isin]
  if (found === undefined) throw new Error(`there is no fund ${isin}`)
  return found
}

const text = (value: number) => value.toFixed(2)
const percent = (growth: number) => text((growth - 1) * 100)
/** On days after the one before, up to this one. */
const between = (events: Readonly<Record<string, number>> = {}, before: string, day: string) =>
  Object.entries(events).flatMap(([each, value]) => (each > before && each <= day ? [value] : []))

/** The prices of a fund by day, by the definitions: nothing of src/ has a say. */
function pricesOf({ habit, start, paid, splits, merged }: Company, turn: number) {
  // The database lacks the NAV of the end of 2024.
  let nav = start
  let before = ''
  let performance = 1.03
  let year = '2025'
  const found = new Map<string, Readonly<Record<'nav' | 'change' | 'percent' | 'performance', string>>>()
  for (const [index, day] of days.entries()) {
    if (merged !== undefined && day >= merged[0]) break
    const factor = before === '' ? 1 : between(splits, before, day).reduce((all, one) => all * one, 1)
    const amount = before === '' ? 0 : between(paid, before, day).reduce((all, one) => all + one, 0)
    const last = nav / factor
    const move = 1 + 0.008 * Math.sin(index * 1.7 + turn) + 0.0002
    nav = before === '' ? nav : Number(text(last * move - amount))
    const full = habit === 'adjusted' ? amount : 0
    if (day.slice(0, 4) !== year) performance = 1
    year = day.slice(0, 4)
    // An import computes a performance with distributions reinvested, and a change of the NAVs alone.
    performance *= (nav + (habit === 'plain' ? 0 : amount)) / last
    const own = { nav: text(nav), change: text(nav + full - last), percent: percent((nav + full) / last) }
    found.set(day, { ...own, performance: percent(performance) })
    before = day
  }
  return found
}
const prices = Object.fromEntries(isins.map((isin, turn) => [isin, pricesOf(of(isin), turn)]))

/** The rows of the table by the day that they are delivered: one business day before. */
const actions = isins.flatMap((isin) => {
  const { paid = {}, splits = {}, merged } = of(isin)
  return [
    ...Object.entries(paid).map(([day, amount]) => [
      isin,
      day,
      'distribution',
      String(amount),
      'EUR',
      '',
      '',
    ]),
    ...Object.entries(splits).map(([day, factor]) => [isin, day, 'split', '', '', factor.toFixed(15), '']),
    ...(merged === undefined ? [] : [[isin, merged[0], 'merger', '', '', '', merged[1]]]),
  ]
})

const live = () => readFileSync(folder.file('funds/live.json'), 'utf8')
const nightly = (day: string, db = 'funds.sqlite') => {
  const into = ['--bucket', pathToFileURL(folder.file('funds')).href, '--out', 'out', '--sample', '1']
  return fundpress(['nightly', '--config', 'night.json', '--db', db, '--as-of', day, ...into])
}
async function imported(table: string, lines: readonly (readonly string[])[], flags: readonly string[] = []) {
  writeFileSync(folder.file(`${table}.csv`), lines.map((cells) => `${cells.join(';')}\n`).join(''))
  const words = [
    'import',
    table,
    `${table}.csv`,
    '--config',
    'night.json',
    '--db',
    'funds.sqlite',
    '--no-backup',
  ]
  const { code, stderr, stdout } = await fundpress([...words, ...flags])
  expect(code, stderr + stdout).toBe(0)
}

beforeAll(async () => {
  const columns = {
    Fonds: 'isin', Datum: 'date', Ausgabe: 'issue_price', Rücknahme: 'repurchase_price', Inventarwert: 'net_asset_value',
    Diff: 'change', DiffProzent: 'change_percent', WertLfdJahr: 'performance',
  } // prettier-ignore
  const ofActions = {
    Fonds: 'isin', Extag: 'ex_date', Art: 'kind', Betrag: 'amount', Währung: 'currency', Faktor: 'factor', Nachfolger: 'successor_isin',
  } // prettier-ignore
  writeFileSync(
    folder.file('night.json'),
    JSON.stringify({
      baseUrl: docsUrl,
      pages: false,
      downloads: false,
      bucket: { graceSeconds: 0 },
      import: { price: { columns }, corporate_action: { columns: ofActions } },
    }),
  )
  expect(await fundpress(['init', '--db', 'funds.sqlite'])).toMatchObject({ code: 0 })
  await bringFunds(isins)
})

async function bringFunds(some: readonly string[], flags: readonly string[] = []) {
  const header = ['isin', 'name', 'fund_inception_date', 'url', 'currency']
  await imported(
    'fund',
    [header, ...some.map((isin) => [isin, `Fund ${isin}`, '2020-11-03', 'https://funds.example', 'EUR'])],
    flags,
  )
}

const german = (day: string) => day.split('-').reverse().join('.')
const decimal = (value: string) => value.replace('.', ',')

/** The files of the days after one night, up to another. */
async function load(after: string, day: string): Promise<void> {
  const announced = days[days.indexOf(day) + 1] ?? day
  const some = actions.filter(([, exDay = '']) => exDay > after && exDay <= announced)
  const header = ['Fonds', 'Extag', 'Art', 'Betrag', 'Währung', 'Faktor', 'Nachfolger']
  const rows = some.map(
    ([isin = '', exDay = '', kind = '', amount = '', currency = '', factor = '', into = '']) => {
      return [isin, german(exDay), kind, decimal(amount), currency, decimal(factor), into]
    },
  )
  if (rows.length > 0) await imported('corporate_action', [header, ...rows], ['--decimal', 'comma'])
  const left = isins.filter((isin) => prices[isin]?.has(day))
  const gone = isins.length - left.length
  const reason = ['--allow', 'removed-rows', '--reason', 'merged']
  if (gone > 0) await bringFunds(left, ['--replace-all', ...reason])
  const columns = [
    'Fonds',
    'Datum',
    'Ausgabe',
    'Rücknahme',
    'Inventarwert',
    'Diff',
    'DiffProzent',
    'WertLfdJahr',
  ]
  for (const isDerived of [false, true]) {
    const lines = left.flatMap((isin) =>
      (company[isin]?.habit === 'derived') !== isDerived
        ? []
        : [...(prices[isin] ?? [])].flatMap(([each, price]) => {
            const figures = isDerived ? [] : [price.change, price.percent, price.performance]
            const cells = [price.nav, price.nav, price.nav, ...figures].map(decimal)
            return each > after && each <= day ? [[isin, german(each), ...cells]] : []
          }),
    )
    const header = columns.slice(0, isDerived ? 5 : 8)
    await imported('price', [header, ...lines], ['--decimal', 'comma', ...(isDerived ? ['--derive'] : [])])
  }
}

/** What is wrong in one night: SQL, the guards that refuse it, and what the refusal says. */
type Wrong = readonly [title: string, edit: string, guards: string, says?: string]
const action = (isin: string, day: string) => `isin = '${isin}' AND ex_date = '${day}'`
const multiplied = (isin: string, day: string, factor: number) => `
  UPDATE price SET net_asset_value = printf('%.2f', net_asset_value * ${factor}), issue_price = printf('%.2f', issue_price * ${factor}),
    repurchase_price = printf('%.2f', repurchase_price * ${factor}) WHERE isin = '${isin}' AND date = '${day}';`
const wrongs: Readonly<Record<string, readonly Wrong[]>> = {
  '2026-05-15': [
    [
      'another amount',
      `UPDATE corporate_action SET amount = '3.75' WHERE ${action(quarterly, '2026-05-15')};`,
      `price-change:${quarterly}`,
      'with a distribution of 3.75 in table corporate_action',
    ],
    [
      'another day',
      `UPDATE corporate_action SET ex_date = '2026-05-18' WHERE ${action(quarterly, '2026-05-15')};`,
      `price-change:${quarterly}`,
      '(if it is a distribution, add to table corporate_action: ex_date 2026-05-15, kind distribution, amount 3.25, currency of the fund)',
    ],
    [
      'a performance of a little more',
      `UPDATE price SET performance = printf('%.2f', performance + 1.5) WHERE isin = '${quarterly}' AND date = '2026-05-15';`,
      `price-change:${quarterly}`,
    ],
    [
      'a distribution of nearly all',
      `UPDATE corporate_action SET amount = '90' WHERE ${action(quarterly, '2026-05-15')};`,
      `corporate-action:${quarterly}`,
    ],
  ],
  [splitDay]: [
    [
      'no split',
      `DELETE FROM corporate_action WHERE ${action(split, splitDay)};`,
      `price-jump:${split}`,
      `(most likely a slip of the decimal point; if it is a split, add to table corporate_action: ex_date ${splitDay}, kind split, factor 10)`,
    ],
    [
      'no reverse split',
      `DELETE FROM corporate_action WHERE ${action(reverse, splitDay)};`,
      `price-jump:${reverse}`,
      `ex_date ${splitDay}, kind split, factor 0.5; else the price is wrong)`,
    ],
    [
      'another factor',
      `UPDATE corporate_action SET factor = '100' WHERE ${action(split, splitDay)};`,
      `corporate-action:${split}`,
      'the split by 100 on 2026-06-15 would make about',
    ],
    [
      'a factor that is nearly right',
      `UPDATE corporate_action SET factor = '11' WHERE ${action(split, splitDay)};`,
      `price-change:${split}`,
    ],
    [
      'the factor upside down',
      `UPDATE corporate_action SET factor = '0.1' WHERE ${action(split, splitDay)};`,
      `corporate-action:${split}`,
    ],
    ['a jump of another fund beside it', multiplied(yearly, splitDay, 1.4), `price-jump:${yearly}`],
    ['a jump beside it', multiplied(split, splitDay, 1.4), `price-jump:${split}`],
    [
      'a performance as if there was no split',
      `UPDATE price SET performance = '-89.10' WHERE isin = '${split}' AND date = '${splitDay}';`,
      `price-change:${split}`,
    ],
  ],
  [mergerDay]: [
    [
      'funds that vanish',
      "DELETE FROM corporate_action WHERE kind = 'merger';",
      'lost-funds',
      'table corporate_action has no merger of them',
    ],
    [
      'funds that vanish before they merge',
      `UPDATE corporate_action SET ex_date = '2026-09-02' WHERE kind = 'merger';`,
      'lost-funds',
    ],
  ],
}

const hasEvent = (day: string, index: number) =>
  Object.hasOwn(wrongs, day) ||
  actions.some(([, exDay = '']) => exDay > (days[index - 1] ?? day) && exDay <= day)
/** Nights without an event are few, in `npm test` even fewer: the next night brings the prices of all that were left out. */
const nights = days.filter(
  (day, index) => index >= 20 && (index % (isComplete ? 3 : 25) === 0 || hasEvent(day, index)),
)

it('no true night of a year is refused, and each error is', async () => {
  let before = ''
  for (const day of nights) {
    await load(before, day)
    for (const [title, edit, guards, says = ''] of wrongs[day] ?? []) {
      copyFileSync(folder.file('funds.sqlite'), folder.file('wrong.sqlite'))
      editDatabase(folder.file('wrong.sqlite'), edit)
      const known = live()
      const { code, stderr } = await nightly(day, 'wrong.sqlite')
      expect({ day, title, code, guards: /--allow (\S+) --reason/.exec(stderr)?.[1] }, stderr).toEqual({
        day,
        title,
        code: 3,
        guards,
      })
      expect(stderr).toContain(says)
      expect(live()).toBe(known)
    }
    const { code, stderr, stdout } = await nightly(day)
    expect({ day, code }, stderr + stdout).toEqual({ day, code: 0 })
    before = day
  }
  const derived = readDatabase(
    folder.file('funds.sqlite'),
    `SELECT date, change, change_percent AS percent, performance FROM price WHERE isin = '${reverse}' AND date IN ('2026-03-16', '${splitDay}')`,
  )
  const right = ['2026-03-16', splitDay].map((date) => {
    const { change, percent, performance } = prices[reverse]?.get(date) ?? {}
    return { date, change, percent, performance }
  })
  expect(derived).toEqual(right)
}, 600_000)
