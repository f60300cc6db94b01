/** One fund as it is before a price is known: numbers, name, kind, costs, launch. A pure function of seed and number. */

import { dateAt, indexOnOrAfter, type Period } from './calendar.ts'
import { securityNumbers } from './isin.ts'
import { type FundKind, type FundPlace, fundPlaceOf, kinds, ordinalWithinKind } from './kinds.ts'
import { type Draws, randomFor } from '../system/random.ts'

export type Instrument = ReturnType<typeof instrument>

export function instrument(seed: number, number: number, period: Period) {
  /** A stream of random numbers of this fund alone, the same whenever the same topic is asked for. */
  const randomOf = (topic: string) => randomFor(seed, number, topic)
  const place = fundPlaceOf(seed, number)
  const traits = kinds[place.kind]
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
    Aktien Asien-Pazifik = asia; Substanzwerte Europa = europe; Gesundheit Welt = global;
    Blue Chips Deutschland = germany; Zukunft Ernährung = global; Qualitätsaktien USA = america;
    Dividende Europa = europe; Infrastruktur Welt = global`),
  bond: themesOf(`
    Renten Global = global; Unternehmensanleihen Europa = europe;
    Pfandbriefe & Kommunalanleihen = germany; Hochzinsanleihen Europa = europe; Grüne Anleihen = europe;
    Staatsanleihen Euroraum = europe; Renten Nordamerika = america; Anleihen Schwellenländer = emerging;
    Renten Kurzläufer = germany; Inflationsgeschützte Anleihen = global`),
  mixed: themesOf(`
    Vermögensaufbau Ausgewogen = global; Stiftungsfonds Lübecker Bucht = europe;
    Ertrag & Sicherheit = europe; Multi-Asset Dynamisch = global; Brückner & Söhne Strategie = global;
    Multi-Asset Defensiv = europe; Rücklage Plus = germany; Generationen Wachstum = global;
    Jäger & Sammler Balance = global`),
  realEstate: themesOf(`
    ImmoEuropa = europe; Immobilien Deutschland = germany; Wohnen & Quartiere = germany;
    Büro & Handel Global = global; Logistikimmobilien Nord = europe`),
  moneyMarket: themesOf(`
    Geldmarkt = europe; Liquidität Kurzläufer = europe; Tagesgeld Alternative = germany`),
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
