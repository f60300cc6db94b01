/** What openfunds says of a share class becomes rows: its fund, price, corporate actions, document, profile and EMT. */

import { isOpenEnd } from '../../../../core/data/model/limits.ts'
import { schemaTables } from '../../../../core/data/model/schema.ts'
import { printable } from '../../../../core/data/model/printable.ts'
import { percentOf, reciprocalOf, sumOf } from '../../decimals.ts'
import { accumulatingWords, type Value } from '../../values.ts'
import { noPayment, type RowSink } from '../reader.ts'
import type { OfId } from './fields.ts'
import { openStructures } from './structures.ts'

/** A line of a file, or what it says of a share class up to the next value of the same field. */
export interface OpenRecord {
  readonly isin: string
  /** By the keys of fields. Null: there is none. A field that is absent is unknown. */
  readonly values: ReadonlyMap<string, Value>
  /** Those of null whose cell is empty: another line of the class may have the value. `[N/A]` says that there is none. */
  readonly empty: ReadonlySet<string>
  /** It is an item of a breakdown, though it looks like a total. */
  readonly isKept: boolean
  readonly place: string
}

type Values = Readonly<Record<string, Value | undefined>>

/** Rows of one key: several contradict each other. */
interface Group {
  readonly table: string
  readonly rows: Collected[]
  /** Columns that an empty cell would fill: they are NULL if no line has a value. */
  readonly empty: Set<string>
}

interface Collected {
  readonly values: Record<string, Value>
  /** Where each column is from. */
  readonly said: Record<string, Said>
  readonly place: string
}

/** A line, and the day that it is of; undefined if it names none. */
interface Said {
  readonly day: string | undefined
  readonly place: string
}

/** Payments of one ex-day: several are one distribution. A payment that several lines name is one, too. */
interface Payments {
  readonly isin: string
  readonly exDate: string
  readonly currency: string | undefined
  readonly place: string
  readonly amounts: Map<string, string>
}

interface Assets {
  readonly date: string
  readonly amount: string
  /** Columns that belong to the amount. */
  readonly more: Readonly<Record<string, Value>>
}

/** The fields that say in which currency an amount is. */
const amountCurrencies: Readonly<Record<string, OfId>> = {
  OFDY000070: 'OFST020540',
  OFDY000060: 'OFST010410',
}

/**
 * Puts together what lines say of a fund: they wait until the end, a few values a fund. Prices do not wait.
 * @param currencies of the funds in the database
 */
export function openRows(sink: RowSink, currencies: ReadonlyMap<string, string>) {
  /** By table and key. */
  const collected = new Map<string, Group>()
  const payments = new Map<string, Payments>()
  const structures = openStructures(sink)
  /** The newest by fund and column. */
  const assets = new Map<string, Map<string, Assets>>()

  /** @param emptied the values if empty cells say that there is none */
  const collect = (
    table: string,
    key: string,
    values: Values,
    line: Said,
    emptied: Values = values,
  ): void => {
    const own = storable(table, values)
    const whole = storable(table, emptied)
    if (Object.keys(whole).length < 2) return
    const id = `${table} ${key}`
    const found = collected.get(id) ?? { table, rows: [], empty: new Set<string>() }
    collected.set(id, found)
    for (const name of Object.keys(whole)) if (!(name in own)) found.empty.add(name)
    const fitting = found.rows.find((row) =>
      Object.entries(own).every(([name, value]) => isSame(row, name, value) || isOfOtherDay(row, name, line)),
    )
    const { place } = line
    if (fitting === undefined) {
      // Of rows that contradict each other, the sink says where.
      const said = Object.fromEntries(Object.keys(own).map((name) => [name, line]))
      found.rows.push({ values: own, said, place })
    } else for (const [name, value] of Object.entries(own)) put(table, fitting, name, value, line)
  }

  /** The newest line counts. */
  const put = (table: string, { values, said }: Collected, name: string, value: Value, line: Said): void => {
    const before = said[name]
    const isEarlier = before?.day !== undefined && line.day !== undefined && line.day < before.day
    if (before !== undefined && values[name] !== value)
      sink.leftOut(
        `${name} of table ${table} of an earlier day: another one of the newest day counts`,
        (isEarlier ? line : before).place,
      )
    if (isEarlier) return
    values[name] = value
    said[name] = line
  }

  const take = (record: OpenRecord): void => {
    const { isin, place } = record
    const of = saidIn(record)
    const ofAll = allIn(record)
    const line: Said = { day: dayOf(of), place }
    const fundOf = (texts: TextOf, to: Telling): Values => ({
      isin,
      ...fundValues(texts),
      ...lifeOf(texts),
      ...suspensionOf(texts, record, to),
    })
    collect('fund', isin, fundOf(of, sink), line, fundOf(ofAll, untold))
    const profileOf = (texts: TextOf, to: Telling): Values => ({ isin, ...profileValues(texts, record, to) })
    const profile = profileOf(of, sink)
    collect('profile', isin, profile, line, profileOf(ofAll, untold))
    collect('emt', isin, { isin, ...emtValues(of) }, line, { isin, ...emtValues(ofAll) })
    takePrice(record, of, profile, sink)
    takeDistribution(record, of)
    takeAssets(record, of)
    takeSplit(record, of)
    takeBreakdown(record, of)
    const exDate = of('OFST020566')
    const successor = of('OFST020575')
    if (typeof exDate === 'string' && !isOpenEnd(exDate) && typeof successor === 'string') {
      const values = { isin, ex_date: exDate, kind: 'merger', successor_isin: successor }
      collect('corporate_action', `${isin} ${exDate} merger`, values, ofNoDay(place))
    }
    for (const document of documentsOf(record, of, sink))
      collect(
        'document',
        [isin, document.language, document.date, document.country].join(' '),
        { isin, ...document },
        ofNoDay(place),
      )
  }

  const takeBreakdown = ({ isin, isKept, place }: OpenRecord, of: TextOf): void => {
    const id = of('OFRE100100')
    if (typeof id !== 'string') return
    structures.take({
      isin,
      isKept,
      place,
      id: id.trim().toUpperCase(),
      date: of('OFRE100000'),
      name: trimmed(of('OFRE100108')),
      share: of('OFRE100110'),
    })
  }

  const takeDistribution = ({ isin, place }: OpenRecord, of: TextOf): void => {
    const amount = of('OFDY005020')
    const exDate = of('OFDY005010')
    if (typeof amount !== 'string') return
    if (Number(amount) === 0) {
      sink.leftOut(noPayment, place)
      return
    }
    if (of('OFDY005030') === 0) {
      sink.leftOut('a dividend that is estimated, not final (OFDY005030)', place)
      return
    }
    if (typeof exDate !== 'string') {
      sink.bad(place, ['OFDY005020 (Dividend Gross) has no day in OFDY005010 (Dividend Ex Date)'])
      return
    }
    const currency = textOr(of('OFDY005000'), textOr(of('OFST020540'), currencies.get(isin)))
    const id = `${isin} ${exDate} ${currency ?? ''}`
    const own = payments.get(id) ?? { isin, exDate, currency, place, amounts: new Map<string, string>() }
    payments.set(id, own)
    own.amounts.set(`${String(of('OFDY005015') ?? '')} ${amount}`, amount)
  }

  const takeAssets = ({ isin, values, place }: OpenRecord, of: TextOf): void => {
    const currency = textOr(of('OFST020540'), currencies.get(isin))
    const ofFund = textOr(of('OFST010410'), undefined)
    const add = (column: string, id: OfId, amount: Value | undefined, more: Assets['more'] = {}) => {
      const byColumn = assets.get(isin) ?? new Map<string, Assets>()
      if (typeof amount === 'string') {
        const date = String(of(id === 'OFDY000060' ? 'OFDY000061' : 'OFDY000071') ?? '')
        if (date >= (byColumn.get(column)?.date ?? '')) byColumn.set(column, { date, amount, more })
        assets.set(isin, byColumn)
      } else if (typeof of(id) === 'string')
        sink.leftOut(`${id}, whose currency the file does not say (${amountCurrencies[id] ?? ''})`, place)
    }
    const inCurrency = (id: OfId, own: string | undefined) =>
      own === undefined ? undefined : (values.get(`${id}_${own}`) ?? values.get(id))
    const ofClass = inCurrency('OFDY000070', currency)
    add('fund_assets', 'OFDY000070', ofClass)
    if (typeof ofClass !== 'string')
      for (const { key } of amountsNamed('OFDY000070', values))
        sink.leftOut(`${key}, since the schema has the assets of a class in its own currency`, place)
    const ofWhole = inCurrency('OFDY000060', ofFund)
    const others = amountsNamed('OFDY000060', values)
    // In the fund's currency, else in that of the class, else in the first that the file names.
    const named = others.find((one) => one.currency === currency) ?? others[0]
    const total = typeof ofWhole === 'string' ? ofWhole : named?.amount
    const itsCurrency = typeof ofWhole === 'string' ? ofFund : named?.currency
    const more = { total_fund_assets_currency: itsCurrency === currency ? null : (itsCurrency ?? null) }
    add('total_fund_assets', 'OFDY000060', total, more)
    if (assets.has(isin) && !collected.has(`profile ${isin}`)) {
      const rows = [{ values: { isin }, said: {}, place }]
      collected.set(`profile ${isin}`, { table: 'profile', rows, empty: new Set() })
    }
  }

  /** openfunds counts old shares for a new one, the schema new shares for an old one. */
  const takeSplit = ({ isin, place }: OpenRecord, of: TextOf): void => {
    const ratio = of('OFDY005062')
    const exDate = of('OFDY005060')
    if (typeof ratio !== 'string' || Number(ratio) === 1) return
    if (typeof exDate !== 'string') {
      sink.bad(place, ['OFDY005062 (Split Ratio) has no day in OFDY005060 (Split Reference Date)'])
      return
    }
    const factor = reciprocalOf(ratio)
    const kind = 'split'
    if (factor !== undefined)
      collect(
        'corporate_action',
        `${isin} ${exDate} ${kind}`,
        { isin, ex_date: exDate, kind, factor },
        ofNoDay(place),
      )
    else
      sink.bad(place, [
        `OFDY005062 (Split Ratio) is ${ratio}, which is no ratio or has too few digits: three new shares for an old one are 0.3333333`,
      ])
  }

  let summed = 0
  /** To be called after the last record. */
  const end = (): void => {
    structures.end()
    for (const { table, rows, empty } of collected.values()) {
      for (const { values: said, place } of rows) {
        const values: Record<string, Value> = {
          ...Object.fromEntries([...empty].map((name) => [name, null])),
          ...said,
        }
        const own = table === 'profile' ? assets.get(String(values['isin'])) : undefined
        const amounts = [...(own ?? [])].flatMap(([column, { amount, more }]) => [
          [column, amount] as const,
          ...Object.entries(more),
        ])
        const all = { ...values, ...Object.fromEntries(amounts) }
        // Few files have all of a profile.
        if (table === 'profile') sink.part(table, all, place)
        else sink.row(table, all, place)
      }
    }
    for (const { isin, exDate, currency = null, place, amounts } of payments.values()) {
      if (amounts.size > 1) summed++
      const amount = sumOf([...amounts.values()])
      sink.row('corporate_action', { isin, ex_date: exDate, kind: 'distribution', amount, currency }, place)
    }
  }
  const notes = () =>
    summed === 0 ? [] : [`distributions with several payments of a day, which are summed: ${summed}`]
  return { take, spoil: structures.spoil, end, notes }
}

/** A row with a day of its own in its key. */
const ofNoDay = (place: string): Said => ({ day: undefined, place })

/** The day that a line is of: that of its NAV, else of its assets. */
const dayOf = (of: TextOf): string | undefined =>
  (['OFDY000041', 'OFDY000036', 'OFDY000071', 'OFDY000061'] as const)
    .map(of)
    .find((day) => typeof day === 'string')

const isSame = ({ values }: Collected, name: string, value: Value): boolean =>
  !(name in values) || values[name] === value

/** Whether lines of two days say something of a column, so that the newer one is right. */
function isOfOtherDay({ said }: Collected, name: string, { day }: Said): boolean {
  const other = said[name]?.day
  return day !== undefined && other !== undefined && day !== other
}

/** Amounts whose fields name their currencies: OFDY000060_USD. */
function amountsNamed(id: OfId, values: OpenRecord['values']) {
  return [...values].flatMap(([key, amount]) =>
    key.startsWith(`${id}_`) && typeof amount === 'string'
      ? [{ key, currency: key.slice(id.length + 1), amount }]
      : [],
  )
}

/** Reads a field of a record, in whichever language it has it. */
type TextOf = (id: OfId) => Value | undefined

/** What a record says. An empty cell says nothing. */
const saidIn = ({ values, empty }: OpenRecord): TextOf => textsOf(values, (key) => !empty.has(key))

/** The same, where an empty cell says that there is none. */
const allIn = (record: OpenRecord): TextOf => {
  const said = saidIn(record)
  const all = textsOf(record.values, () => true)
  return (id) => said(id) ?? all(id)
}

function textsOf(values: OpenRecord['values'], isTaken: (key: string) => boolean): TextOf {
  return (id) => {
    for (const key of [id, `${id}(de)`, `${id}(en)`])
      if (values.has(key) && isTaken(key)) return values.get(key)
    return undefined
  }
}

/** @returns the first value; null if there is none, and a field says so */
function either(of: TextOf, ...ids: readonly OfId[]): Value | undefined {
  const said = ids.map(of).filter((value) => value !== undefined)
  return said.find((value) => value !== null) ?? said[0]
}

/** Hears of what is left out, or bad. */
type Telling = Pick<RowSink, 'leftOut' | 'bad' | 'spoilt'>

const untold: Telling = { leftOut: () => undefined, bad: () => undefined, spoilt: () => undefined }

const trimmed = (value: Value | undefined) => (typeof value === 'string' ? value.trim() : value)

const textOr = (value: Value | undefined, other: string | undefined) =>
  typeof value === 'string' ? value : other

/** Without what is unknown. NULL is unknown, too, where the schema has no NULL. */
function storable(table: string, values: Values): Record<string, Value> {
  const columns = Object.values(schemaTables).find(({ name }) => name === table)?.columns ?? []
  const mandatory = new Set(columns.filter(({ isNullable }) => !isNullable).map(({ name }) => name))
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || (value === null && mandatory.has(name)) ? [] : [[name, value] as const],
    ),
  )
}

const fundValues = (of: TextOf): Values => ({
  wkn: of('OFST020015'),
  name: of('OFST020060'),
  fund_inception_date: either(of, 'OFST020560', 'OFST010240'),
  currency: of('OFST020540'),
})

/** The end of a fund; of one that is merged, table corporate_action has it. */
function lifeOf(of: TextOf): Values {
  const terminated = of('OFST020566')
  const matures = of('OFEM000650')
  const isMaturityKnown = typeof matures === 'string' && !isOpenEnd(matures)
  // An end that is not known says nothing if another one is.
  if (typeof terminated === 'string' && !(isOpenEnd(terminated) && isMaturityKnown))
    return typeof of('OFST020575') === 'string' && !isOpenEnd(terminated)
      ? { end_date: null, end_reason: null }
      : { end_date: terminated, end_reason: 'liquidated' }
  if (typeof matures === 'string') return { end_date: matures, end_reason: 'matured' }
  return terminated === null ? { end_date: null, end_reason: null } : {}
}

const closed = 'closed for subscription and redemption'

/** Shares are not issued and redeemed while a class is closed for both, or dormant: without assets. */
function suspensionOf(of: TextOf, { place }: OpenRecord, sink: Telling): Values {
  const status = of('OFST023100')
  const since = of('OFST023110')
  const dormant = of('OFST020562')
  if (typeof status === 'string' && status.toLowerCase() === closed) {
    if (typeof since === 'string') return { suspended_from: since, suspended_to: null }
    sink.leftOut(`a share class that is ${closed}, without its day (OFST023110)`, place)
    return {}
  }
  if (typeof dormant === 'string') return { suspended_from: dormant, suspended_to: of('OFST020563') ?? null }
  return typeof status === 'string' || dormant === null ? { suspended_from: null, suspended_to: null } : {}
}

/** @param charges of the line */
function takePrice(record: OpenRecord, of: TextOf, charges: Values, sink: RowSink): void {
  const { isin, place } = record
  const navs = (
    [
      ['OFDY000040', 'OFDY000041'],
      ['OFDY000035', 'OFDY000036'],
    ] as const
  ).filter(([nav]) => typeof of(nav) === 'string')
  const [nav, other] = navs
  const sides = (['OFDY000025', 'OFDY000020'] as const).filter((side) => typeof of(side) === 'string')
  if (nav === undefined) {
    if (sides.length > 0)
      sink.leftOut('a bid or ask price without a NAV, which each price of the schema has', place)
    return
  }
  if (other !== undefined)
    sink.leftOut('a valuation NAV beside the transaction NAV, at which shares are dealt', place)
  const [navId, dateId] = nav
  const date = of(dateId)
  if (typeof date !== 'string') {
    sink.bad(place, [`${navId} has no day in ${dateId}`])
    return
  }
  const sideOf = (id: OfId, dayId: OfId) => {
    const price = of(id)
    if (typeof price !== 'string') return undefined
    const day = of(dayId)
    if (day === undefined || day === null || day === date) return price
    sink.leftOut('a bid or ask price of another day than the NAV', place)
    return undefined
  }
  const values = {
    isin,
    date,
    currency: of('OFST020540') ?? undefined,
    net_asset_value: of(navId),
    issue_price: sideOf('OFDY000025', 'OFDY000026'),
    repurchase_price: sideOf('OFDY000020', 'OFDY000021'),
    issue_surcharge: charges['issue_surcharge'] ?? undefined,
    redemption_fee: charges['redemption_fee'] ?? undefined,
  }
  sink.row('price', storable('price', values), place)
}

const kidTitles: Readonly<Record<string, string>> = { de: 'Basisinformationsblatt' }

interface KidFields {
  readonly url: OfId
  readonly day: OfId
  /** Absent: openfunds does not say for which countries it is. */
  readonly country?: string
}

const kidFields: readonly KidFields[] = [
  { url: 'OFEP000750', day: 'OFEP000700' },
  { url: 'OFEP080600', day: 'OFEP080500', country: 'GB' },
  { url: 'OFEP081600', day: 'OFEP081500', country: 'GB' },
]

const documentsOf = (record: OpenRecord, of: TextOf, sink: RowSink) =>
  kidFields.flatMap((fields) => kidsOf(record, fields, of, sink))

function kidsOf(
  { values, place }: OpenRecord,
  { url: id, day, country }: KidFields,
  of: TextOf,
  sink: RowSink,
) {
  const found = [...values].filter(([key, url]) => key.startsWith(id) && typeof url === 'string')
  const date = of(day)
  return found.flatMap(([key, url]) => {
    const language = /\(([a-z]{2})/.exec(key)?.[1]
    if (language === undefined)
      sink.leftOut(`a KID whose language the file does not say: its field names it, as in ${id}(de)`, place)
    else if (typeof date !== 'string') sink.leftOut(`a KID without its day (${day})`, place)
    else {
      const title = kidTitles[language] ?? 'Key information document'
      return [{ kind: 'kid', language, date, ...(country !== undefined && { country }), title, url }]
    }
    return []
  })
}

function profileValues(of: TextOf, record: OpenRecord, sink: Telling): Values {
  const { place } = record
  const efama = of('OFST350100')
  const policy = of('OFST020400')
  const flag = typeof policy === 'string' ? accumulatingWords.get(policy.trim().toLowerCase()) : policy
  if (typeof policy === 'string' && flag === undefined)
    sink.leftOut(`a distribution policy that the profile has no place for: ${policy}`, place)
  const percent = (...ids: readonly OfId[]) => percentIn(of, ids, record, sink)
  return {
    // The categories of the BVI are codes, those of EFAMA are words.
    category_de: either(of, 'OFST350100', 'OFST730010'),
    category_en: efama,
    benchmark: benchmarkOf(of('OFST023200')),
    end_of_fiscal_year: of('OFST010440'),
    accumulating: flag,
    conformity: conformityOf(of('OFST160040'), place, sink),
    issue_surcharge: percent('OFST451320', 'OFST451340'),
    redemption_fee: percent('OFST451420', 'OFST451440'),
    total_expense_ratio: percent(typeof of('OFST452120') === 'string' ? 'OFST452120' : 'OFST452200'),
    management_fee: percent('OFST452000'),
    custodian_bank_fee: percent('OFST451040'),
    performance_fee: of('OFST451027'),
    ...minimumOf(of, place, sink),
  }
}

/** Directives are also named by their number (UCITS IV) and in German. */
function conformityOf(directive: Value | undefined, place: string, sink: Telling): Value | undefined {
  if (typeof directive !== 'string') return directive
  const text = directive.trim()
  if (/^(?:UCITS|OGAW)\b/i.test(text)) return 1
  if (/^(?:AIF|AIFM|AIFMD|non[- ]?UCITS|neither|none|no)$/i.test(text)) return 0
  sink.leftOut(`a directive that is not known (OFST160040): ${printable(text)}`, place)
  return undefined
}

/** `[0.4]MSCI World|[0.6]iBoxx` is 40 % MSCI World, 60 % iBoxx. */
function benchmarkOf(text: Value | undefined): Value | undefined {
  if (typeof text !== 'string') return text
  const parts = text.split('|').map((part) => {
    const [, weight, name = part] = /^\[([0-9]*(?:\.[0-9]+)?)\]([^]*)$/.exec(part.trim()) ?? []
    return /[0-9]/.test(weight ?? '') ? `${percentOf(weight ?? '')} % ${name.trim()}` : name.trim()
  })
  return parts.join(', ')
}

/** @returns the sum of fractions as a percentage */
function percentIn(
  of: TextOf,
  ids: readonly OfId[],
  { isin, place }: OpenRecord,
  sink: Telling,
): Value | undefined {
  const known = ids.map(of).filter((value) => value !== undefined)
  const fractions = known.filter((value) => typeof value === 'string')
  if (fractions.length === 0) return known.length === 0 ? undefined : null
  const negative = ids.find((id) => Number(of(id) ?? 0) < 0)
  if (negative !== undefined) {
    sink.bad(place, [`${negative} is ${String(of(negative))}, below 0, which cannot be`])
    sink.spoilt('profile', { isin }, place)
    return undefined
  }
  const large = ids.find((id) => Number(of(id) ?? 0) >= 1)
  if (large === undefined) return Number(percentOf(sumOf(fractions)))
  const given = String(of(large))
  sink.bad(place, [
    `${large} is ${given}, that is ${percentOf(given)} %: openfunds writes fractions, 0.05 for 5 %`,
  ])
  sink.spoilt('profile', { isin }, place)
  return undefined
}

function minimumOf(of: TextOf, place: string, sink: Telling): Values {
  const minimum = of('OFST400230')
  if (typeof minimum !== 'string') return {}
  const currency = of('OFST400240')
  if (typeof currency === 'string' && currency === of('OFST020540'))
    return { one_time_investment: 1, one_time_investment_minimum: minimum }
  sink.leftOut('a minimal subscription in a currency that is not known to be that of its share class', place)
  return {}
}

const emtColumns = {
  ongoing_costs_date: 'OFEM081000',
  ongoing_costs: 'OFEM080300',
  transaction_costs_date: 'OFEM071600',
  transaction_costs: 'OFEM071300',
  incidental_costs_date: 'OFEM071600',
  incidental_costs: 'OFEM071400',
  entry_costs: 'OFEM080250',
  governanceprocess: 'OFEM000750',
  compatible_for_clients_with_esg_preferences: 'OFEM051050',
  other_specific_investment_need: 'OFEM051150',
} as const satisfies Readonly<Record<string, OfId>>

/** Costs are fractions in both. */
function emtValues(of: TextOf): Values {
  const found = Object.entries(emtColumns).map(([column, id]) => [column, of(id)] as const)
  return {
    srri: either(of, 'OFEM040200', 'OFST024000'),
    ...Object.fromEntries(found),
  }
}
