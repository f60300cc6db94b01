/** One fund as it is before a price is known: numbers, name, kind, exceptions, costs, launch. A pure function of seed and number. */

import { type Draws, randomFor } from '../../core/system/random.ts'
import { dateAt, indexOnOrAfter, type Period } from './calendar.ts'
import { entryNamed, type FundKind, kinds, regions } from './market.ts'

export type Instrument = ReturnType<typeof instrument>

export function instrument(seed: number, number: number, period: Period) {
  /** A stream of random numbers of this fund alone, the same whenever the same topic is asked for. */
  const randomOf = (topic: string) => randomFor(seed, number, topic)
  const place = fundPlaceOf(seed, number)
  const kind = kinds[place.kind]
  const random = randomOf('instrument')
  const inception = launchDay(place, randomOf('launch'), period)
  const { isin, wkn } = securityNumbers(seed, number, place.country)
  return {
    number,
    isin,
    wkn: place.hasWkn ? wkn : null,
    ...nameAndRegion(place, ordinalWithinKind(number)),
    kind,
    place,
    /** Calendar indices of the launch, and of the first price that the database has. */
    inception,
    firstPrice: Math.max(inception, period.first),
    /** Hundredths of a percent. */
    surcharge: random.pick(kind.surcharges),
    redemptionFee: random.pick(kind.redemptionFees),
    accumulating: !random.chance(kind.distributionChance),
    /** 'MM-DD' */
    endOfFiscalYear: random.pick(['12-31', '12-31', '09-30', '03-31', '06-30']),
    randomOf,
  }
}

/** Calendar index. Neither a longer past nor the next day moves it, so the prices of a day stay the same. */
function launchDay(place: FundPlace, random: Draws, { calendar, first, last }: Period): number {
  const until = dateAt(calendar, last)
  const thisYear = Number(until.slice(0, 4))
  const [month, day] = [random.whole(1, 12), random.whole(1, 28)].map((value) =>
    String(value).padStart(2, '0'),
  )
  const inYear = (year: number) => indexOnOrAfter(calendar, `${year}-${month}-${day}`)
  if (place.exception === 'youngerThanAYear')
    return indexOnOrAfter(calendar, until.slice(5) < '07' ? `${thisYear - 1}-07-01` : `${thisYear}-01-01`)
  if (place.yearsAgo === undefined) return Math.min(first, inYear(random.whole(1992, 2013)))
  return inYear(thisYear - random.whole(...place.yearsAgo))
}

const shareClasses = ['', ' A', ' I', ' R', ' TF', ' V']

/** @param ordinal among the funds of the kind, from 0; no two funds of a currency have the same name */
function nameAndRegion({ kind, currency }: FundPlace, ordinal: number) {
  const themes = Object.entries(kinds[kind].themes)
  const [theme, region] = themes[ordinal % themes.length] ?? ['', '']
  const round = Math.floor(ordinal / themes.length)
  const shareClass = shareClasses[round % shareClasses.length] ?? ''
  const series = Math.floor(round / shareClasses.length)
  const name = `Möwenstein ${theme}${series > 0 ? ` ${series + 1}` : ''}${shareClass}`
  return { name: currency === 'EUR' ? name : `${name} (${currency})`, region: entryNamed(regions, region) }
}

interface FundPlace {
  readonly kind: FundKind
  readonly country: Country
  readonly currency: string
  /** What makes a fund special: at most one thing. */
  readonly exception?:
    | 'dataDenied'
    | 'pricesDenied'
    | 'performanceDenied'
    | 'youngerThanAYear'
    | 'fundRowOnly'
    | 'undated'
    | 'withoutFigures'
  readonly hasWkn: boolean
  /** The year of the launch, before that of the last price. Without it, the launch is long before the first price. */
  readonly yearsAgo?: readonly [least: number, most: number]
  /** Has all structure types of its kind, not just some. */
  readonly complete?: true
}

const ordinary = { country: 'DE', currency: 'EUR', hasWkn: true } as const

const firstPlaces: readonly FundPlace[] = [
  { ...ordinary, kind: 'equity', complete: true },
  { ...ordinary, kind: 'bond', complete: true, country: 'LU', currency: 'USD' },
  { ...ordinary, kind: 'mixed', complete: true },
  { ...ordinary, kind: 'realEstate', complete: true },
  { ...ordinary, kind: 'moneyMarket', complete: true },
  { ...ordinary, kind: 'equity', exception: 'dataDenied' },
  { ...ordinary, kind: 'mixed', currency: 'CHF', exception: 'pricesDenied' },
  { ...ordinary, kind: 'equity', currency: 'USD', exception: 'youngerThanAYear' },
  { ...ordinary, kind: 'bond', country: 'AT', exception: 'performanceDenied' },
  { ...ordinary, kind: 'equity', exception: 'fundRowOnly' },
  { ...ordinary, kind: 'mixed', country: 'LU', exception: 'undated', hasWkn: false, yearsAgo: [2, 2] },
  { ...ordinary, kind: 'bond', exception: 'withoutFigures' },
]

/** After the first twelve: mostly in euro, one in ten launched recently, one in sixty without a WKN. */
export function fundPlaceOf(seed: number, number: number): FundPlace {
  const place = firstPlaces[number % firstPlaces.length]
  if (place === undefined) throw new RangeError(`no fund number ${number}`)
  if (number < firstPlaces.length) return place
  const random = randomFor(seed, number, 'place')
  return {
    kind: place.kind,
    country: place.country,
    currency: random.chance(0.78) ? 'EUR' : random.pick(['USD', 'USD', 'CHF', 'GBP']),
    hasWkn: number % 60 !== 10,
    ...(random.chance(0.1) && { yearsAgo: [2, 6] }),
  }
}

/** How many funds of the same kind come before this one. */
function ordinalWithinKind(number: number): number {
  const round = Math.floor(number / firstPlaces.length)
  const position = number % firstPlaces.length
  const kind = firstPlaces[position]?.kind
  const alike = (places: readonly FundPlace[]) => places.filter((place) => place.kind === kind).length
  return round * alike(firstPlaces) + alike(firstPlaces.slice(0, position))
}

type Country = 'DE' | 'LU' | 'AT'

/** The digits and letters of a WKN: I and O are left out, because they look like 1 and 0. */
const wknCharacters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** How many funds the invented block of WKNs has room for. */
export const mostFunds = wknCharacters.length ** 4

/**
 * A German ISIN contains the WKN, the German number.
 * @param number of the fund, from 0; different numbers give different securities for the same seed
 */
export function securityNumbers(seed: number, number: number, country: Country) {
  // An odd factor that 17 does not divide permutes the numbers below mostFunds, so none comes twice.
  const place = (number * 524_287 + (Math.abs(seed) % mostFunds) * 7919) % mostFunds
  const size = wknCharacters.length
  const digits = [size ** 3, size ** 2, size, 1].map((unit) => Math.floor(place / unit) % size)
  const wkn = `FP${digits.map((digit) => wknCharacters[digit]).join('')}`
  // Luxembourg's real ISINs begin with LU00 to LU03, and Austria's have no FP: these belong to nobody.
  const national = country === 'LU' ? `99${String(place).padStart(7, '0')}` : `000${wkn}`
  return { isin: withCheckDigit(country + national), wkn }
}

/** ISO 6166: letters count 10 to 35, then every second digit from the right, the last one first, is doubled. */
function withCheckDigit(stem: string): string {
  const digits = [...stem].map((character) => parseInt(character, 36)).join('')
  let sum = 0
  for (const [i, digit] of [...digits].reverse().entries()) {
    const counted = i % 2 === 0 ? Number(digit) * 2 : Number(digit)
    sum += counted > 9 ? counted - 9 : counted
  }
  return stem + ((10 - (sum % 10)) % 10)
}
