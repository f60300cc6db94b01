/** Words of the list of funds and of a fund's page. Other pages share some of them. */

import { bilingual } from '../../../core/layout/bilingual.ts'
import { unbroken } from '../../../core/layout/formats.ts'

/** Assumes readers in the euro area. Source: delegated regulation (EU) 2017/565, article 44 (4) (e). */
export const isForeign = (currency: string) => currency !== 'EUR'

/** Words for an end and a suspension: there are some for what happened, and some for what is announced. */
export type LifeWords = (typeof fundWords)['en']['announced']

export const fundWords = bilingual((say) => ({
  listLead: (count: string, asOf: string) =>
    say(
      `${count === '1' ? 'One fund with its newest price' : `${count} funds with their newest prices`}, ${unbroken(`as of ${asOf}`)}.`,
      `${count === '1' ? 'Ein Fonds mit seinem neuesten Preis' : `${count} Fonds mit ihren neuesten Preisen`}, ${unbroken(`Stichtag ${asOf}`)}.`,
    ),
  overdueNote: {
    late: say(
      'The newest price is late: a newer price was expected by now.',
      'Der neueste Preis ist verspätet: Inzwischen war ein neuerer Preis zu erwarten.',
    ),
    stale: say(
      'The newest price is stale: a newer price is long overdue.',
      'Der neueste Preis ist veraltet: Ein neuerer Preis ist seit Langem überfällig.',
    ),
  },
  search: say('Search by name, ISIN or WKN', 'Suche nach Name, ISIN oder WKN'),
  /** With the number in place of `{count}`, unless it is 1. */
  found: say('{count} funds', '{count} Fonds'),
  foundOne: say('1 fund', '1 Fonds'),
  clear: say('Clear filters', 'Filter zurücksetzen'),
  /** With a number in place of `{count}`. */
  more: say('Show {count} more', '{count} weitere anzeigen'),
  shown: say('{shown} of {count} funds are shown.', '{shown} von {count} Fonds werden angezeigt.'),
  showAll: say('Show all ({count})', 'Alle anzeigen ({count})'),
  views: say('Columns shown', 'Angezeigte Spalten'),
  view: {
    prices: say('Prices', 'Preise'),
    performance: say('Performance', 'Wertentwicklung'),
    facts: say('Costs & risk', 'Kosten & Risiko'),
  },
  /** With a soft hyphen: a phone shows two lines. */
  incomeColumn: say('Income', 'Ertrags\u00adverwendung'),
  assetsColumn: say('Fund assets in\u00a0millions', 'Fondsvermögen in\u00a0Mio.'),
  none: say('No fund matches.', 'Kein Fonds passt zu dieser Suche.'),
  noneHint: say(
    'Check the spelling, or search by a part of the name, the ISIN or the WKN.',
    'Prüfen Sie die Schreibweise, oder suchen Sie nach einem Teil des Namens, der ISIN oder der WKN.',
  ),
  noneFiltered: say(
    'Only funds that match the chosen filters are searched.',
    'Durchsucht werden nur Fonds, auf die alle gewählten Filter zutreffen.',
  ),
  allWithoutScript: say(
    'Searching and sorting need JavaScript. The list is complete; your browser can search this page.',
    'Suche und Sortierung benötigen JavaScript. Die Liste ist vollständig; Ihr Browser kann diese Seite durchsuchen.',
  ),
  failedList: say(
    'The list of funds could not be loaded. Press Enter to search on its page.',
    'Die Fondsliste konnte nicht geladen werden. Die Eingabetaste führt zur Suche auf ihrer Seite.',
  ),
  all: say('All', 'Alle'),
  currency: say('Currency', 'Währung'),
  select: say('Select for comparison:', 'Für den Vergleich auswählen:'),
  /** As `found`. */
  selected: say('{count} funds selected for comparison', '{count} Fonds für den Vergleich ausgewählt'),
  selectedOne: say('1 fund selected for comparison', '1 Fonds für den Vergleich ausgewählt'),
  selectedMost: say(
    'Five funds are selected. No more than five can be compared.',
    'Fünf Fonds sind ausgewählt. Mehr als fünf lassen sich nicht vergleichen.',
  ),
  /** How to begin with it. */
  selectHint: say('Tick funds to compare them.', 'Fonds zum Vergleichen ankreuzen.'),
  compare: say('Compare', 'Vergleichen'),
  deselect: say('Clear selection', 'Auswahl aufheben'),
  fund: say('Fund', 'Fonds'),
  list: say('List of funds', 'Fondsliste'),
  day: say('Date', 'Datum'),
  change: say('Day change', 'Zum Vortag'),
  oneYear: say('1 year', '1 Jahr'),
  threeYears: say('3 years', '3 Jahre'),
  returnsNote: say(
    '1, 3 and 5 years: for accumulating funds, the change in the net asset value; for distributing funds, the reported gross performance of the last twelve months, or of three or five such periods together, including distributions; where none is reported, the change with distributions reinvested.',
    '1, 3 und 5 Jahre: bei thesaurierenden Fonds die Veränderung des Nettoinventarwerts, bei ausschüttenden Fonds die gemeldete Bruttowertentwicklung der letzten zwölf Monate oder von drei oder fünf solchen Zeiträumen zusammen, einschließlich Ausschüttungen; wo keine gemeldet ist, die Veränderung mit Wiederanlage der Ausschüttungen.',
  ),
  factsNote: say(
    'Fund assets: those of all share classes together. TER: total expense ratio per year. Risk: risk indicator from 1 (low) to 7 (high).',
    'Fondsvermögen: das aller Anteilklassen zusammen. TER: Gesamtkostenquote pro Jahr. Risiko: Risikoindikator von 1 (niedrig) bis 7 (hoch).',
  ),
  /** After `returnsNote`. */
  yearEnds: (day: string) =>
    say(`The reported performance ends on ${day}.`, `Die gemeldete Wertentwicklung endet am ${day}.`),
  yearEndsBetween: (first: string, last: string) =>
    say(
      `The reported performance ends between ${first} and ${last}: the page of a fund names the day.`,
      `Die gemeldete Wertentwicklung endet zwischen dem ${first} und dem ${last}: Die Seite des Fonds nennt den Tag.`,
    ),
  /** Why a dash stands in place of a change. */
  dash: {
    young: say(
      'For funds that were launched less than one year ago, no performance is shown.',
      'Für Fonds, deren Auflegung weniger als ein Jahr zurückliegt, wird keine Wertentwicklung dargestellt.',
    ),
    not_permitted: say(
      'For some funds, prices or performance may not be shown.',
      'Für einige Fonds dürfen Preise oder Wertentwicklung nicht dargestellt werden.',
    ),
  },
  fiveYears: say('5 years', '5 Jahre'),
  /** Below a figure. */
  returns: {
    navs: say('computed', 'berechnet'),
    reported: say('reported', 'gemeldet'),
    reinvested: say('distributions reinvested', 'mit Ausschüttungen'),
  },
  /** Also below a year. */
  until: (day: string) => say(`to ${day}`, `bis ${day}`),
  returnNotes: {
    navs: say(
      '1 and 5 years, computed: the change in the net asset value.',
      '1 und 5 Jahre, berechnet: die Veränderung des Nettoinventarwerts.',
    ),
    reported: say(
      '1 and 5 years, reported: the gross performance of the twelve-month periods, including distributions.',
      '1 und 5 Jahre, gemeldet: die Bruttowertentwicklung der Zwölfmonatszeiträume einschließlich Ausschüttungen.',
    ),
    reinvested: say(
      'With distributions reinvested: computed from prices, each distribution at the net asset value of its ex-date, without costs (BVI method). Nothing is reported for these periods.',
      'Mit Ausschüttungen: aus Preisen berechnet, jede Ausschüttung zum Nettoinventarwert ihres Ex-Tags wieder angelegt, ohne Kosten (BVI-Methode). Für diese Zeiträume ist nichts gemeldet.',
    ),
  },
  /** Behind the note on what is reported. */
  chartDiffers: say(
    'The chart is computed from prices: its last digit may differ.',
    'Das Diagramm ist aus Preisen berechnet: Seine letzte Stelle kann abweichen.',
  ),
  chartEnds: (until: string, newest: string) =>
    say(
      `They end on ${until}. The chart is computed from prices to ${newest}: its figures differ.`,
      `Sie enden am ${until}. Das Diagramm ist aus Preisen bis ${newest} berechnet: Seine Werte weichen ab.`,
    ),
  costs: say(
    'Unless stated otherwise, issue surcharges and custody fees are not taken into account. They reduce the performance.',
    'Ausgabeaufschläge und Depotkosten sind, soweit nicht anders angegeben, nicht berücksichtigt. Sie mindern die Wertentwicklung.',
  ),
  otherCurrency: say(
    'For investors whose own currency is not that of the fund, changes in exchange rates can increase or reduce the performance.',
    'Für Anleger, deren Währung nicht die des Fonds ist, kann die Wertentwicklung infolge von Wechselkursschwankungen höher oder niedriger ausfallen.',
  ),
  /** Source: delegated regulation (EU) 2017/565, article 44 (4). */
  past: say(
    'The figures refer to the past. Past performance is not a reliable indicator of future results.',
    'Die Zahlen beziehen sich auf die Vergangenheit. Die frühere Wertentwicklung ist kein verlässlicher Indikator für künftige Ergebnisse.',
  ),
  asData: say('This list as JSON', 'Diese Liste als JSON'),
  description: (name: string, isin: string) =>
    say(
      `Prices, performance, structure, key figures and costs of ${name} (${isin}).`,
      `Preise, Wertentwicklung, Struktur, Kennzahlen und Kosten: ${name} (${isin}).`,
    ),
  nav: say('Net asset value', 'Nettoinventarwert'),
  /** With a soft hyphen: a phone shows two lines. */
  navColumn: say('Net asset value', 'Netto\u00adinventar\u00adwert'),
  costsHead: say('Costs (TER)', 'Kosten (TER)'),
  /** No line ends within the range. */
  riskHead: say('Risk (1–\u20607)', 'Risiko (1–\u20607)'),
  assets: say('Fund assets (share class)', 'Fondsvermögen (Anteilklasse)'),
  inception: say('Launched', 'Auflegung'),
  website: say('Website', 'Website'),
  statusDate: (day: string) => say(`As of ${day}`, `Stichtag ${day}`),
  price: say('Prices', 'Preise'),
  feed: say('New prices of this fund as an Atom feed', 'Neue Preise dieses Fonds als Atom-Feed'),
  feedTitle: (name: string) => say(`Prices of ${name}`, `Preise: ${name}`),
  chartTitle: (currency: string) => say(`Net asset value in ${currency}`, `Nettoinventarwert in ${currency}`),
  chartDescription: (first: string, then: string, last: string, now: string) =>
    say(`From ${then} on ${first} to ${now} on ${last}.`, `Von ${then} am ${first} auf ${now} am ${last}.`),
  /** By {@link distributionsIn}. */
  chartNotes: {
    reinvested: say(
      'Net asset value per share. The solid line does not include distributions.',
      'Nettoinventarwert je Anteil. Die durchgezogene Linie berücksichtigt keine Ausschüttungen.',
    ),
    none: say(
      'Net asset value per share. The fund reinvests its income.',
      'Nettoinventarwert je Anteil. Der Fonds legt seine Erträge wieder an.',
    ),
    unknown: say(
      'Net asset value per share. Distributions are not included.',
      'Nettoinventarwert je Anteil, ohne Berücksichtigung von Ausschüttungen.',
    ),
  },
  /** Of scripts. */
  chartMeasures: say(
    'Drag across the chart, on a touchscreen with two fingers, to see the change between two days.',
    'Ziehen über das Diagramm, am Touchscreen mit zwei Fingern, zeigt die Veränderung zwischen zwei Tagen.',
  ),
  chartNoteReinvested: say(
    'The dashed line begins at the first distribution of the period and reinvests each at the net asset value of its ex-date, without costs (BVI method). Dots mark ex-dates.',
    'Die gestrichelte Linie beginnt mit der ersten Ausschüttung des Zeitraums und legt jede zum Nettoinventarwert ihres Ex-Tags wieder an, ohne Kosten (BVI-Methode). Punkte markieren Ex-Tage.',
  ),
  imageNoteReinvested: say(
    'Net asset value per share. Each distribution is reinvested at that of its ex-date, without costs (BVI method).',
    'Nettoinventarwert je Anteil. Jede Ausschüttung wird zu dem ihres Ex-Tags wieder angelegt, ohne Kosten (BVI-Methode).',
  ),
  chartNoteSplits: say(
    'Values before a split refer to the shares of today.',
    'Werte vor einem Anteilsplit beziehen sich auf heutige Anteile.',
  ),
  ends: {
    liquidated: (day: string) =>
      say(`This fund was liquidated on ${day}.`, `Dieser Fonds wurde am ${day} aufgelöst.`),
    matured: (day: string) =>
      say(`The term of this fund ended on ${day}.`, `Die Laufzeit dieses Fonds endete am ${day}.`),
    merged: (day: string) =>
      say(
        `This fund was merged into another one on ${day}.`,
        `Dieser Fonds wurde am ${day} auf einen anderen verschmolzen.`,
      ),
    ended: (day: string) => say(`This fund ended on ${day}.`, `Dieser Fonds endete am ${day}.`),
  },
  endedData: say(
    'There are no new prices; its data remain available.',
    'Neue Preise gibt es nicht; die Daten bleiben abrufbar.',
  ),
  suspendedSince: (from: string) =>
    say(
      `Since ${from}, shares are neither issued nor redeemed. Until further notice, no new prices are expected.`,
      `Seit dem ${from} werden Anteile weder ausgegeben noch zurückgenommen. Bis auf Weiteres sind keine neuen Preise zu erwarten.`,
    ),
  suspendedUntil: (from: string, to: string) =>
    say(
      `From ${from} to ${to}, shares are neither issued nor redeemed, and no new prices are expected.`,
      `Vom ${from} bis zum ${to} werden Anteile weder ausgegeben noch zurückgenommen; neue Preise sind nicht zu erwarten.`,
    ),
  thisFund: say('This fund', 'Dieser Fonds'),
  /** On its own page, in place of it, and where it is compared. @param fund its name, its ISIN, or `thisFund` */
  mergedInto: (fund: string, successor: string, day: string) =>
    say(
      `${fund} was merged into ${successor} on ${day}.`,
      `${fund} wurde am ${day} auf ${successor} verschmolzen.`,
    ),
  /** The same before it begins. */
  announced: {
    ends: {
      liquidated: (day: string) =>
        say(`This fund will be liquidated on ${day}.`, `Dieser Fonds wird am ${day} aufgelöst.`),
      matured: (day: string) =>
        say(`The term of this fund ends on ${day}.`, `Die Laufzeit dieses Fonds endet am ${day}.`),
      merged: (day: string) =>
        say(
          `This fund will be merged into another one on ${day}.`,
          `Dieser Fonds wird am ${day} auf einen anderen verschmolzen.`,
        ),
      ended: (day: string) => say(`This fund will end on ${day}.`, `Dieser Fonds endet am ${day}.`),
    },
    suspendedSince: (from: string) =>
      say(
        `From ${from} until further notice, shares will be neither issued nor redeemed.`,
        `Ab dem ${from} werden Anteile bis auf Weiteres weder ausgegeben noch zurückgenommen.`,
      ),
    suspendedUntil: (from: string, to: string) =>
      say(
        `From ${from} to ${to}, shares will be neither issued nor redeemed.`,
        `Vom ${from} bis zum ${to} werden Anteile weder ausgegeben noch zurückgenommen.`,
      ),
    mergedInto: (fund: string, successor: string, day: string) =>
      say(
        `${fund} will be merged into ${successor} on ${day}.`,
        `${fund} wird am ${day} auf ${successor} verschmolzen.`,
      ),
  },
  mergedData: say(
    'Its data are no longer published. This page stays for a year.',
    'Seine Daten werden nicht mehr veröffentlicht. Diese Seite bleibt ein Jahr lang bestehen.',
  ),
  /** Between two days, also for scripts: with their number in place of `{count}`. */
  measured: {
    perYear: say('p.\u2060a.', 'p.\u00a0a.'),
    days: say('{count} days', '{count} Tage'),
    day: say('1 day', '1 Tag'),
    years: say('{count} years', '{count} Jahre'),
    year: say('1 year', '1 Jahr'),
  },
  /** For the script, too. */
  onChart: {
    reinvested: say('With distributions', 'Mit Ausschüttungen'),
    distribution: say('Distribution', 'Ausschüttung'),
    split: say('Split', 'Anteilsplit'),
    failed: say(
      'The prices of this period could not be loaded. The line shows only some of them, and there is no change in percent.',
      'Die Preise dieses Zeitraums konnten nicht geladen werden. Die Linie zeigt nur einige davon, eine Veränderung in Prozent fehlt.',
    ),
    few: say(
      'There are fewer than two prices in this period.',
      'In diesem Zeitraum liegen weniger als zwei Preise vor.',
    ),
    folder: say(
      'This page was opened from a folder. The line shows only some of the prices, and there is no change in percent: it needs a server, for example: fundpress serve --out FOLDER',
      'Diese Seite wurde aus einem Ordner geöffnet. Die Linie zeigt nur einige Preise, eine Veränderung in Prozent fehlt: Sie benötigt einen Server, zum Beispiel: fundpress serve --out ORDNER',
    ),
  },
  distributions: say('Distributions', 'Ausschüttungen'),
  actions: say('Distributions and splits', 'Ausschüttungen und Anteilsplits'),
  exDate: say('Ex-date', 'Ex-Tag'),
  perShare: say('Per share', 'Je Anteil'),
  split: (ratio: string) => say(`Split ${ratio}`, `Split ${ratio}`),
  papers: say('Documents', 'Dokumente'),
  kinds: {
    kid: say('Key information document', 'Basisinformationsblatt'),
    prospectus: say('Prospectus', 'Verkaufsprospekt'),
    annual_report: say('Annual report', 'Jahresbericht'),
    half_year_report: say('Half-year report', 'Halbjahresbericht'),
    factsheet: say('Factsheet', 'Factsheet'),
  },
  earlier: say('Earlier documents', 'Frühere Dokumente'),
  language: say('Language', 'Sprache'),
  countries: say('Countries', 'Länder'),
  allCountries: say('all', 'alle'),
  ranges: say('Period of the chart', 'Zeitraum des Diagramms'),
  rangeNames: {
    '1M': { short: '1M', name: say('1 month', '1 Monat') },
    '3M': { short: '3M', name: say('3 months', '3 Monate') },
    YTD: { short: say('YTD', 'Lfd. Jahr'), name: say('Year to date', 'Laufendes Jahr') },
    '1Y': { short: say('1Y', '1J'), name: say('1 year', '1 Jahr') },
    '3Y': { short: say('3Y', '3J'), name: say('3 years', '3 Jahre') },
    '5Y': { short: say('5Y', '5J'), name: say('5 years', '5 Jahre') },
    Max: { short: 'Max', name: say('Entire period', 'Gesamtzeitraum') },
  },
  noPrices: say(
    'Prices of this fund are not published.',
    'Für diesen Fonds werden keine Preise veröffentlicht.',
  ),
  withoutPrices: say('No prices are available for this fund.', 'Für diesen Fonds liegen keine Preise vor.'),
  noPerformance: {
    denied: say(
      'The performance of this fund may not be shown.',
      'Die Wertentwicklung dieses Fonds darf nicht dargestellt werden.',
    ),
    young: say(
      'This fund was launched less than one year ago: its performance may not be shown yet.',
      'Die Auflegung dieses Fonds liegt weniger als ein Jahr zurück. Seine Wertentwicklung darf noch nicht dargestellt werden.',
    ),
  },
  performance: say('Performance', 'Wertentwicklung'),
  years: say('Calendar years', 'Kalenderjahre'),
  /** A narrow chart has no axis that says it. */
  yearsInPercent: say('Calendar years, in %', 'Kalenderjahre, in %'),
  year: say('Year', 'Jahr'),
  since: (day: string) => say(`from ${day}`, `ab ${day}`),
  toDate: say('to date', 'laufend'),
  periods: say('Twelve-month periods', 'Zwölfmonatszeiträume'),
  period: say('Period', 'Zeitraum'),
  gross: say('Gross', 'Brutto'),
  net: say('Net', 'Netto'),
  grossNote: say('Gross: without the issue surcharge.', 'Brutto: ohne Ausgabeaufschlag.'),
  netNote: say('Net: after deduction of the issue surcharge.', 'Netto: nach Abzug des Ausgabeaufschlags.'),
  yearHigh: say('1-year high', 'Höchststand (1 Jahr)'),
  yearLow: say('1-year low', 'Tiefststand (1 Jahr)'),
  chart: say('Chart', 'Diagramm'),
  loading: say('Loading prices …', 'Preise werden geladen …'),
  indexTitle: say('Performance as an index', 'Wertentwicklung als Index'),
  indexNote: say('Index: 100 on the first day shown.', 'Index: 100 am ersten gezeigten Tag.'),
  /** Of periods other than the whole one. */
  indexRanges: {
    ofPrices: say(
      'Shorter periods are computed from prices, with distributions reinvested at the net asset value of their ex-dates, without costs (BVI method).',
      'Kürzere Zeiträume sind aus Preisen berechnet, Ausschüttungen zum Nettoinventarwert ihres Ex-Tags wieder angelegt, ohne Kosten (BVI-Methode).',
    ),
    unknown: say(
      'Shorter periods cannot be shown: the distributions of this fund are not known.',
      'Kürzere Zeiträume lassen sich nicht zeigen: Die Ausschüttungen dieses Fonds sind nicht bekannt.',
    ),
  },
  structure: say('Investment structure', 'Anlagestruktur'),
  rest: (count: number) => say(`${count} more`, `${count} weitere`),
  allocations: say('Asset allocation over time', 'Vermögensaufteilung im Zeitverlauf'),
  withoutDerivatives: say('Without derivatives', 'Ohne Derivate'),
  withDerivatives: say('With derivatives', 'Mit Derivaten'),
  shareOn: say('Share on', 'Anteil am'),
  assetClass: say('Asset class', 'Anlageklasse'),
  figures: say('Key figures', 'Kennzahlen'),
  profile: say('Profile and costs', 'Profil und Kosten'),
  emtFields: (count: number) =>
    say(`${count} fields with their meaning`, `${count} Felder mit ihrer Bedeutung`),
  emt: say('MiFID data (EMT)', 'MiFID-Daten (EMT)'),
  data: say('Data', 'Daten'),
  dataLead: say(
    'The data of this fund are available from the API. No access key is needed.',
    'Die Daten dieses Fonds sind über die API abrufbar. Ein Zugangsschlüssel ist nicht nötig.',
  ),
  requests: say('Example requests', 'Beispielanfragen'),
  currentRequest: say('newest price', 'neuester Preis'),
  historicRequest: say('prices of one year, as XML', 'Preise eines Jahres als XML'),
  image: say('Chart as an SVG image', 'Diagramm als SVG-Bild (englisch)'),
  documents: say('Answers of the API', 'Antworten der API'),
  document: say('Document', 'Dokument'),
  answer: say('Answer', 'Antwort'),
  formats: say('Formats', 'Formate'),
  history: say(
    'All prices of this fund, with decimal points:',
    'Alle Preise dieses Fonds, mit Dezimalpunkt:',
  ),
  downloads: say(
    'The newest prices, for spreadsheet functions such as IMPORTDATA and WEBSERVICE:',
    'Die neuesten Preise für Tabellenfunktionen wie IMPORTDATA und WEBDIENST:',
  ),
  allDownloads: say('Downloads: the data of all funds', 'Downloads: die Daten aller Fonds'),
  yes: say('yes', 'ja'),
  no: say('no', 'nein'),
  category: say('Category', 'Kategorie'),
  benchmark: say('Benchmark', 'Vergleichsindex'),
  totalAssets: say('Fund assets (all share classes)', 'Fondsvermögen (alle Anteilklassen)'),
  fiscalYear: say('End of the fiscal year', 'Geschäftsjahresende'),
  income: say('Distribution policy', 'Ertragsverwendung'),
  accumulating: say('accumulating', 'thesaurierend'),
  distributing: say('distributing', 'ausschüttend'),
  conformity: say('UCITS compliant', 'OGAW-konform'),
  surcharge: say('Issue surcharge', 'Ausgabeaufschlag'),
  redemption: say('Redemption fee', 'Rücknahmeabschlag'),
  ter: say('Total expense ratio (TER)', 'Gesamtkostenquote (TER)'),
  management: say('Management fee', 'Verwaltungsvergütung'),
  custodian: say('Custodian bank fee', 'Verwahrstellenvergütung'),
  performanceFee: say('Performance fee', 'Erfolgsabhängige Vergütung'),
  savings: say('Savings plan', 'Sparplan'),
  oneTime: say('Lump-sum investment', 'Einmalanlage'),
  capitalForming: say('Capital-forming payments (VL)', 'Vermögenswirksame Leistungen (VL)'),
  offered: say('offered', 'wird angeboten'),
  notOffered: say('not offered', 'wird nicht angeboten'),
  from: (amount: string) => say(`from ${amount}`, `ab ${amount}`),
}))
