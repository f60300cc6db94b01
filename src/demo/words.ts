/** The words of demo data: breakdowns, countries, currencies, and invented issuers that say nothing about real ones. */

import type { Region } from './funds.ts'

/** A German name and, if it differs, the English one. */
export type Name = readonly [german: string, english?: string]

/** The two columns of a name. */
export const inBoth = <N extends string>(column: N, [german, english]: Name) =>
  ({ [`${column}De`]: german, [`${column}En`]: english ?? null }) as Record<`${N}De`, string> &
    Record<`${N}En`, string | null>

/** Reads a list: entries end with a semicolon, and ` = ` separates the German name from the English one. */
export const names = (text: string): readonly Name[] =>
  text.split(';').map((entry) => entry.trim().split(' = ') as [string, string?])

export const assetClasses = names(`
  Aktien Industrieländer = Developed market equities; Staatsanleihen = Government bonds;
  Unternehmensanleihen = Corporate bonds; Aktien Schwellenländer = Emerging market equities;
  Rohstoffe = Commodities; Immobilien = Real estate; Geldmarkt = Money market`)
export const buildingAges = names(`
  bis 5 Jahre = up to 5 years; 5 bis 10 Jahre = 5 to 10 years; 10 bis 15 Jahre = 10 to 15 years;
  15 bis 20 Jahre = 15 to 20 years; > 20 Jahre = > 20 years`)
export const companySizes = names(`
  < 2 Mrd. = < 2 bn; 2 bis 10 Mrd. = 2 to 10 bn; 10 bis 50 Mrd. = 10 to 50 bn; > 50 Mrd. = > 50 bn`)
export const correlated = names(`
  Weltaktien = World equities; Euro-Staatsanleihen = Euro government bonds; Gold; Rohstoffe = Commodities;
  Geldmarkt = Money market`)
export const creditSegments = names(`
  Investment Grade; High Yield; Nachranganleihen = Subordinated bonds; ohne Rating = not rated`)
export const exposures = names(`
  Aktien (netto) = Equities (net); Anleihen (netto) = Bonds (net); Rohstoffe = Commodities`)
export const collateral: Name = ['Kasse & Sicherheiten', 'Cash & collateral']
export const fundCategories = names(`
  Aktienfonds = Equity funds; Rentenfonds = Bond funds; Indexfonds & ETFs = Index funds & ETFs;
  Rohstofffonds = Commodity funds`)
export const indices = names(`
  Elbe 40; Elbe & Rhein Mid 60; Alster Small Cap; nicht im Index = not in the index`)

/** The five breakdowns that each fund company defines for itself. */
export const individual = [
  names('Substanz = Value; Wachstum = Growth; Qualität = Quality'),
  names(`
    Kernanlagen = Core holdings; Beimischungen = Satellite holdings; Liquidität = Cash`),
  names(`
    Eigene Fonds = In-house funds; Fremde Fonds = Third-party funds; Direktanlagen = Direct holdings`),
  names('Ökologie = Environment; Soziales = Social; Ohne Merkmal = No characteristic'),
  names(`
    Chance = Opportunity; Ertrag = Income; Stabilität = Stability; Absicherung = Protection`),
]
export const industries = names(`
  Informationstechnologie = Information technology; Finanzwesen = Financials; Industrie = Industrials;
  Gesundheitswesen = Health care; Nicht-Basiskonsumgüter = Consumer discretionary;
  Roh-, Hilfs- & Betriebsstoffe = Materials; Energie = Energy; Sonstige = Other`)
export const preciousMetals = names('Gold; Silber = Silver; Platin = Platinum; Palladium')
export const propertyUses = names(`
  Büro = Office; Handel & Gastronomie = Retail & restaurants; Logistik = Logistics; Wohnen = Residential;
  Hotel; Stellplätze = Parking`)
export const sectors = names(`
  Technologie = Technology; Industriegüter & Dienstleistungen = Industrial goods & services;
  Gesundheit = Health care; Banken = Banks; Versicherungen = Insurance; Chemie = Chemicals`)
export const securities = names(`
  Staatsanleihen = Government bonds; Unternehmensanleihen = Corporate bonds; Pfandbriefe = Covered bonds;
  "Grüne" Anleihen = "Green" bonds; Floater`)
export const shortTerms = names(`
  täglich fällig = due daily; bis 1 Monat = up to 1 month; 1 bis 3 Monate = 1 to 3 months;
  3 bis 6 Monate = 3 to 6 months; 6 bis 12 Monate = 6 to 12 months`)
export const supersectors = names(`
  Software & Computerdienste = Software & computer services; Halbleiter = Semiconductors;
  Pharma & Biotechnologie = Pharmaceuticals & biotechnology; Lebensversicherung = Life insurance;
  Sonstige = Other`)
export const terms = names(`
  < 1 Jahr = < 1 year; 1 bis 3 Jahre = 1 to 3 years; 3 bis 5 Jahre = 3 to 5 years;
  5 bis 7 Jahre = 5 to 7 years; 7 bis 10 Jahre = 7 to 10 years; > 10 Jahre = > 10 years`)

/** Countries that funds invest in, by region; usually the largest first. */
export const countriesOf: Readonly<Record<Region, readonly Name[]>> = {
  germany: names(`
    Deutschland = Germany; Niederlande = Netherlands; Österreich = Austria; Frankreich = France;
    Schweiz = Switzerland; Luxemburg = Luxembourg`),
  europe: names(`
    Deutschland = Germany; Frankreich = France; Großbritannien & Nordirland = United Kingdom;
    Schweiz = Switzerland; Niederlande = Netherlands; Italien = Italy; Schweden = Sweden; Polen = Poland`),
  america: names('USA; Kanada = Canada; Mexiko = Mexico; Bermuda; Irland = Ireland'),
  asia: names(`
    Japan; Australien = Australia; Südkorea = South Korea; Taiwan; China; Singapur = Singapore`),
  emerging: names(`
    China; Indien = India; Taiwan; Brasilien = Brazil; Südkorea = South Korea; Südafrika = South Africa`),
  global: names(`
    USA; Japan; Deutschland = Germany; Großbritannien & Nordirland = United Kingdom; Frankreich = France;
    Schweiz = Switzerland; Kanada = Canada; China`),
}

export const currenciesOf: Readonly<Record<Region, readonly Name[]>> = {
  germany: names('Euro; Schweizer Franken = Swiss franc; US-Dollar = US dollar'),
  europe: names(`
    Euro; Britisches Pfund = Pound sterling; Schweizer Franken = Swiss franc;
    Schwedische Krone = Swedish krona; Dänische Krone = Danish krone`),
  america: names('US-Dollar = US dollar; Kanadischer Dollar = Canadian dollar; Euro'),
  asia: names(`
    Japanischer Yen = Japanese yen; Australischer Dollar = Australian dollar; Won;
    Hongkong-Dollar = Hong Kong dollar; Euro`),
  emerging: names(`
    US-Dollar = US dollar; Indische Rupie = Indian rupee; Renminbi; Brasilianischer Real = Brazilian real;
    Euro`),
  global: names(`
    US-Dollar = US dollar; Euro; Japanischer Yen = Japanese yen; Britisches Pfund = Pound sterling;
    Schweizer Franken = Swiss franc`),
}

/** The name of a fund's own currency. */
export const currencyName = (code: string): Name =>
  (
    ({
      EUR: ['Euro'],
      USD: ['US-Dollar', 'US dollar'],
      GBP: ['Britisches Pfund', 'Pound sterling'],
      CHF: ['Schweizer Franken', 'Swiss franc'],
    }) as Readonly<Record<string, Name>>
  )[code] ?? [code]

export const companies = names(`
  Nordhafen Logistik AG; Albtal Pharma SE; Sommerfeld & Töchter KGaA; Kranich Halbleiter AG;
  Société Lumière S.A.; Bergwerth Rück AG; Øresund Vind A/S; Hansekontor Bank AG; Great Lakes Rail Inc.;
  O'Leary Foods plc; Isar Optik SE; Maas & Schelde Chemie N.V.; Kitano Robotics K.K.; Weser Energie AG;
  Aurelia Software SpA`)
export const debtors = names(`
  Hypothekenbank Elbtal; Land Nordmark; Kranich Halbleiter; Republik Südmeer; Weser Energie;
  Kommunalkasse Oberland; Maas & Schelde Chemie; Förderbank Alpenrand; Hansekontor Bank; Great Lakes Rail;
  Stadt Neuhafen; Bergwerth Rück`)
export const bonusPapers = names(`
  Gold-ETC Elbtal; Bonuszertifikat Elbe 40; Discount Rhein & Ruhr; Silber-ETC Elbtal;
  Expresszertifikat Alster`)
export const targetFunds = names(`
  Möwenstein Aktien Europa I; Möwenstein Renten Global I; Alster ETF World; Kranich High Yield Fund;
  Elbtal Rohstoffe; Fördekapital Nordic Bonds; Oberland Mikrofinanz`)
