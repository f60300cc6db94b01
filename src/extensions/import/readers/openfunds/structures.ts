/**
 * Breakdowns: a line an item, of which the newest day of a share class counts. Each replaces the structure that the database has. Source:
 * "Fund Ratios and Exposures" of the field list of openfunds, version 1.28.
 */

import { quoted } from '../../../../core/data/model/printable.ts'
import { percentOf } from '../../decimals.ts'
import { leftTotal, totalsOf } from '../../totals.ts'
import type { Value } from '../../values.ts'
import { asItIs, codeOfNoCountry, countryName, currencyName, type Named } from '../code-names.ts'
import type { RowSink } from '../reader.ts'

/** What a line says of a breakdown. */
export interface BreakdownLine {
  readonly isin: string
  /** It is an item, though it looks like a total. */
  readonly isKept: boolean
  readonly place: string
  /** OFRE100100: the OF-ID of the breakdown. */
  readonly id: string
  /** OFRE100000 */
  readonly date: Value | undefined
  /** OFRE100108 */
  readonly name: Value | undefined
  /** OFRE100110, a fraction */
  readonly share: Value | undefined
}

interface Breakdown {
  readonly type: string
  readonly nameOf: (text: string) => Named
  /** Readers see so many. */
  readonly most: number
}

interface Item {
  readonly name: string
  readonly share: string
  readonly isKept: boolean
  readonly place: string
}

/** Those of one breakdown and share class. */
interface Items {
  readonly isin: string
  readonly id: string
  date: string
  items: Item[]
}

/** Items of all breakdowns, sectors of equities and bonds, and sizes of companies, as openfunds lists them. */
const wordLines = `
Cash = Kasse
Other = Sonstige
Not Rated = Ohne Rating
Communication Services = Kommunikationsdienste
Consumer Discretionary = Nicht-Basiskonsumgüter
Consumer Staples = Basiskonsumgüter
Energy = Energie
Financials = Finanzwesen
Health Care = Gesundheitswesen
Industrials = Industrie
Technology = Technologie
Materials = Grundstoffe
Real Estate = Immobilien
Utilities = Versorger
Government = Staaten
Government-Related Regional and Local = Regionen und Gemeinden
Government-Related Development Bank and Supranational = Förderbanken und überstaatliche Einrichtungen
ABS (Asset Backed Securities) = Forderungsbesicherte Wertpapiere (ABS)
Large Cap = Große Unternehmen
Mid Cap = Mittlere Unternehmen
Small Cap = Kleine Unternehmen`

const words = new Map(
  wordLines
    .trim()
    .split('\n')
    .map((line) => {
      const [en = '', de = ''] = line.split(' = ')
      return [en.toLowerCase(), { de, en }] as const
    }),
)

const word = (text: string): Named => words.get(text.toLowerCase()) ?? asItIs(text)
const ofCode = (nameOf: (text: string) => Named) => (text: string) =>
  words.get(text.toLowerCase()) ?? nameOf(text)
const currency = (text: string): Named =>
  text === 'XXX' ? { de: 'Ohne Währung', en: 'No currency' } : currencyName(text)

const breakdowns: Readonly<Record<string, Breakdown>> = {
  OFRE000500: { type: 'top_values', nameOf: asItIs, most: 10 },
  OFRE000520: { type: 'countries', nameOf: ofCode(countryName), most: Infinity },
  // Before the hedging of classes, and with derivatives.
  OFRE000540: { type: 'currencies_derivatives', nameOf: ofCode(currency), most: Infinity },
  OFRE000560: { type: 'industrial_sectors', nameOf: word, most: Infinity },
  OFRE000565: { type: 'industrial_sectors', nameOf: word, most: Infinity },
  OFRE000570: { type: 'market_capitalization', nameOf: word, most: Infinity },
}

/** Exposures together are seldom more than the fund; percentages always are. */
const mostTogether = 3

export function openStructures(sink: RowSink) {
  const found = new Map<string, Items>()
  let last: { readonly isin: string; readonly type: string } | undefined
  /** A bad line of a list that nobody knows, until the next item. */
  let unknown: string | undefined

  /** Notes a bad line. Without its share class or its breakdown it counts for the lists above and below. */
  const spoil = (place: string, isin: Value | undefined, id: Value | undefined): void => {
    const type = typeof id === 'string' ? breakdowns[id.trim().toUpperCase()]?.type : undefined
    if (typeof id === 'string' && type === undefined) return
    const isKnown = typeof isin === 'string' && type !== undefined
    if (!isKnown) unknown ??= place
    const own = isKnown ? { isin, type } : last
    if (own !== undefined) sink.spoilt('structure_item', own, place)
  }

  const take = ({ isin, isKept, place, id, date, name, share }: BreakdownLine): void => {
    const type = breakdowns[id]?.type
    if (type === undefined) {
      sink.leftOut(`a figure or breakdown ${id}, for which no structure has a place`, place)
      return
    }
    last = { isin, type }
    if (unknown !== undefined) sink.spoilt('structure_item', last, unknown)
    unknown = undefined
    if (typeof share !== 'string' || typeof name !== 'string') {
      sink.bad(place, [`an item of ${id} needs its name (OFRE100108) and its value (OFRE100110)`])
      sink.spoilt('structure_item', { isin, type }, place)
      return
    }
    const day = typeof date === 'string' ? date : ''
    const key = `${isin} ${id}`
    const own = found.get(key) ?? { isin, id, date: day, items: [] }
    found.set(key, own)
    if (day < own.date) {
      sink.leftOut('an item of a breakdown of an earlier day', place)
      return
    }
    if (day > own.date) {
      for (const item of own.items) sink.leftOut('an item of a breakdown of an earlier day', item.place)
      own.items = []
      own.date = day
    }
    const same = own.items.find((item) => item.name === name)
    if (same === undefined) own.items.push({ name, share, isKept, place })
    // Lines of a day repeat what is said once a month.
    else if (same.share !== share) {
      sink.bad(place, [`item ${quoted(name)} of ${id} is ${share}, but ${same.share} in ${same.place}`])
      sink.spoilt('structure_item', { isin, type }, place)
    }
  }

  const end = (): void => {
    const taken = new Set<string>()
    for (const { isin, id, items: all } of found.values()) {
      const items = withoutTotals(all)
      const breakdown = breakdowns[id]
      const place = items[0]?.place ?? ''
      const key = `${isin} ${breakdown?.type ?? ''}`
      // A total alone says nothing: the list of the database stays.
      if (breakdown === undefined || items.length === 0) continue
      const together = items.reduce((sum, { share }) => sum + Number(share), 0)
      if (together > mostTogether)
        sink.bad(place, [
          `the items of ${id} are ${String(Number((together * 100).toFixed(2)))} % together: openfunds writes fractions, 0.05 for 5 %`,
        ])
      else if (taken.has(key))
        sink.leftOut(`a breakdown ${id} beside another one that fills the same structure`, place)
      else {
        taken.add(key)
        emit(isin, breakdown, items, place)
      }
    }
  }

  const withoutTotals = (items: readonly Item[]): readonly Item[] => {
    const found = totalsOf(items, ({ share }) => Number(share) * 100, false)
    const totals = new Set([...found].filter(({ isKept }) => !isKept))
    for (const { name, place } of totals) sink.leftOut(leftTotal(name), place)
    return items.filter((item) => !totals.has(item))
  }

  const emit = (isin: string, { type, nameOf, most }: Breakdown, items: readonly Item[], place: string) => {
    sink.gone('structure_item', { isin, type }, place)
    for (const [index, item] of items.slice(0, most).entries()) {
      const { de, en } = nameOf(item.name)
      const code = type === 'countries' ? codeOfNoCountry(item.name) : undefined
      if (code !== undefined) sink.leftOut(code, item.place)
      const percent = Number(percentOf(item.share))
      const position = index + 1
      sink.row('structure_item', { isin, type, position, name_de: de, name_en: en, percent }, item.place)
    }
  }

  return { take, spoil, end }
}
