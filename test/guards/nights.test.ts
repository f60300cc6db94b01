/** Nights as a table: a database, what is live, and the verdict. A refused night leaves `live.json` byte for byte as it was. */
import { isComplete } from '../support/rounds.ts'
import {
  antedated,
  closed,
  corrected,
  exchanged,
  flat,
  higher,
  isins,
  named,
  ofPrices,
  one,
  priced,
  stale,
  tables,
  two,
  untaxed,
  value,
  withoutBenchmark,
  withoutFunds,
  withoutPrices,
  withoutRows,
} from './night-data.ts'
import { allow, lastNight, limits, type LiveNight, type Night, testNights, tonight } from './night-runs.ts'

type Live =
  | 'nothing'
  | 'usual'
  | 'one night'
  | 'three funds fewer'
  | 'an old jump'
  | 'a large move'
  | 'no emt'
  | 'a private fund'

/** What may be live before a night: nights that were published one after the other. */
const lives: Readonly<Record<Live, readonly LiveNight[]>> = {
  nothing: [],
  usual: [...(isComplete ? [{ asOf: '2024-05-02' }] : []), { asOf: lastNight }],
  /** The other slot is empty. */
  'one night': [{ asOf: lastNight }],
  /** Three of eleven funds are gone, which was approved. The other slot still has them. */
  'three funds fewer': [
    { asOf: '2024-05-02' },
    { asOf: lastNight, edit: withoutFunds(3), flags: '--allow lost-funds --reason merged' },
  ],
  /** With a jump in the history that no guard has refused. */
  'an old jump': [{ asOf: lastNight, edit: priced(200, { date: '2024-04-10' }) }],
  'a large move': [
    { asOf: '2024-05-02' },
    { asOf: lastNight, edit: priced(115, { date: lastNight }), ...allow(`price-jump:${one}`) },
  ],
  'no emt': [{ asOf: lastNight, edit: 'DELETE FROM emt;' }],
  'a private fund': [{ asOf: lastNight, edit: `UPDATE fund SET data_permitted = 0 WHERE isin = '${two}';` }],
}

function emptied(table: string, ...others: readonly string[]): Night<Live> {
  return [`${table} is empty`, `DELETE FROM ${table};`, [`lost-rows:${table}`, ...others]]
}

const jump = [`price-jump:${one}`]
const change = [`price-change:${one}`]
const spread = [`price-spread:${one}`]

const nights: readonly Night<Live>[] = [
  // Prices that cannot be.
  ['an ordinary night', '', 'live'],
  ['the first night of a bucket', '', 'live', { live: 'nothing' }],
  ['the second night of a bucket', '', 'live', { live: 'one night' }],
  ['a NAV of 10050.00 in a night that is only staged', priced(10050), jump, { flags: '--stage' }],
  ['three funds fewer in a night that is only staged', withoutFunds(3), ['lost-funds'], { flags: '--stage' }],
  ['a NAV 2.5 % higher, of a fund that moves by half a per cent', priced(103.1), /its usual move is/],
  ['a NAV 4 % higher', priced(104.6), jump],
  [
    'a jump of a fund that is in no group',
    priced(150),
    jump,
    limits({ groups: [{ isins: [two], strictness: 0.1 }] }),
  ],
  ['a jump that is allowed for the fund', priced(200), /allowed/, allow(`price-jump:${one}`)],
  ['a jump that is allowed for another fund', priced(200), jump, allow(`price-jump:${two}`)],
  ['a jump that is forced', priced(200), /allowed/, { flags: '--force --reason test' }],
  ['a permission without a reason', priced(200), 2, { flags: '--allow price-jump' }],
  [
    'a jump that is live already, which the night before has told',
    priced(200, { date: '2024-04-10' }),
    'live',
    { live: 'an old jump' },
  ],
  ['a jump that is live and is corrected', '', /1 price of 1 fund corrected/, { live: 'an old jump' }],
  [
    'a move that was allowed last night, and that back: no older price is told again',
    priced(115, { date: lastNight }) + value('change', '-15.00') + value('change_percent', '-13.04'),
    /^(?![^]*older price)[^]*allowed/,
    { live: 'a large move', ...allow(`price-jump:${one}`) },
  ],
  ['a first night with a jump', priced(200), jump, { live: 'nothing' }],
  ['a jump whose fund is withheld', priced(200), new RegExp(one), limits({ onImplausible: 'withhold' })],
  ['a negative repurchase price', value('repurchase_price', '-0.01'), spread],
  ['a repurchase price 10 % lower', value('repurchase_price', '90.00'), 'live'],
  ['a repurchase price a little more than 10 % lower', value('repurchase_price', '89.97'), spread],
  ['a repurchase price above the issue price', value('repurchase_price', '105.01'), spread],
  ['a change that is not the difference', value('change', '0.50'), change],
  ['percentages of other days', value('change_percent', '55.00') + value('performance', '-50.00'), change],
  [
    'another currency',
    ['fund', 'corporate_action']
      .map((table) => `UPDATE ${table} SET currency = 'USD' WHERE isin = '${one}';`)
      .join(''),
    [`currency-change:${one}`],
  ],
  // What is only doubtful.
  ['a NAV that stays for ten days', flat(10), /not moved/, allow('changed-prices')],
  ['a gap in the history', closed('2024-04-10', '2024-04-18'), /2024-04/, allow('lost-rows:price')],
  // What is lost.
  ['one of eleven funds fewer', withoutFunds(1), new RegExp(`1 fund gone: ${isins.at(-1) ?? ''} Fund`)],
  ['two of eleven funds fewer', withoutFunds(2), ['lost-funds']],
  ['two funds fewer, as the config allows', withoutFunds(2), /2 funds gone/, limits({ strictness: 0.5 })],
  ['the night after an approved loss of funds', withoutFunds(3), 'live', { live: 'three funds fewer' }],
  ['a loss after an approved one', withoutFunds(5), ['lost-funds'], { live: 'three funds fewer' }],
  ['1 % of the price rows fewer', withoutPrices(15), /15 prices removed/],
  ['a little more than 1 % of the price rows fewer', withoutPrices(16), ['lost-rows:price']],
  ['a little more than 20 % of the rows of a table fewer', withoutRows(12), ['lost-rows:structure_item']],
  ['fewer documents of an endpoint', withoutFunds(1, ['profile']), /value.* gone: profile/],
  ['more than 10 % of them fewer', withoutFunds(2, ['profile']), ['lost-documents:profile']],
  emptied('profile', 'lost-documents:profile'),
  emptied('key_figure'),
  emptied('price', ...ofPrices.map((id) => `lost-documents:${id}`), 'older', 'lost-funds'),
  ['a table that was empty before', 'DELETE FROM emt;', 'live', { live: 'no emt' }],
  ['a table that is empty in the first night', 'DELETE FROM emt;', 'live', { live: 'nothing' }],
  [
    'two funds without a price',
    withoutFunds(2, ['price']),
    [...ofPrices.map((id) => `lost-documents:${id}`), 'lost-rows:price', 'lost-funds'],
  ],
  [
    'two funds that have ended, without a price',
    withoutFunds(2, ['price']) +
      `UPDATE fund SET end_date = '2024-04-19' WHERE isin IN ('${isins.slice(-2).join("', '")}');`,
    [...ofPrices.map((id) => `lost-documents:${id}`), 'lost-rows:price'],
  ],
  // What is changed.
  ['a price of April that is corrected', corrected(one), new RegExp(`2 prices of 1 fund corrected: ${one}`)],
  [
    'prices of tonight of two funds under the date of last night',
    isins.slice(0, 2).map(antedated).join(''),
    /2 prices of 2 funds corrected/,
  ],
  ['all prices of a fund 2 % higher', higher(1.02), ['changed-prices']],
  ['names of two funds that are exchanged', exchanged, ['renamed-funds']],
  ['two of eleven funds with other names', named(one, 'New') + named(two, 'Newer'), ['renamed-funds']],
  ['no benchmark any more', withoutBenchmark(11), ['column:profile.benchmark']],
  ['one of eleven benchmarks fewer', withoutBenchmark(1), /1 value gone: profile\.benchmark/],
  ['a fund that may be given out now', '', /1 fund public now: XF/, { live: 'a private fund' }],
  [
    'a fund that may no longer be given out',
    `UPDATE fund SET data_permitted = 0 WHERE isin = '${two}';`,
    /1 fund restricted now: XF/,
  ],
  ['tax figures that are zero from the first day on', untaxed, ['changed-prices']],
  ['an error of a spreadsheet', `UPDATE key_figure SET value = '#REF!' WHERE isin = '${one}';`, 1],
  // Days.
  [
    'an as-of date before the live one',
    closed('2024-05-01', '2024-05-31'),
    ['older', 'lost-rows:price'],
    { flags: '--as-of 2024-04-30' },
  ],
  ['prices older than the live ones', closed('2024-05-03', tonight), ['older', 'lost-rows:price']],
  ['stale prices of less than a tenth of the funds', stale(1), /stale/, allow('lost-rows:price')],
  ['stale prices of more than a tenth of the funds', stale(2), ['stale-prices'], allow('lost-rows:price')],
  [
    'prices that end with two funds, of which one is suspended',
    stale(2) +
      `UPDATE fund SET end_date = '2024-04-19', end_reason = 'liquidated' WHERE isin = '${one}';
      UPDATE fund SET suspended_from = '2024-04-22', suspended_to = NULL WHERE isin = '${two}';`,
    // Nothing is said of their age.
    /^(?![^]*stale)[^]*18 prices removed for earlier days/,
    allow('lost-rows:price'),
  ],
  ['an as-of date in the future', '', ['future-date'], { flags: '--as-of 2999-01-04' }],
  ['a database that is not marked as complete', '', ['incomplete'], { config: { requireComplete: true } }],
  // What the checks of values refuse.
  ['no fund at all', tables.map((table) => `DELETE FROM ${table};`).join(''), 1],
]

/** In `npm test`: of each group of guards a night that is refused, one step from one that is not. CI has all nights. */
const shortly = new Set([
  'an ordinary night',
  'a NAV 2.5 % higher, of a fund that moves by half a per cent',
  'a NAV 4 % higher',
  'a jump of a fund that is in no group',
  'a jump that is allowed for the fund',
  'a jump that is allowed for another fund',
  'a permission without a reason',
  'a first night with a jump',
  'a jump whose fund is withheld',
  'a negative repurchase price',
  'a repurchase price 10 % lower',
  'a repurchase price a little more than 10 % lower',
  'a change that is not the difference',
  'another currency',
  'one of eleven funds fewer',
  'two of eleven funds fewer',
  'a little more than 1 % of the price rows fewer',
  'key_figure is empty',
  'names of two funds that are exchanged',
  'no benchmark any more',
  'prices older than the live ones',
  'an as-of date in the future',
  'no fund at all',
])

testNights(nights, lives, shortly)
