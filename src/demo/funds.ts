/** One fund as it is before a price is known: numbers, name, kind, exceptions, costs, launch. A pure function of seed and number. */

import { type Draws, randomFor } from '../system/random.ts'
import { dateAt, indexOnOrAfter, type Period } from './calendar.ts'

export type Instrument = ReturnType<typeof instrument>

export function instrument(seed: number, number: number, period: Period) {
  /** A stream of random numbers of this fund alone, the same whenever the same topic is asked for. */
  const randomOf = (topic: string) => randomFor(seed, number, topic)
  const place = fundPlaceOf(seed, number)
  const traits = traitsOf[place.kind]
  const random = randomOf('instrument')
  const inception = launchDay(place, randomOf('launch'), period)
  const { isin, wkn } = securityNumbers(seed, number, place.country)
  return {
    number,
    isin,
    wkn: place.hasWkn ? wkn : null,
    ...fundName(place.kind, ordinalWithinKind(number), place.currency),
    kind: place.kind,
    traits,
    place,
    /** Calendar indices of the launch, and of the first price that the database has. */
    inception,
    firstPrice: Math.max(inception, period.first),
    /** Hundredths of a percent. */
    surcharge: random.pick(traits.fees.surcharges),
    redemptionFee: random.pick(traits.fees.redemption),
    accumulating: !random.chance(traits.distribution.chance),
    /** 'MM-DD' */
    endOfFiscalYear: random.pick(['12-31', '12-31', '09-30', '03-31', '06-30']),
    randomOf,
  }
}

/** Calendar index. A longer past does not move it, so the prices of a day stay the same when `until` moves on. */
function launchDay(place: FundPlace, random: Draws, { calendar, first, last }: Period): number {
  const until = dateAt(calendar, last)
  const day = `${pad(random.whole(1, 12))}-${pad(random.whole(1, 28))}`
  if (place.exception === 'youngerThanAYear') return indexOnOrAfter(calendar, twoQuartersBefore(until))
  if (place.launched === 'longAgo')
    return Math.min(first, indexOnOrAfter(calendar, `${random.whole(1992, 2013)}-${day}`))
  const ago = place.launched === 'recently' ? random.whole(2, 6) : 2
  return indexOnOrAfter(calendar, `${Number(until.slice(0, 4)) - ago}-${day}`)
}

/** Start of a quarter: six to nine months before the date. */
function twoQuartersBefore(date: string): string {
  const quarter = Math.floor((Number(date.slice(5, 7)) - 1) / 3)
  if (quarter >= 2) return `${date.slice(0, 4)}-${pad(quarter * 3 - 5)}-01`
  return `${Number(date.slice(0, 4)) - 1}-${pad(quarter * 3 + 7)}-01`
}

const pad = (value: number) => String(value).padStart(2, '0')

export type Region = 'germany' | 'europe' | 'america' | 'asia' | 'emerging' | 'global'

/** Themes of each kind of fund: the name, then the region that it invests in. */
const themes: Readonly<Record<FundKind, readonly Theme[]>> = {
  equity: themesOf(`
    Aktien Europa = europe; Mittelstand & Familienunternehmen = germany;
    Technologie & Innovation = global; Aktien Schwellenländer = emerging; Dividende Global = global;
    Nebenwerte Deutschland = germany; Aktien Nordamerika = america; Wasser & Böden = global;
    Aktien Asien-Pazifik = asia`),
  bond: themesOf(`
    Renten Global = global; Unternehmensanleihen Europa = europe;
    Pfandbriefe & Kommunalanleihen = germany; Hochzinsanleihen Europa = europe; Grüne Anleihen = europe;
    Renten Nordamerika = america; Anleihen Schwellenländer = emerging`),
  mixed: themesOf(`
    Vermögensaufbau Ausgewogen = global; Stiftungsfonds Lübecker Bucht = europe;
    Ertrag & Sicherheit = europe; Brückner & Söhne Strategie = global; Rücklage Plus = germany`),
  realEstate: themesOf('ImmoEuropa = europe; Wohnen & Quartiere = germany; Büro & Handel Global = global'),
  moneyMarket: themesOf('Geldmarkt = europe; Tagesgeld Alternative = germany'),
}

type Theme = readonly [name: string, region: Region]

function themesOf(text: string): readonly Theme[] {
  return text.split(';').map((entry) => entry.trim().split(' = ') as [string, Region])
}

const shareClasses = ['', ' A', ' I', ' R', ' TF', ' V']

/** The n-th fund of a kind, n from 0; no two funds of a currency have the same name. */
function fundName(kind: FundKind, ordinal: number, currency: string): { name: string; region: Region } {
  const ofKind = themes[kind]
  const theme = ofKind[ordinal % ofKind.length]
  if (theme === undefined) throw new RangeError(`no ${kind} fund ${ordinal}`)
  const round = Math.floor(ordinal / ofKind.length)
  const shareClass = shareClasses[round % shareClasses.length] ?? ''
  const series = Math.floor(round / shareClasses.length)
  const name = `Möwenstein ${theme[0]}${series > 0 ? ` ${series + 1}` : ''}${shareClass}`
  return { name: currency === 'EUR' ? name : `${name} (${currency})`, region: theme[1] }
}

export type FundKind = 'equity' | 'bond' | 'mixed' | 'realEstate' | 'moneyMarket'

type Bounds = readonly [low: number, high: number]

interface KindTraits {
  readonly category: readonly [german: string, english: string]
  /** Digits after the point of prices and amounts. */
  readonly decimals: 2 | 4
  readonly startPrices: readonly number[]
  /**
   * Fractions: the annual return that does not come from the markets, the part of the daily returns of the equity market
   * and of the bond market that the fund takes, and the daily standard deviation of its own movement.
   */
  readonly returns: Readonly<Record<'drift' | 'equityBeta' | 'bondBeta' | 'volatility', Bounds>>
  /** The probability that the fund distributes, and the fraction of the NAV a year. */
  readonly distribution: { readonly chance: number; readonly yield: Bounds }
  /** Hundredths of a percent. */
  readonly fees: Readonly<Record<'surcharges' | 'redemption', readonly number[]> & { management: Bounds }>
  readonly sharesMillions: Bounds
}

const traitsOf: Readonly<Record<FundKind, KindTraits>> = {
  equity: {
    category: ['Aktienfonds', 'Equity fund'],
    decimals: 2,
    startPrices: [50, 100, 100, 40.9],
    returns: { drift: [-0.015, 0.02], equityBeta: [0.75, 1.2], bondBeta: [0, 0], volatility: [0.002, 0.005] },
    distribution: { chance: 0.5, yield: [0.008, 0.032] },
    fees: { surcharges: [500, 500, 400, 525], redemption: [0, 0, 0, 100], management: [110, 180] },
    sharesMillions: [0.2, 18],
  },
  bond: {
    category: ['Rentenfonds', 'Bond fund'],
    decimals: 2,
    startPrices: [50, 100, 1000],
    returns: {
      drift: [0.012, 0.026],
      equityBeta: [0, 0.06],
      bondBeta: [0.4, 1.5],
      volatility: [3e-4, 9e-4],
    },
    distribution: { chance: 0.65, yield: [0.01, 0.03] },
    fees: { surcharges: [300, 250, 200], redemption: [0], management: [45, 90] },
    sharesMillions: [0.3, 12],
  },
  mixed: {
    category: ['Mischfonds', 'Mixed fund'],
    decimals: 2,
    startPrices: [50, 100],
    returns: {
      drift: [0.002, 0.014],
      equityBeta: [0.25, 0.65],
      bondBeta: [0.3, 0.8],
      volatility: [8e-4, 0.002],
    },
    distribution: { chance: 0.5, yield: [0.008, 0.025] },
    fees: { surcharges: [400, 300, 500], redemption: [0, 0, 50], management: [90, 150] },
    sharesMillions: [0.1, 9],
  },
  realEstate: {
    category: ['Offener Immobilienfonds', 'Open-ended real estate fund'],
    decimals: 2,
    startPrices: [50, 100],
    returns: {
      drift: [0.018, 0.034],
      equityBeta: [0, 0.004],
      bondBeta: [0, 0.02],
      volatility: [1e-4, 3e-4],
    },
    distribution: { chance: 1, yield: [0.012, 0.024] },
    fees: { surcharges: [500, 550], redemption: [0, 0, 100], management: [60, 100] },
    sharesMillions: [4, 90],
  },
  moneyMarket: {
    category: ['Geldmarktfonds', 'Money market fund'],
    decimals: 4,
    startPrices: [50, 100],
    returns: { drift: [0.006, 0.021], equityBeta: [0, 0], bondBeta: [0, 0.01], volatility: [2e-5, 6e-5] },
    distribution: { chance: 0, yield: [0, 0] },
    fees: { surcharges: [0], redemption: [0], management: [8, 25] },
    sharesMillions: [0.5, 30],
  },
}

export interface FundPlace {
  readonly kind: FundKind
  readonly country: Country
  readonly currency: string
  /** What makes a fund special: at most one thing. */
  readonly exception:
    | 'dataDenied'
    | 'pricesDenied'
    | 'performanceDenied'
    | 'youngerThanAYear'
    | 'fundRowOnly'
    | 'undated'
    | 'withoutFigures'
    | 'none'
  readonly hasWkn: boolean
  /** Long before the first price; in the year two before that of the last price; or two to six years before it. */
  readonly launched: 'longAgo' | 'twoYearsAgo' | 'recently'
  /** Has all structure types of its kind, not just some. */
  readonly complete: boolean
}

const german = { country: 'DE', currency: 'EUR' } as const
const ordinary = { ...german, exception: 'none', hasWkn: true, launched: 'longAgo', complete: false } as const
const undated = { exception: 'undated', hasWkn: false, launched: 'twoYearsAgo' } as const

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
  { ...ordinary, kind: 'mixed', country: 'LU', ...undated },
  { ...ordinary, kind: 'bond', exception: 'withoutFigures' },
]

/** After the first twelve: mostly in euro, one in ten launched recently, one in sixty without a WKN. */
export function fundPlaceOf(seed: number, number: number): FundPlace {
  const place = firstPlaces[number % firstPlaces.length]
  if (place === undefined) throw new RangeError(`no fund number ${number}`)
  if (number < firstPlaces.length) return place
  const random = randomFor(seed, number, 'place')
  return {
    ...ordinary,
    kind: place.kind,
    country: place.country,
    currency: random.chance(0.78) ? 'EUR' : random.pick(['USD', 'USD', 'CHF', 'GBP']),
    hasWkn: number % 60 !== 10,
    launched: random.chance(0.1) ? 'recently' : 'longAgo',
  }
}

/** How many funds of the same kind come before this one. */
export function ordinalWithinKind(number: number): number {
  const round = Math.floor(number / firstPlaces.length)
  const position = number % firstPlaces.length
  const kind = firstPlaces[position]?.kind
  const alike = (places: readonly FundPlace[]) => places.filter((place) => place.kind === kind).length
  return round * alike(firstPlaces) + alike(firstPlaces.slice(0, position))
}

export type Country = 'DE' | 'LU' | 'AT'

/** The digits and letters of a WKN: I and O are left out, because they look like 1 and 0. */
const wknCharacters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** How many funds the invented block of WKNs has room for. */
export const mostFunds = 34 * 34 * 34 * 34

/**
 * A German ISIN contains the WKN, the German number.
 * @param number of the fund, from 0; different numbers give different securities for the same seed
 */
export function securityNumbers(
  seed: number,
  number: number,
  country: Country,
): { isin: string; wkn: string } {
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
