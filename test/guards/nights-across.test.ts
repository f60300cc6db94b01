/** Nights whose mistake only shows across funds, each beside a legitimate twin. */
import { expect, it } from 'vitest'
import { goodRows } from '../support/database.ts'
import { higher, isins, one, priced, two, value } from './night-data.ts'
import { allow, days, lastNight, limits, type LiveNight, type Night, navOf } from './night-runs.ts'
import { testNights, tonight } from './night-runs.ts'

/** Leaves the first three funds. */
const threeFunds = Object.keys(goodRows)
  .map((table) => `DELETE FROM ${table} WHERE isin NOT IN ('${isins.slice(0, 3).join("', '")}');`)
  .join('')
/** Tonight's NAV of a fund is that of last night. */
const stays = (isin: string) => priced(navOf(days.length - 2), { isin })
const firstOf = (count: number, edit: (isin: string) => string) => isins.slice(0, count).map(edit).join('')
const to = (nav: number) => (isin: string) => priced(nav, { isin })
const onSunday = (isin: string) =>
  `UPDATE price SET date = '2024-05-05' WHERE isin = '${isin}' AND date = '${tonight}';`
const rounded = (isin: string) => value('net_asset_value', '100', { isin })
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
  /** The second fund costs less than the first one. */
  '3.6 % apart': [{ asOf: lastNight, edit: higher(0.964, two) }],
  '1 % apart': [{ asOf: lastNight, edit: higher(0.99, two) }],
} satisfies Readonly<Record<string, readonly LiveNight[]>>

const swapped = [`swapped:${one},${two}`]

const nights: readonly Night<keyof typeof lives>[] = [
  ["yesterday's NAVs of six of eleven funds", firstOf(6, stays), ['unchanged-prices']],
  ["yesterday's NAVs of five of eleven funds", firstOf(5, stays), 'live'],
  ["yesterday's NAVs of all three funds", threeFunds + firstOf(3, stays), 'live', { live: 'three funds' }],
  [
    "yesterday's NAVs of funds that may stay",
    firstOf(6, stays),
    'live',
    limits({ groups: [{ isins: isins.slice(0, 6), mayStay: true }] }),
  ],
  ["yesterday's NAVs, as the config allows", firstOf(6, stays), 'live', limits({ sameMoveShare: 0.6 })],
  ["yesterday's NAVs, which is allowed", firstOf(6, stays), /allowed/, allow('unchanged-prices')],
  ['NAVs of all funds 5 % higher', firstOf(11, to(105.5)), ['same-move']],
  ['NAVs of five of eleven funds 5 % higher', firstOf(5, to(105.5)), 'live'],
  ['NAVs of all funds 2.5 % higher', firstOf(11, to(103)), 'live'],
  [
    'NAVs of all funds in a crash, each with its own',
    isins.map((isin, index) => priced(100.5 * (1 - index / 110), { isin })).join(''),
    'live',
  ],
  ['NAVs of four of eleven funds 20 % higher', firstOf(4, to(120.6)), ['many-warnings']],
  ['NAVs of three of eleven funds 20 % higher', firstOf(3, to(120.6)), /20 %/],
  [
    'NAVs of two of three funds 20 % higher',
    threeFunds + firstOf(2, to(120.6)),
    /20 %/,
    { live: 'three funds' },
  ],
  [
    'NAVs of four funds 20 % higher, as the config allows',
    firstOf(4, to(120.6)),
    /20 %/,
    limits({ warnedShare: 0.4 }),
  ],
  ['prices of six of eleven funds on a Sunday', firstOf(6, onSunday), ['non-business-day']],
  ['prices of five of eleven funds on a Sunday', firstOf(5, onSunday), /2024-05-05/],
  [
    'prices of all funds on a Sunday, as on another one before',
    `UPDATE price SET date = '2024-04-14' WHERE date = '2024-04-15';${firstOf(11, onSunday)}`,
    /2024-05-05/,
    { live: 'nothing' },
  ],
  ['NAVs of six of eleven funds without decimals', firstOf(6, rounded), ['decimals']],
  [
    'NAVs of five of eleven funds without decimals',
    firstOf(5, rounded),
    /NAV 100 on 2024-05-06 has 0 decimals/,
  ],
  [
    'NAVs without decimals, as the config allows',
    firstOf(6, rounded),
    /0 decimals/,
    limits({ roundedShare: 0.6 }),
  ],
  ['exchanged prices of two funds', higher(0.964, two) + exchangedPrices, swapped, { live: '3.6 % apart' }],
  [
    'exchanged prices that are allowed in any order',
    higher(0.964, two) + exchangedPrices,
    /look exchanged/,
    { live: '3.6 % apart', ...allow(`lost-funds,swapped:${two.toLowerCase()},${one},lost-prices`) },
  ],
  [
    'exchanged prices, and those of another pair are allowed',
    higher(0.964, two) + exchangedPrices,
    swapped,
    { live: '3.6 % apart', ...allow(`swapped:${one},${isins[2] ?? ''}`) },
  ],
  [
    'exchanged prices that are nearly the same',
    higher(0.99, two) + exchangedPrices,
    'live',
    { live: '1 % apart' },
  ],
  [
    'two funds that move to the same NAV',
    higher(0.964, two) + priced(98.7) + priced(98.7, { isin: two }) + derived([one, two]),
    'live',
    { live: '3.6 % apart' },
  ],
]

/** In `npm test`. CI has all nights. */
const shortly = new Set([
  "yesterday's NAVs of six of eleven funds",
  "yesterday's NAVs of five of eleven funds",
  'NAVs of all funds 5 % higher',
  'NAVs of four of eleven funds 20 % higher',
  'NAVs of three of eleven funds 20 % higher',
  'prices of six of eleven funds on a Sunday',
  'prices of five of eleven funds on a Sunday',
  'exchanged prices of two funds',
  'exchanged prices that are nearly the same',
])

const { goBack, publishNight, allowedBy } = testNights(nights, lives, shortly)

it('prints flags that let the night live, beside others in one list', async () => {
  await goBack('3.6 % apart', lives['3.6 % apart'])
  const night = { asOf: tonight, edit: higher(0.964, two) + exchangedPrices }
  const allowing = allowedBy((await publishNight(night)).stderr)
  expect(allowing).toBe(swapped.join())
  for (const list of [allowing, `lost-funds,${allowing},lost-prices`]) {
    await goBack('3.6 % apart', lives['3.6 % apart'])
    expect(await publishNight({ ...night, ...allow(list) })).toMatchObject({ code: 0, stderr: '' })
  }
})
