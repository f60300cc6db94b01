/** Names of the funds of an invented company, and the part of the world that each invests in. */

import type { Kind } from './kinds.ts'

export type Region = 'germany' | 'europe' | 'america' | 'asia' | 'emerging' | 'global'

export interface FundName {
  readonly name: string
  readonly region: Region
}

const themes: Readonly<Record<Kind, readonly (readonly [theme: string, region: Region])[]>> = {
  equity: [
    ['Aktien Europa', 'europe'],
    ['Mittelstand & Familienunternehmen', 'germany'],
    ['Technologie & Innovation', 'global'],
    ['Aktien Schwellenländer', 'emerging'],
    ['Dividende Global', 'global'],
    ['Nebenwerte Deutschland', 'germany'],
    ['Aktien Nordamerika', 'america'],
    ['Wasser & Böden', 'global'],
    ['Aktien Asien-Pazifik', 'asia'],
    ['Substanzwerte Europa', 'europe'],
    ['Gesundheit Welt', 'global'],
    ['Blue Chips Deutschland', 'germany'],
    ['Zukunft Ernährung', 'global'],
    ['Qualitätsaktien USA', 'america'],
    ['Dividende Europa', 'europe'],
    ['Infrastruktur Welt', 'global'],
  ],
  bond: [
    ['Renten Global', 'global'],
    ['Unternehmensanleihen Europa', 'europe'],
    ['Pfandbriefe & Kommunalanleihen', 'germany'],
    ['Hochzinsanleihen Europa', 'europe'],
    ['Grüne Anleihen', 'europe'],
    ['Staatsanleihen Euroraum', 'europe'],
    ['Renten Nordamerika', 'america'],
    ['Anleihen Schwellenländer', 'emerging'],
    ['Renten Kurzläufer', 'germany'],
    ['Inflationsgeschützte Anleihen', 'global'],
  ],
  mixed: [
    ['Vermögensaufbau Ausgewogen', 'global'],
    ['Stiftungsfonds Lübecker Bucht', 'europe'],
    ['Ertrag & Sicherheit', 'europe'],
    ['Multi-Asset Dynamisch', 'global'],
    ['Brückner & Söhne Strategie', 'global'],
    ['Multi-Asset Defensiv', 'europe'],
    ['Rücklage Plus', 'germany'],
    ['Generationen Wachstum', 'global'],
    ['Jäger & Sammler Balance', 'global'],
  ],
  realEstate: [
    ['ImmoEuropa', 'europe'],
    ['Immobilien Deutschland', 'germany'],
    ['Wohnen & Quartiere', 'germany'],
    ['Büro & Handel Global', 'global'],
    ['Logistikimmobilien Nord', 'europe'],
  ],
  moneyMarket: [
    ['Geldmarkt', 'europe'],
    ['Liquidität Kurzläufer', 'europe'],
    ['Tagesgeld Alternative', 'germany'],
  ],
}

const shareClasses = ['', ' A', ' I', ' R', ' TF', ' V']

/** The n-th fund of a kind, n from 0; no two funds of a currency have the same name. */
export function fundName(kind: Kind, ordinal: number, currency: string): FundName {
  const ofKind = themes[kind]
  const theme = ofKind[ordinal % ofKind.length]
  if (theme === undefined) throw new RangeError(`no ${kind} fund ${ordinal}`)
  const round = Math.floor(ordinal / ofKind.length)
  const shareClass = shareClasses[round % shareClasses.length] ?? ''
  const series = Math.floor(round / shareClasses.length)
  const name = `Möwenstein ${theme[0]}${series > 0 ? ` ${series + 1}` : ''}${shareClass}`
  return { name: currency === 'EUR' ? name : `${name} (${currency})`, region: theme[1] }
}
