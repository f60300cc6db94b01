/** Nights whose mistake only shows across funds, each beside a legitimate twin. */
import { expect, it } from 'vitest'
import { goodRows } from '../support/database.ts'
import { higher, isins, one, priced, two } from './night-data.ts'
import { allow, days, lastNight, limits, type LiveNight, type Night, navOf } from './night-runs.ts'
import { testNights, tonight } from './night-runs.ts'

/** Leaves the first three funds. */
const threeFunds = Object.keys(goodRows)
  .map((table) => `DELETE FROM ${table} WHERE isin NOT IN ('${isins.slice(0, 3).join("', '")}');`)
  .join('')
/** Tonight's NAV of a fund is that of last night. */
const stays = (isin: string) => priced(navOf(days.length - 2, isin), { isin })
const firstOf = (count: number, edit: (isin: string) => string) => isins.slice(0, count).map(edit).join('')
const to = (nav: number) => (isin: string) => priced(nav, { isin })
/** The first three funds were not priced on a day in April, as on a holiday of their market. */
const aHoliday = isins
  .slice(0, 3)
  .map((isin) => `DELETE FROM price WHERE isin = '${isin}' AND date = '2024-04-16';`)
  .join('')
const withoutTonight = (isin: string) => `DELETE FROM price WHERE isin = '${isin}' AND date = '${tonight}';`
const onSunday = (isin: string) =>
  `UPDATE price SET date = '2024-05-05' WHERE isin = '${isin}' AND date = '${tonight}';`
/** Tonight's changes and performances follow from the NAVs. */
const derived = (funds: readonly string[]) =>
  `UPDATE price SET change = printf('%.2f', price.net_asset_value - before.net_asset_value),
      change_percent = printf('%.2f', (price.net_asset_value / CAST(before.net_asset_value AS REAL) - 1) * 100),
      performance = printf('%.2f', (price.net_asset_value / (SELECT 0.97 * CAST(net_asset_value AS REAL) FROM price AS first
        WHERE first.isin = price.isin ORDER BY date LIMIT 1) - 1) * 100)
    FROM price AS before WHERE before.isin = price.isin AND before.date = '${lastNight}' AND price.date = '${tonight}'
      AND price.isin IN (${funds.map((isin) => `'${isin}'`).join(', ')});`
/** Tonight's prices of the first two funds are those of the other one. */
const exchangedPrices =
  [
    ['', one],
    [one, two],
    [two, ''],
  ]
    .map(([to, from]) => `UPDATE price SET isin = '${to}' WHERE isin = '${from}' AND date = '${tonight}';`)
    .join('') + derived([one, two])

/** What is live before a night. */
const lives = {
  nothing: [],
  usual: [{ asOf: lastNight }],
  'three funds': [{ asOf: lastNight, count: 3 }],
  'a holiday': [{ asOf: lastNight, edit: aHoliday }],
  /** The second fund costs less than the first one. */
  '6 % apart': [{ asOf: lastNight, edit: higher(0.94, two) }],
  '1 % apart': [{ asOf: lastNight, edit: higher(0.99, two) }],
} satisfies Readonly<Record<string, readonly LiveNight[]>>

const swapped = [`swapped:${one},${two}`]
const navs = ['column:price.net_asset_value']

const nights: readonly Night<keyof typeof lives>[] = [
  ["yesterday's NAVs of five of eleven funds", firstOf(5, stays), navs],
  ["yesterday's NAVs of four of eleven funds", firstOf(4, stays), 'live'],
  ["yesterday's NAVs of all three funds", threeFunds + firstOf(3, stays), navs, { live: 'three funds' }],
  ["yesterday's NAVs of two of three funds", threeFunds + firstOf(2, stays), 'live', { live: 'three funds' }],
  [
    "yesterday's NAVs of funds that nobody checks",
    firstOf(5, stays),
    'live',
    limits({ groups: [{ isins: isins.slice(0, 5), never: true }] }),
  ],
  ["yesterday's NAVs, as the config allows", firstOf(5, stays), 'live', limits({ strictness: 0.5 })],
  ["yesterday's NAVs, which is allowed", firstOf(5, stays), /allowed/, allow('column')],
  ["yesterday's NAVs, which is allowed for the column", firstOf(5, stays), /allowed/, allow(navs.join())],
  ["yesterday's NAVs, and another column is allowed", firstOf(5, stays), navs, allow('column:price.date')],
  ['NAVs of all funds 4 % higher', firstOf(11, to(104.5)), /a market day/],
  ['NAVs of all funds 6 % higher', firstOf(11, to(106.5)), navs],
  ['NAVs of five of eleven funds 2 % higher', firstOf(5, to(102.5)), 'live'],
  ['NAVs of all funds 2.5 % higher', firstOf(11, to(103)), 'live'],
  [
    'NAVs of all funds in a crash, each with its own',
    isins.map((isin, index) => priced(100.5 * (0.97 - index / 800), { isin })).join(''),
    /a market day/,
  ],
  ['NAVs of three of eleven funds 20 % higher', firstOf(3, to(120.6)), navs],
  [
    'NAVs of two of eleven funds 20 % higher',
    firstOf(2, to(120.6)),
    [`price-jump:${one}`, `price-jump:${two}`],
  ],
  [
    'NAVs of two of three funds 20 % higher',
    threeFunds + firstOf(2, to(120.6)),
    navs,
    { live: 'three funds' },
  ],
  ['prices of six of eleven funds on a Sunday', firstOf(6, onSunday), ['column:price.date']],
  ['prices of four of eleven funds on a Sunday', firstOf(4, onSunday), 'live'],
  [
    'prices of all funds on a Sunday, as on another one before',
    `UPDATE price SET date = '2024-04-14' WHERE date = '2024-04-15';${firstOf(11, onSunday)}`,
    'live',
    { live: 'nothing' },
  ],
  ['no price of four of eleven funds', firstOf(4, withoutTonight), ['missing-prices']],
  ['no price of three of eleven funds', firstOf(3, withoutTonight), /no price since 2024-05-03/],
  [
    'no price of three of eleven funds, as once before',
    firstOf(3, withoutTonight) + aHoliday,
    'live',
    { live: 'a holiday' },
  ],
  ['no price of any fund', firstOf(11, withoutTonight), 'live'],
  ['exchanged prices of two funds', higher(0.94, two) + exchangedPrices, swapped, { live: '6 % apart' }],
  [
    'exchanged prices that are allowed in any order',
    higher(0.94, two) + exchangedPrices,
    /look exchanged/,
    { live: '6 % apart', ...allow(`lost-funds,swapped:${two.toLowerCase()},${one},lost-rows`) },
  ],
  [
    'exchanged prices, and those of another pair are allowed',
    higher(0.94, two) + exchangedPrices,
    swapped,
    { live: '6 % apart', ...allow(`swapped:${one},${isins[2] ?? ''}`) },
  ],
  [
    'exchanged prices that are nearly the same',
    higher(0.99, two) + exchangedPrices,
    'live',
    { live: '1 % apart' },
  ],
]

/** In `npm test`. CI has all nights. */
const shortly = new Set([
  "yesterday's NAVs of five of eleven funds",
  "yesterday's NAVs of four of eleven funds",
  'NAVs of all funds 4 % higher',
  'NAVs of three of eleven funds 20 % higher',
  'NAVs of two of eleven funds 20 % higher',
  'prices of six of eleven funds on a Sunday',
  'no price of four of eleven funds',
  'no price of three of eleven funds',

  'exchanged prices of two funds',
  'exchanged prices that are nearly the same',
])

const { goBack, publishNight, allowedBy } = testNights(nights, lives, shortly)

it('prints flags that let the night live, beside others in one list', async () => {
  await goBack('6 % apart', lives['6 % apart'])
  const night = { asOf: tonight, edit: higher(0.94, two) + exchangedPrices }
  const allowing = allowedBy((await publishNight(night)).stderr)
  expect(allowing).toBe(swapped.join())
  for (const list of [allowing, `lost-funds,${allowing},lost-rows`]) {
    await goBack('6 % apart', lives['6 % apart'])
    expect(await publishNight({ ...night, ...allow(list) })).toMatchObject({ code: 0, stderr: '' })
  }
})
