/** Nights with new corporate actions, new funds and other settings: new input is not its own yardstick. */
import { isinOf } from '../support/database.ts'
import { one, priced, value } from './night-data.ts'
import {
  allow,
  days,
  lastNight,
  type LiveNight,
  navOf,
  type Night,
  testNights,
  tonight,
} from './night-runs.ts'

type Live = 'nothing' | 'usual' | 'a wrong split' | 'a split' | 'a split of tonight' | 'a named company'

const split = (exDate: string, factor = '5', isin = one) =>
  `INSERT INTO corporate_action VALUES ('${isin}', '${exDate}', 'split', NULL, NULL, '${factor}', NULL);`
const paid = (exDate: string, amount: string) =>
  `INSERT INTO corporate_action VALUES ('${one}', '${exDate}', 'distribution', '${amount}', 'EUR', NULL, NULL);`
const past = '2024-04-10'

/** The fund splits on a past day: NAVs before are five times as high. */
const beforeSplit =
  `UPDATE price SET net_asset_value = printf('%.2f', net_asset_value * 5), repurchase_price = printf('%.2f', repurchase_price * 5),
    issue_price = printf('%.2f', issue_price * 5), change = printf('%.2f', change * 5) WHERE isin = '${one}' AND date < '${past}';` +
  split(past)

const fund = (number: number) =>
  `INSERT INTO fund (isin, name, fund_inception_date, url, currency)
    VALUES ('${isinOf(number)}', 'Fund ${number}', '2010-01-04', 'https://funds.example/new', 'EUR');
   INSERT INTO price SELECT '${isinOf(number)}', date, issue_price, repurchase_price, net_asset_value, change, change_percent, performance,
    intercompany_profit, share_profit, real_estate_profits, share_profit2 FROM price WHERE isin = '${one}';`
const mergesInto = (number: number) =>
  `INSERT INTO corporate_action VALUES ('${isinOf(20 + number)}', '2024-05-04', 'merger', NULL, NULL, NULL, '${isinOf(number)}');`

const allowed = '--allow corporate-action --reason test'
const company = { site: { name: 'Good Company' }, licence: { name: 'CC-BY-4.0' } }
const lives: Readonly<Record<Live, readonly LiveNight[]>> = {
  nothing: [],
  usual: [{ asOf: lastNight }],
  'a wrong split': [{ asOf: lastNight, edit: split(past), flags: allowed }],
  'a split': [{ asOf: lastNight, edit: beforeSplit }],
  'a split of tonight': [{ asOf: lastNight, edit: split(tonight) }],
  'a named company': [{ asOf: lastNight, config: company }],
}

const refused = [`corporate-action:${one}`]
const halved = navOf(days.length - 1) / 2

const nights: readonly Night<Live>[] = [
  ['a split of another fund, with a past day', split(past), refused],
  ['a small split of another fund', split(past, '1.1'), refused],
  ['such a split that is allowed', split(past), /allowed: said so/, allow(`corporate-action:${one}`)],
  ['such a split that is live, and was allowed', split(past), 'live', { live: 'a wrong split' }],
  ['a live split that gets another factor', split(past, '4'), refused, { live: 'a wrong split' }],
  ['such a split in the first night', split(past), refused, { live: 'nothing' }],
  ['a split that the NAVs show, in the first night', beforeSplit, 'live', { live: 'nothing' }],
  ['a split that is live', beforeSplit, 'live', { live: 'a split' }],
  [
    'a live split that is gone, while the NAVs show it',
    `${beforeSplit} DELETE FROM corporate_action WHERE kind = 'split';`,
    [`price-jump:${one}`],
    { live: 'a split' },
  ],
  ['a split of tomorrow', split('2024-05-07'), 'live'],
  [
    'a split of tonight that was announced and does not come',
    split(tonight, '5'),
    refused,
    { live: 'a split of tonight' },
  ],
  ['a distribution that is too small to be seen', paid(past, '0.50'), 'live'],
  ['a distribution with a comma slip', paid(past, '50'), refused],
  ['the amount of all shares', paid(past, '500'), refused],
  ['a NAV of half, without a row', priced(halved) + value('performance', '-47.94'), [`price-jump:${one}`]],
  ['a new fund', fund(12), /1 fund new: XF/],
  ['two new funds beside eleven', fund(12) + fund(13), ['new-funds']],
  ['two new funds that are allowed', fund(12) + fund(13), /2 funds new: XF/, allow('new-funds')],
  [
    'two new funds into which others merge',
    fund(12) + fund(13) + mergesInto(12) + mergesInto(13),
    /2 funds new: XF/,
  ],
  ['another address', '', ['settings:baseUrl'], { config: { baseUrl: 'https://staging.example' } }],
  [
    'another address that is allowed',
    '',
    /has allowed settings/,
    { config: { baseUrl: 'https://staging.example' }, ...allow('settings') },
  ],
  ['the settings that are live', '', 'live', { live: 'a named company', config: company }],
  [
    'another company',
    '',
    ['settings:site.name'],
    { live: 'a named company', config: { ...company, site: { name: 'Other' } } },
  ],
  [
    'another licence',
    '',
    ['settings:licence.name'],
    { live: 'a named company', config: { ...company, licence: { name: 'ODbL-1.0' } } },
  ],
  ['no name any more', '', ['settings:licence.name', 'settings:site.name'], { live: 'a named company' }],
]

testNights(nights, lives, new Set(nights.map(([title]) => title)))
