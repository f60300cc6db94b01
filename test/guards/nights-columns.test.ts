/** Nights with wrong values in other tables than that of prices, each beside one that goes live. By the real program. */
import { corrected, isins, one } from './night-data.ts'
import { allow, days, lastNight, type LiveNight, type Night, testNights } from './night-runs.ts'

/** Figures of its own for each fund. */
const different = isins
  .map(
    (isin, fund) =>
      `UPDATE emt SET srri = ${(fund % 5) + 3} WHERE isin = '${isin}';
       UPDATE key_figure SET value = '${fund + 3},5 %' WHERE isin = '${isin}';
       UPDATE profile SET fund_assets = '${fund + 1}00000.00', total_fund_assets = '${fund + 1}50000.00' WHERE isin = '${isin}';`,
  )
  .join('')

const lives = {
  usual: [{ asOf: lastNight }],
  different: [{ asOf: lastNight, edit: different }],
} satisfies Readonly<Record<string, readonly LiveNight[]>>

const live = 'different'
const of = (count: number) => `isin IN ('${isins.slice(0, count).join("', '")}')`
const times = (factor: number, where = 'true') =>
  ['fund_assets', 'total_fund_assets']
    .map((column) => `UPDATE profile SET ${column} = printf('%.2f', ${column} * ${factor}) WHERE ${where};`)
    .join('')
const [oldDay = ''] = days.slice(20)
const correctedAll = (count: number) => isins.slice(0, count).map(corrected).join('')

const nights: readonly Night<keyof typeof lives>[] = [
  ['an ordinary night', different, 'live', { live }],
  ['SRRI 1 for all funds', `${different} UPDATE emt SET srri = 1;`, ['column:emt.srri'], { live }],
  [
    'SRRI 1 for all funds, which is allowed',
    `${different} UPDATE emt SET srri = 1;`,
    /allowed/,
    { live, ...allow('column:emt.srri') },
  ],
  [
    'SRRI 1 for all funds, where another column is allowed',
    `${different} UPDATE emt SET srri = 1;`,
    ['column:emt.srri'],
    { live, ...allow('column:emt.entry_costs') },
  ],
  [
    'SRRI 1 for five of eleven funds',
    `${different} UPDATE emt SET srri = 1 WHERE ${of(5)};`,
    'live',
    { live },
  ],
  [
    'assets a thousand times as large',
    different + times(1000),
    ['column:profile.fund_assets', 'column:profile.total_fund_assets'],
    { live },
  ],
  [
    'assets of a month end',
    different + isins.map((isin, fund) => times(0.9 + fund / 40, `isin = '${isin}'`)).join(''),
    'live',
    { live },
  ],
  [
    'total assets below those of the share class',
    `${different} UPDATE profile SET total_fund_assets = printf('%.2f', fund_assets - 1000 - length(isin) * substr(isin, 10));`,
    ['column:profile.total_fund_assets'],
    { live },
  ],
  [
    'documents on another domain',
    "UPDATE document SET url = replace(url, 'funds.example', 'funds.test');",
    ['column:document.url'],
  ],
  ['new documents', "UPDATE document SET date = '2024-04-30', url = url || '?2024';", 'live'],
  [
    'a key figure that is the same for all',
    `${different} UPDATE key_figure SET value = '77,77 %';`,
    ['column:key_figure.value'],
    { live },
  ],
  [
    'key figures of a month end',
    `${different} UPDATE key_figure SET value = '1' || value;`,
    'live',
    { live },
  ],
  [
    'one fund without key figures and structures',
    `DELETE FROM key_figure WHERE isin = '${one}'; DELETE FROM structure_item WHERE isin = '${one}';`,
    new RegExp(`${one} key_figure: .* gone`),
  ],
  ['prices of all funds that are corrected on one old day', correctedAll(11), [`changed-prices:${oldDay}`]],
  ['the same, which is allowed for this day', correctedAll(11), /allowed/, allow(`changed-prices:${oldDay}`)],
  [
    'the same, where another day is allowed',
    correctedAll(11),
    [`changed-prices:${oldDay}`],
    allow('changed-prices:2024-01-02'),
  ],
  [
    'prices of three of eleven funds that are corrected on one old day',
    correctedAll(3),
    /6 prices of 3 funds corrected/,
  ],
]

/** In `npm test`: a night of each kind, and its twin. CI has all nights. */
const shortly = new Set([
  'an ordinary night',
  'SRRI 1 for all funds',
  'SRRI 1 for all funds, which is allowed',
  'documents on another domain',
  'new documents',
  'one fund without key figures and structures',
  'prices of all funds that are corrected on one old day',
  'prices of three of eleven funds that are corrected on one old day',
])

testNights(nights, lives, shortly)
