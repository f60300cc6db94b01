/** What people call the groups of endpoints, and what each is for. A group without words is called by its id. */

import type { Language } from '../routes/table.ts'

export interface GroupWords {
  readonly title: string
  /** A sentence or two. */
  readonly lead: string
}

type InBoth = Readonly<Record<Language, GroupWords>>

export function groupWords(group: string, language: Language): GroupWords {
  return words[group]?.[language] ?? { title: group, lead: '' }
}

/** What belongs to no endpoint: source of the name is the interface, "Known `type` anchors". */
export const generalGroup = 'index'

const words: Readonly<Record<string, InBoth | undefined>> = {
  prices: {
    en: {
      title: 'Prices',
      lead: 'Issue price, repurchase price and net asset value: the newest of one fund or of all, and any range of days.',
    },
    de: {
      title: 'Preise',
      lead: 'Ausgabepreis, Rücknahmepreis und Nettoinventarwert: die neuesten eines oder aller Fonds, und jeder Zeitraum.',
    },
  },
  'performance-years': {
    en: {
      title: 'Performance per calendar year',
      lead: 'One figure a year, for one fund or for all of them.',
    },
    de: {
      title: 'Wertentwicklung je Kalenderjahr',
      lead: 'Eine Zahl je Jahr, für einen Fonds oder für alle.',
    },
  },
  investment_structure: {
    en: {
      title: 'Investment structure',
      lead: 'What a fund is invested in, broken down in 33 ways: countries, currencies, sectors, top holdings and more.',
    },
    de: {
      title: 'Anlagestruktur',
      lead: 'Worin ein Fonds anlegt, auf 33 Arten gegliedert: Länder, Währungen, Branchen, größte Positionen und mehr.',
    },
  },
  figures: {
    en: { title: 'Key figures', lead: 'Volatility, ratios, durations: name and value, ready to be shown.' },
    de: {
      title: 'Kennzahlen',
      lead: 'Volatilität, Quoten, Laufzeiten: Name und Wert, fertig zum Anzeigen.',
    },
  },
  'performance-legal': {
    en: {
      title: 'Legal performance',
      lead: 'Periods of twelve months, gross and net, and the line behind them, as advertising rules ask for.',
    },
    de: {
      title: 'Gesetzliche Wertentwicklung',
      lead: 'Zeiträume von zwölf Monaten, brutto und netto, und die Linie dazu, wie Regeln für Werbung sie verlangen.',
    },
  },
  'performance-launch': {
    en: {
      title: 'Performance since launch',
      lead: 'The whole life of a fund as an index that starts at 100.',
    },
    de: {
      title: 'Wertentwicklung seit Auflegung',
      lead: 'Das ganze Leben eines Fonds als Index, der bei 100 beginnt.',
    },
  },
  profile: {
    en: { title: 'Fund profile', lead: 'Category, benchmark, assets, fees and ways to invest.' },
    de: { title: 'Fondsprofil', lead: 'Kategorie, Vergleichsindex, Vermögen, Kosten und Wege der Anlage.' },
  },
  'asset-allocations': {
    en: {
      title: 'Asset allocations',
      lead: 'How the shares of asset classes have changed over time, with derivatives or without.',
    },
    de: {
      title: 'Vermögensaufteilung',
      lead: 'Wie sich die Anteile der Anlageklassen über die Zeit ändern, mit Derivaten oder ohne.',
    },
  },
  emt: {
    en: {
      title: 'EMT data',
      lead: 'Risk, costs and target market fields of the European MiFID Template.',
    },
    de: {
      title: 'EMT-Daten',
      lead: 'Risiko, Kosten und Zielmarkt nach dem European MiFID Template.',
    },
  },
  [generalGroup]: {
    en: { title: 'General errors', lead: 'What belongs to no endpoint, or to all of them.' },
    de: { title: 'Allgemeine Fehler', lead: 'Was zu keinem Endpunkt gehört, oder zu allen.' },
  },
}
