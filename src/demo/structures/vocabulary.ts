/** The names that structures break a fund down into. The second of a pair is English; one alone is the same in both. */

import type { Name } from '../shares.ts'

export const industries: readonly Name[] = [
  ['Informationstechnologie', 'Information technology'],
  ['Finanzwesen', 'Financials'],
  ['Industrie', 'Industrials'],
  ['Gesundheitswesen', 'Health care'],
  ['Nicht-Basiskonsumgüter', 'Consumer discretionary'],
  ['Basiskonsumgüter', 'Consumer staples'],
  ['Roh-, Hilfs- & Betriebsstoffe', 'Materials'],
  ['Energie', 'Energy'],
  ['Versorgungsbetriebe', 'Utilities'],
  ['Sonstige', 'Other'],
]

export const sectors: readonly Name[] = [
  ['Technologie', 'Technology'],
  ['Industriegüter & Dienstleistungen', 'Industrial goods & services'],
  ['Gesundheit', 'Health care'],
  ['Banken', 'Banks'],
  ['Versicherungen', 'Insurance'],
  ['Chemie', 'Chemicals'],
  ['Bau & Werkstoffe', 'Construction & materials'],
  ['Medien', 'Media'],
]

export const supersectors: readonly Name[] = [
  ['Software & Computerdienste', 'Software & computer services'],
  ['Halbleiter', 'Semiconductors'],
  ['Pharma & Biotechnologie', 'Pharmaceuticals & biotechnology'],
  ['Maschinenbau', 'Industrial engineering'],
  ['Lebensversicherung', 'Life insurance'],
  ['Körperpflege & Haushalt', 'Personal & household goods'],
  ['Sonstige', 'Other'],
]

export const companySizes: readonly Name[] = [
  ['< 2 Mrd.', '< 2 bn'],
  ['2 bis 10 Mrd.', '2 to 10 bn'],
  ['10 bis 50 Mrd.', '10 to 50 bn'],
  ['> 50 Mrd.', '> 50 bn'],
]

export const indices: readonly Name[] = [
  ['Elbe 40'],
  ['Elbe & Rhein Mid 60'],
  ['Alster Small Cap'],
  ['nicht im Index', 'not in the index'],
]

export const terms: readonly Name[] = [
  ['< 1 Jahr', '< 1 year'],
  ['1 bis 3 Jahre', '1 to 3 years'],
  ['3 bis 5 Jahre', '3 to 5 years'],
  ['5 bis 7 Jahre', '5 to 7 years'],
  ['7 bis 10 Jahre', '7 to 10 years'],
  ['> 10 Jahre', '> 10 years'],
]

export const shortTerms: readonly Name[] = [
  ['täglich fällig', 'due daily'],
  ['bis 1 Monat', 'up to 1 month'],
  ['1 bis 3 Monate', '1 to 3 months'],
  ['3 bis 6 Monate', '3 to 6 months'],
  ['6 bis 12 Monate', '6 to 12 months'],
]

export const securities: readonly Name[] = [
  ['Staatsanleihen', 'Government bonds'],
  ['Unternehmensanleihen', 'Corporate bonds'],
  ['Pfandbriefe', 'Covered bonds'],
  ['"Grüne" Anleihen', '"Green" bonds'],
  ['Floater'],
]

export const creditSegments: readonly Name[] = [
  ['Investment Grade'],
  ['High Yield'],
  ['Nachranganleihen', 'Subordinated bonds'],
  ['ohne Rating', 'not rated'],
]

export const assetClasses: readonly Name[] = [
  ['Aktien Industrieländer', 'Developed market equities'],
  ['Staatsanleihen', 'Government bonds'],
  ['Unternehmensanleihen', 'Corporate bonds'],
  ['Aktien Schwellenländer', 'Emerging market equities'],
  ['Rohstoffe', 'Commodities'],
  ['Immobilien', 'Real estate'],
  ['Geldmarkt', 'Money market'],
]

export const fundCategories: readonly Name[] = [
  ['Aktienfonds', 'Equity funds'],
  ['Rentenfonds', 'Bond funds'],
  ['Indexfonds & ETFs', 'Index funds & ETFs'],
  ['Rohstofffonds', 'Commodity funds'],
]

export const preciousMetals: readonly Name[] = [
  ['Gold'],
  ['Silber', 'Silver'],
  ['Platin', 'Platinum'],
  ['Palladium'],
]

export const correlated: readonly Name[] = [
  ['Weltaktien', 'World equities'],
  ['Euro-Staatsanleihen', 'Euro government bonds'],
  ['Gold'],
  ['Rohstoffe', 'Commodities'],
  ['Geldmarkt', 'Money market'],
]

export const exposures: readonly Name[] = [
  ['Aktien (netto)', 'Equities (net)'],
  ['Anleihen (netto)', 'Bonds (net)'],
  ['Rohstoffe', 'Commodities'],
  ['Kasse & Sicherheiten', 'Cash & collateral'],
]

export const propertyUses: readonly Name[] = [
  ['Büro', 'Office'],
  ['Handel & Gastronomie', 'Retail & restaurants'],
  ['Logistik', 'Logistics'],
  ['Wohnen', 'Residential'],
  ['Hotel'],
  ['Stellplätze', 'Parking'],
]

export const buildingAges: readonly Name[] = [
  ['bis 5 Jahre', 'up to 5 years'],
  ['5 bis 10 Jahre', '5 to 10 years'],
  ['10 bis 15 Jahre', '10 to 15 years'],
  ['15 bis 20 Jahre', '15 to 20 years'],
  ['> 20 Jahre', '> 20 years'],
]

/** The five breakdowns that each house defines for itself. */
export const individual: readonly (readonly Name[])[] = [
  [
    ['Substanz', 'Value'],
    ['Wachstum', 'Growth'],
    ['Qualität', 'Quality'],
  ],
  [
    ['Kernanlagen', 'Core holdings'],
    ['Beimischungen', 'Satellite holdings'],
    ['Liquidität', 'Cash'],
  ],
  [
    ['Eigene Fonds', 'In-house funds'],
    ['Fremde Fonds', 'Third-party funds'],
    ['Direktanlagen', 'Direct holdings'],
  ],
  [
    ['Ökologie', 'Environment'],
    ['Soziales', 'Social'],
    ['Ohne Merkmal', 'No characteristic'],
  ],
  [
    ['Chance', 'Opportunity'],
    ['Ertrag', 'Income'],
    ['Stabilität', 'Stability'],
    ['Absicherung', 'Protection'],
  ],
]
