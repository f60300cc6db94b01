import { bilingual } from '../../../core/layout/bilingual.ts'

export const compareWording = bilingual((say) => ({
  description: say(
    'Compare the performance of up to five funds over the same period.',
    'Die Wertentwicklung von bis zu fünf Fonds im selben Zeitraum vergleichen.',
  ),
  lead: say(
    'Up to five funds in one chart: they start at 100, and distributions are reinvested.',
    'Bis zu fünf Fonds in einem Diagramm: Startwert 100, Ausschüttungen wieder angelegt.',
  ),
  noScript: say(
    'The comparison needs JavaScript. Without it, the list has the performance of all funds over 1, 3 and 5 years, their costs and their risk:',
    'Der Vergleich benötigt JavaScript. Auch ohne zeigt die Liste die Wertentwicklung aller Fonds über 1, 3 und 5 Jahre, ihre Kosten und ihr Risiko:',
  ),
  add: say('Add a fund: name, ISIN or WKN', 'Fonds hinzufügen: Name, ISIN oder WKN'),
  chartTitle: say('Performance as an index (start: 100)', 'Wertentwicklung als Index (Startwert 100)'),
  period: (first: string, last: string) =>
    say(
      `From ${first} to ${last}. All of the funds have a price on both days.`,
      `Vom ${first} bis zum ${last}. An beiden Tagen haben alle Fonds einen Preis.`,
    ),
  periodOfOne: (first: string, last: string) =>
    say(`From ${first} to ${last}.`, `Vom ${first} bis zum ${last}.`),
  chosen: say('Compared funds', 'Verglichene Fonds'),
  /** Above what a reader may begin with. */
  categories: say('Compare the funds of a category', 'Fonds einer Kategorie vergleichen'),
  begin: say('Begin with a fund', 'Mit einem Fonds beginnen'),
  inCategory: (count: string) =>
    say(`${count} funds, to choose from in the list`, `${count} Fonds, zur Auswahl in der Liste`),
  /** Groups of figures, and their rows. */
  figures: {
    period: say('Period shown', 'Gezeigter Zeitraum'),
    performance: say('Performance', 'Wertentwicklung'),
    performance_per_year: say('Performance p.\u2060a.', 'Wertentwicklung p.\u00a0a.'),
    volatility: say('Volatility p.\u2060a.', 'Volatilität p.\u00a0a.'),
    drawdown: say('Maximum drawdown', 'Maximaler Verlust'),
    from: say('Net asset value at the start', 'Nettoinventarwert zu Beginn'),
    to: say('Net asset value at the end', 'Nettoinventarwert am Ende'),
    years: say('Performance over years', 'Wertentwicklung über Jahre'),
    '1y': say('1 year', '1 Jahr'),
    '3y': say('3 years', '3 Jahre'),
    '3y_per_year': say('3 years p.\u2060a.', '3 Jahre p.\u00a0a.'),
    '5y': say('5 years', '5 Jahre'),
    '5y_per_year': say('5 years p.\u2060a.', '5 Jahre p.\u00a0a.'),
    facts: say('Costs, risk and other facts', 'Kosten, Risiko und weitere Angaben'),
    costs: say('Costs (TER)', 'Kosten (TER)'),
    risk: say('Risk (1–7)', 'Risiko (1–7)'),
    income: say('Distribution policy', 'Ertragsverwendung'),
    size: say('Fund assets in millions', 'Fondsvermögen in Mio.'),
    currency: say('Currency', 'Währung'),
    launched: say('Launched', 'Auflegung'),
  },
  /** The same, once the script knows the days. */
  withDays: {
    period: say('Period shown: {first} to {last}', 'Gezeigter Zeitraum: {first} bis {last}'),
    from: say('Net asset value on {first}', 'Nettoinventarwert am {first}'),
    to: say('Net asset value on {last}', 'Nettoinventarwert am {last}'),
    years: say('Performance over years, to {last}', 'Wertentwicklung über Jahre, bis {last}'),
  },
  noteReturns: say(
    'Index and performance reinvest each distribution at the net asset value of its ex-date, without costs (BVI method). P.\u2060a.: the geometric mean, only for one year and more. Reported performance, as in the list of funds and on the page of a distributing fund, may differ. The net asset values in the table are those of today’s shares, without distributions.',
    'Index und Wertentwicklung legen jede Ausschüttung zum Nettoinventarwert ihres Ex-Tags wieder an, ohne Kosten (BVI-Methode). P.\u00a0a.: geometrisches Mittel, nur ab einem Jahr. Gemeldete Werte, wie in der Fondsliste und auf der Seite eines ausschüttenden Fonds, können abweichen. Die Nettoinventarwerte der Tabelle beziehen sich auf heutige Anteile, ohne Ausschüttungen.',
  ),
  noteMeasures: say(
    'Volatility: standard deviation of the changes in the net asset value in the period shown, with distributions reinvested, per year. Maximum drawdown: the largest loss in the period shown from a high to a later low, with distributions reinvested.',
    'Volatilität: Standardabweichung der Veränderungen des Nettoinventarwerts im gezeigten Zeitraum mit Wiederanlage der Ausschüttungen, auf das Jahr bezogen. Maximaler Verlust: die größte Einbuße im gezeigten Zeitraum von einem Hoch zu einem späteren Tief, mit Wiederanlage der Ausschüttungen (Maximum Drawdown).',
  ),
  noteFacts: say(
    'Costs: total expense ratio per year. Risk: risk indicator from 1 (low) to 7 (high). Fund assets: those of all share classes together.',
    'Kosten: Gesamtkostenquote pro Jahr. Risiko: Risikoindikator von 1 (niedrig) bis 7 (hoch). Fondsvermögen: das aller Anteilklassen zusammen.',
  ),
  noteYoung: say(
    'Funds that were launched less than one year ago cannot be compared.',
    'Fonds, deren Auflegung weniger als ein Jahr zurückliegt, können nicht verglichen werden.',
  ),
  /** Texts of the script, with placeholders in braces. */
  says: {
    none: say(
      'No fund has been chosen yet. Search for one above, or select funds in the list of funds.',
      'Noch kein Fonds ausgewählt. Suchen Sie oben nach einem Fonds, oder wählen Sie Fonds in der Fondsliste aus.',
    ),
    one: say('Add a second fund to compare.', 'Fügen Sie für den Vergleich einen zweiten Fonds hinzu.'),
    most: say(
      'At most five funds can be compared. The first five are shown.',
      'Es lassen sich höchstens fünf Fonds vergleichen. Die ersten fünf werden angezeigt.',
    ),
    unknown: say(
      'There is no fund with the ISIN {isin} in the list of funds. Check the ISIN, or search by name.',
      'Die Fondsliste enthält keinen Fonds mit der ISIN {isin}. Prüfen Sie die ISIN, oder suchen Sie nach dem Namen.',
    ),
    young: say(
      '{fund} cannot be compared: it was launched less than one year ago.',
      '{fund} kann nicht verglichen werden: Die Auflegung des Fonds liegt weniger als ein Jahr zurück.',
    ),
    no_prices: say(
      '{fund} cannot be compared: it has no prices.',
      '{fund} kann nicht verglichen werden: Es liegen keine Preise vor.',
    ),
    not_permitted: say(
      '{fund} cannot be compared: its prices or its performance may not be shown.',
      '{fund} kann nicht verglichen werden: Preise oder Wertentwicklung dürfen nicht dargestellt werden.',
    ),
    begins: say(
      'The prices of {fund} begin on {day}: no comparison with this fund can begin earlier.',
      'Die Preise von {fund} beginnen am {day}: Ein Vergleich mit diesem Fonds kann nicht früher beginnen.',
    ),
    ends: say(
      'The newest price of {fund} is of {day}: the comparison ends there.',
      'Der neueste Preis von {fund} ist vom {day}: Der Vergleich endet an diesem Tag.',
    ),
    successor: say('Compare this fund instead', 'Stattdessen diesen Fonds vergleichen'),
    failed: say(
      'The prices of {fund} could not be loaded.',
      'Die Preise von {fund} konnten nicht geladen werden.',
    ),
    failedFunds: say('The list of funds could not be loaded.', 'Die Fondsliste konnte nicht geladen werden.'),
    noDays: say(
      'There is no period in which all of these funds have prices.',
      'Es gibt keinen Zeitraum, in dem alle diese Fonds Preise haben.',
    ),
    few: say(
      '{fund} has fewer than two prices in this period. Remove the fund, or choose a longer period.',
      '{fund} hat in diesem Zeitraum weniger als zwei Preise. Entfernen Sie den Fonds, oder wählen Sie einen längeren Zeitraum.',
    ),
    alone: say(
      'Without {fund}, the others can be compared.',
      'Ohne {fund} lassen sich die anderen vergleichen.',
    ),
    currencies: say(
      'The funds have different currencies ({currencies}). Each line shows the performance in the currency of its fund; changes in exchange rates are not included.',
      'Die Fonds haben verschiedene Währungen ({currencies}). Jede Linie zeigt die Wertentwicklung in der Währung des Fonds; Wechselkursänderungen sind nicht berücksichtigt.',
    ),
    unpaid: say(
      'No distributions of {fund} are known, although the fund distributes: its performance is shown too low by what it has paid.',
      'Ausschüttungen von {fund} sind nicht bekannt, obwohl der Fonds ausschüttet: Die Wertentwicklung ist um die ausgezahlten Beträge zu niedrig dargestellt.',
    ),
    folder: say(
      'This page was opened from a folder. The comparison needs a server, for example: fundpress serve --out FOLDER',
      'Diese Seite wurde aus einem Ordner geöffnet. Der Vergleich benötigt einen Server, zum Beispiel: fundpress serve --out ORDNER',
    ),
    notComparable: say('cannot be compared', 'nicht vergleichbar'),
    and: say('and', 'und'),
    /** In place of a value that is missing. */
    noValue: say('not available', 'keine Angabe'),
    notLoaded: say('not loaded', 'nicht geladen'),
    pricesFrom: say('prices from {day}', 'Preise ab {day}'),
    noPrice: say('no price then', 'damals kein Preis'),
    underOneYear: say('less than a year', 'unter einem Jahr'),
    fewPrices: say('too few prices', 'zu wenige Preise'),
    remove: say('Remove {fund}', '{fund} entfernen'),
    distributing: say('distributing', 'ausschüttend'),
    accumulating: say('accumulating', 'thesaurierend'),
  },
}))
