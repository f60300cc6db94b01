/** Countries and currencies that funds invest in, by the part of the world, usual largest first. */

import type { Region } from '../fund-names.ts'
import type { Name } from '../shares.ts'

const germany: Name = ['Deutschland', 'Germany']
const france: Name = ['Frankreich', 'France']
const netherlands: Name = ['Niederlande', 'Netherlands']
const switzerland: Name = ['Schweiz', 'Switzerland']
const austria: Name = ['Österreich', 'Austria']
const britain: Name = ['Großbritannien & Nordirland', 'United Kingdom']
const usa: Name = ['USA']
const canada: Name = ['Kanada', 'Canada']
const japan: Name = ['Japan']
const korea: Name = ['Südkorea', 'South Korea']
const india: Name = ['Indien', 'India']
const china: Name = ['China']
const taiwan: Name = ['Taiwan']

export const countriesOf: Readonly<Record<Region, readonly Name[]>> = {
  germany: [germany, netherlands, austria, france, switzerland, ['Luxemburg', 'Luxembourg']],
  europe: [
    germany,
    france,
    britain,
    switzerland,
    netherlands,
    ['Spanien', 'Spain'],
    ['Italien', 'Italy'],
    ['Schweden', 'Sweden'],
    ['Dänemark', 'Denmark'],
    austria,
    ['Finnland', 'Finland'],
    ['Polen', 'Poland'],
  ],
  america: [usa, canada, ['Mexiko', 'Mexico'], ['Bermuda'], ['Irland', 'Ireland']],
  asia: [
    japan,
    ['Australien', 'Australia'],
    korea,
    taiwan,
    china,
    india,
    ['Singapur', 'Singapore'],
    ['Hongkong', 'Hong Kong'],
  ],
  emerging: [
    china,
    india,
    taiwan,
    ['Brasilien', 'Brazil'],
    korea,
    ['Südafrika', 'South Africa'],
    ['Mexiko', 'Mexico'],
    ['Indonesien', 'Indonesia'],
    ['Chile'],
    ['Türkei', 'Turkey'],
  ],
  global: [
    usa,
    japan,
    germany,
    britain,
    france,
    switzerland,
    canada,
    netherlands,
    china,
    ['Australien', 'Australia'],
  ],
}

export const euro: Name = ['Euro']
const dollar: Name = ['US-Dollar', 'US dollar']
const franc: Name = ['Schweizer Franken', 'Swiss franc']
const pound: Name = ['Britisches Pfund', 'Pound sterling']
const yen: Name = ['Japanischer Yen', 'Japanese yen']

export const currenciesOf: Readonly<Record<Region, readonly Name[]>> = {
  germany: [euro, franc, dollar],
  europe: [euro, pound, franc, ['Schwedische Krone', 'Swedish krona'], ['Dänische Krone', 'Danish krone']],
  america: [dollar, ['Kanadischer Dollar', 'Canadian dollar'], euro],
  asia: [
    yen,
    ['Australischer Dollar', 'Australian dollar'],
    ['Won'],
    ['Hongkong-Dollar', 'Hong Kong dollar'],
    euro,
  ],
  emerging: [
    dollar,
    ['Indische Rupie', 'Indian rupee'],
    ['Renminbi'],
    ['Brasilianischer Real', 'Brazilian real'],
    euro,
  ],
  global: [dollar, euro, yen, pound, franc],
}

/** The currency that a fund's hedges lead back to. */
export function currencyName(code: string): Name {
  const names: Readonly<Record<string, Name>> = { EUR: euro, USD: dollar, CHF: franc, GBP: pound }
  return names[code] ?? [code]
}
