import {
  day,
  decimal,
  flag,
  list,
  nullable,
  number,
  optional,
  record,
  text,
  textAmong,
  textLike,
  wholeNumber,
} from './shape.ts'
import { documentKinds, endReasons } from './rows.ts'
import type { Texts } from './shape.ts'

const count = (en: string, de: string) => wholeNumber(en, de, { minimum: 0 })
/** Grows when a program must change. */
const format = wholeNumber('Version of the document’s structure: 1', 'Version des Dokumentaufbaus: 1', {
  minimum: 1,
  maximum: 1,
})
const isin = text('ISIN of the fund', 'ISIN des Fonds')
const asOf = day('As-of date of the data', 'Stichtag der Daten')
const snapshot = text(
  'Id of the snapshot; a different id means different data',
  'Kennung des Datenstands; eine andere Kennung bedeutet andere Daten',
)

const inBoth = (description: Texts) =>
  record({ de: text(description.en, description.de), en: text(description.en, description.de) })

const fundList = record({
  as_of: asOf,
  funds: list(
    record({
      isin,
      wkn: nullable(text('German securities identification number (WKN)', 'Wertpapierkennnummer (WKN)')),
      name: text('Name of the fund', 'Name des Fonds'),
      currency: text('Currency of the prices, ISO 4217', 'Währung der Preise, ISO 4217'),
      category: nullable(
        inBoth({ en: 'Fund category in that language', de: 'Fondskategorie in dieser Sprache' }),
      ),
      price: nullable(
        record({
          date: day('Day of the newest price', 'Tag des neuesten Preises'),
          net_asset_value: decimal(
            'Net asset value (NAV) per share with exactly the delivered digits',
            'Nettoinventarwert (NAV) je Anteil mit genau den gelieferten Ziffern',
          ),
          change_percent: nullable(
            decimal(
              'Change from the previous day in percent; null if the performance may not be published, as for a fund younger than one year',
              'Veränderung zum Vortag in Prozent; null, wenn die Wertentwicklung nicht veröffentlicht werden darf, etwa bei einem Fonds, der jünger als ein Jahr ist',
            ),
          ),
          overdue: nullable(
            textAmong(
              'Whether the price is overdue: `late`, or `stale` if it is older still. Null if it is not',
              'Ob der Preis überfällig ist: `late`, oder `stale`, wenn er noch älter ist; sonst null',
              ['late', 'stale'],
            ),
          ),
        }),
      ),
      state: nullable(
        textAmong(
          'Whether no new price is expected: `suspended` while no shares are issued or redeemed, `ended` after the last day of the fund',
          'Ob kein neuer Preis zu erwarten ist: `suspended`, solange keine Anteile ausgegeben oder zurückgenommen werden, `ended` nach dem letzten Tag des Fonds',
          ['suspended', 'ended'],
        ),
      ),
      inception_date: day('Day on which the fund was launched', 'Auflegungstag des Fonds'),
      end_date: nullable(
        day(
          'Last day of the fund, which may be to come; null if no end is known',
          'Letzter Tag des Fonds, der noch bevorstehen kann; null, wenn kein Ende bekannt ist',
        ),
      ),
      end_reason: nullable(
        textAmong(
          'Why the fund ends, or has ended: `liquidated`, `matured` at the end of its term, or `merged` into another fund. Null if no end or no reason is known',
          'Warum der Fonds endet oder geendet hat: `liquidated` durch Auflösung, `matured` am Ende seiner Laufzeit, `merged`, weil er auf einen anderen Fonds verschmolzen wird. Null, wenn kein Ende oder kein Grund bekannt ist',
          endReasons,
        ),
      ),
      successor: nullable(
        text(
          'ISIN of the fund into which an ended fund was merged, if that fund is published, too; otherwise null',
          'ISIN des Fonds, auf den ein beendeter Fonds verschmolzen wurde, falls auch dieser veröffentlicht wird; sonst null',
        ),
      ),
      one_year_percent: nullable(
        decimal(
          'Performance over one year in percent, two decimals: for an accumulating fund the change in the net asset value, for a distributing fund the reported gross performance of the last twelve months, or without one the change with distributions reinvested. Null if it may not be published or is not known',
          'Wertentwicklung über ein Jahr in Prozent, zwei Nachkommastellen: bei thesaurierenden Fonds die Veränderung des Nettoinventarwerts, bei ausschüttenden Fonds die gemeldete Brutto-Wertentwicklung der letzten zwölf Monate oder, wenn keine gemeldet ist, die Veränderung mit Wiederanlage der Ausschüttungen. Null, wenn sie nicht veröffentlicht werden darf oder nicht bekannt ist',
        ),
      ),
      three_years_percent: nullable(
        decimal(
          'The same over three years, cumulative: for a distributing fund, three reported periods of twelve months, one after the other',
          'Dasselbe über drei Jahre, kumuliert: bei ausschüttenden Fonds drei aufeinanderfolgende gemeldete Zwölfmonatszeiträume',
        ),
      ),
      five_years_percent: nullable(
        decimal('The same over five years, cumulative', 'Dasselbe über fünf Jahre, kumuliert'),
      ),
      accumulating: nullable(
        flag(
          'Whether the fund accumulates its income; if not, its prices do not include distributions. Null if this is not known',
          'Ob der Fonds seine Erträge thesauriert; andernfalls enthalten seine Preise die Ausschüttungen nicht. Null, wenn dies nicht bekannt ist',
        ),
      ),
      total_expense_ratio: nullable(
        number('Total expense ratio (TER) in percent', 'Gesamtkostenquote (TER) in Prozent'),
      ),
      total_fund_assets: nullable(
        text(
          'Fund assets of all share classes, `<decimal> <currency>`; null if they are not known',
          'Fondsvermögen aller Anteilklassen, `<Zahl> <Währung>`; null, wenn es nicht bekannt ist',
        ),
      ),
      srri: nullable(
        wholeNumber(
          'Risk and reward indicator (SRRI), 1 to 7',
          'Risiko- und Ertragsindikator (SRRI), 1 bis 7',
          { minimum: 1, maximum: 7 },
        ),
      ),
      not_comparable: nullable(
        textAmong(
          'Why the fund cannot be compared with others: its prices or its performance may not be published, it has no prices, or it is less than one year old; null if it can',
          'Warum der Fonds nicht mit anderen verglichen werden kann: Preise oder Wertentwicklung dürfen nicht veröffentlicht werden, es liegen keine Preise vor, oder er ist jünger als ein Jahr; null, wenn er es kann',
          ['not_permitted', 'no_prices', 'young'],
        ),
      ),
      page: inBoth({
        en: 'Page of the fund in that language, relative to the URL of the API',
        de: 'Seite des Fonds in dieser Sprache, relativ zur URL der API',
      }),
    }),
  ),
})

/** The funds with each mark, in words. */
const marks = {
  fresh: { en: 'Funds with a recent price', de: 'Fonds mit aktuellem Preis' },
  late: { en: 'Funds whose price is overdue', de: 'Fonds mit überfälligem Preis' },
  stale: { en: 'Funds whose price is long overdue', de: 'Fonds mit lange überfälligem Preis' },
  suspended: { en: 'Suspended funds: no price is expected', de: 'Ausgesetzte Fonds, ohne erwarteten Preis' },
  ended: { en: 'Funds that have ended', de: 'Beendete Fonds' },
  unwatched: { en: 'Funds whose price may have any age', de: 'Fonds, deren Preis beliebig alt sein darf' },
  unpriced: { en: 'Funds without a price', de: 'Fonds ohne Preis' },
  withheld: { en: 'Funds whose prices may not be published', de: 'Fonds ohne freigegebene Preise' },
} as const satisfies Readonly<Record<string, Texts>>
const marked = list(
  record({
    isin,
    name: text('Name of the fund', 'Name des Fonds'),
    mark: textAmong(
      'How recent the newest price is: `late` and `stale` are overdue, of `suspended` and `ended` funds no price is expected, `unwatched` means that the age is not monitored, ' +
        '`unpriced` that there is no price, `withheld` that it may not be published',
      'Wie aktuell der neueste Preis ist: `late` und `stale` sind überfällig, bei `suspended` und `ended` ist kein Preis zu erwarten, bei `unwatched` wird das Alter nicht überwacht, bei ' +
        '`unpriced` gibt es keinen Preis, bei `withheld` ist er nicht freigegeben',
      Object.keys(marks),
    ),
    newest_price: nullable(day('Day of the newest price', 'Tag des neuesten Preises')),
    age_business_days: nullable(
      count('Age of that price in business days', 'Alter dieses Preises in Bankarbeitstagen'),
    ),
    rhythm_business_days: nullable(
      count(
        'Usual gap between two prices in business days',
        'Üblicher Abstand zweier Preise in Bankarbeitstagen',
      ),
    ),
    next_price: nullable(
      day('Day on which the next price is expected', 'Tag, für den der nächste Preis erwartet wird'),
    ),
  }),
)

const status = record({
  format,
  snapshot,
  as_of: asOf,
  funds: count('Number of funds', 'Anzahl der Fonds'),
  documents: count('Number of stored documents', 'Anzahl der gespeicherten Dokumente'),
  bytes: count('Size of these documents in bytes', 'Größe dieser Dokumente in Byte'),
  oldest_price: nullable(
    day(
      'Day of the oldest among the newest prices of the funds',
      'Tag des ältesten unter den neuesten Preisen der Fonds',
    ),
  ),
  newest_price: nullable(day('Day of the newest price of all funds', 'Tag des neuesten Preises aller Fonds')),
  freshness: record(
    Object.fromEntries(Object.entries(marks).map(([mark, { en, de }]) => [mark, count(en, de)])),
  ),
  overdue: marked,
  prices: marked,
  held_back: optional(
    list(
      record({
        isin,
        name: text(
          'Name of a fund whose new prices are being checked; until then, its prices stay unchanged',
          'Name eines Fonds, dessen neue Preise geprüft werden; bis dahin bleiben seine Preise unverändert',
        ),
      }),
    ),
  ),
})

const staged = record({
  format,
  staged: nullable(
    record({
      snapshot,
      as_of: asOf,
      staged_since: text('Time at which the data were staged, UTC', 'Zeitpunkt der Vorbereitung, UTC'),
    }),
  ),
})

const distributions = record({
  isin,
  currency: text('Currency of the fund, ISO 4217', 'Währung des Fonds, ISO 4217'),
  distributions: list(
    record({
      ex_date: day(
        'Ex-date: the first day whose net asset value lacks the distribution',
        'Ex-Tag: der erste Tag, dessen Nettoinventarwert die Ausschüttung nicht mehr enthält',
      ),
      amount: decimal(
        'Amount per share, as shares are on the ex-date',
        'Betrag je Anteil, bezogen auf die Anteile am Ex-Tag',
      ),
      currency: textLike('Currency of the amount, ISO 4217', 'Währung des Betrags, ISO 4217', '^[A-Z]{3}$'),
      reinvested_on: nullable(
        day(
          'Day of the first price on or after the ex-date; null if there is none yet',
          'Tag des ersten Preises am oder nach dem Ex-Tag; null, wenn es noch keinen gibt',
        ),
      ),
      net_asset_value: nullable(
        decimal(
          'Net asset value of that day, at which a total return reinvests the amount (BVI method)',
          'Nettoinventarwert dieses Tages, zu dem die Wertentwicklung den Betrag wieder anlegt (BVI-Methode)',
        ),
      ),
    }),
  ),
  splits: list(
    record({
      ex_date: day(
        'The first day whose net asset value is that of the new shares',
        'Der erste Tag, dessen Nettoinventarwert sich auf die neuen Anteile bezieht',
      ),
      factor: decimal(
        'New shares for an old one: 10 for a split 1:10, 0.1 for a reverse split',
        'Neue Anteile für einen alten: 10 bei einer Teilung 1:10, 0.1 bei einer Zusammenlegung',
      ),
    }),
  ),
})

const documents = record({
  isin,
  documents: list(
    record({
      kind: textAmong('Kind of the document', 'Art des Dokuments', documentKinds),
      language: text('Language of the document, ISO 639-1', 'Sprache des Dokuments, ISO 639-1'),
      date: day(
        'Day of the document; of a report, the end of its period',
        'Tag des Dokuments; bei Berichten das Ende des Zeitraums',
      ),
      title: text('Title of the document', 'Titel des Dokuments'),
      url: text('Address of the document', 'Adresse des Dokuments'),
      countries: optional(
        list(text('Country that it is for, ISO 3166-1', 'Land, für das es gilt, ISO 3166-1')),
      ),
    }),
  ),
})

const before = nullable(record({ as_of: asOf, snapshot }))
const publish = wholeNumber(
  'Number of the publication among those of its day, from 1',
  'Laufende Nummer der Veröffentlichung an ihrem Tag, ab 1',
  { minimum: 1 },
)
const publishTime = textLike(
  'Time of the publication in UTC; each has a later one than all before it',
  'Zeitpunkt der Veröffentlichung in UTC; jede hat einen späteren als alle vor ihr',
  String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`,
)
const named = { isin, name: nullable(text('Name of the fund', 'Name des Fonds')) }
const inWords = {
  title: text('What changed, in a few words', 'Was sich geändert hat, in wenigen Worten'),
  lines: list(text('What changed, one statement each', 'Was sich geändert hat, je eine Aussage')),
  remarks: optional(
    list(
      text(
        'Which of these lines say what was checked and released, or what is not known',
        'Welche dieser Aussagen nennen, was geprüft und freigegeben wurde oder nicht bekannt ist',
      ),
    ),
  ),
}
const successor = optional(record({ ...named }))
const price = nullable(decimal('The value; null if there was none', 'Der Wert; null, wenn es keinen gab'))
const correction = {
  date: day('Day of the price', 'Tag des Preises'),
  item: text('Name of the value, such as `net_asset_value`', 'Name des Werts, etwa `net_asset_value`'),
  before: price,
  after: price,
  currency: optional(
    textLike(
      'Currency of an amount per share, ISO 4217; absent for other values',
      'Währung eines Betrags je Anteil, ISO 4217; fehlt bei anderen Werten',
      '^[A-Z]{3}$',
    ),
  ),
}
const end = {
  last_day: nullable(
    day(
      'Last day of the fund; null if none is known any more',
      'Letzter Tag des Fonds; null, wenn keiner mehr bekannt ist',
    ),
  ),
  reason: nullable(
    textAmong(
      'Why the fund ends; null if that is not known',
      'Warum der Fonds endet; null, wenn das nicht bekannt ist',
      endReasons,
    ),
  ),
  successor,
}
const suspension = {
  from: nullable(
    day(
      'First day of the suspension; null if the fund is no longer suspended',
      'Erster Tag der Aussetzung; null, wenn der Fonds nicht mehr ausgesetzt ist',
    ),
  ),
  to: nullable(
    day(
      'Last day of the suspension; null if it is not known',
      'Letzter Tag der Aussetzung; null, wenn er nicht bekannt ist',
    ),
  ),
}
const told = optional(
  nullable(
    text(
      'The value; null if there was none. For a table of several rows, the newest day of the kind. Absent for a long text, and where the days are the same',
      'Der Wert; null, wenn es keinen gab. Bei einer Tabelle mit mehreren Zeilen der neueste Tag der Art. Fehlt bei einem langen Text und bei gleichen Tagen',
    ),
  ),
)
const changedData = {
  table: text(
    'Table of the downloads: funds, profiles, emt, documents, distributions, structures or allocations',
    'Tabelle der Downloads: funds, profiles, emt, documents, distributions, structures oder allocations',
  ),
  item: nullable(
    text(
      'Column of the table, such as `total_expense_ratio`; for a table of several rows, the kind of the rows that differ, such as `kid`; null if rows have no kind, or the table is new or empty for this fund',
      'Spalte der Tabelle, etwa `total_expense_ratio`; bei einer Tabelle mit mehreren Zeilen die Art der geänderten Zeilen, etwa `kid`; null, wenn Zeilen keine Art haben oder die Tabelle für diesen Fonds neu oder leer ist',
    ),
  ),
  language: optional(text('Language of a document, ISO 639-1', 'Sprache eines Dokuments, ISO 639-1')),
  before: told,
  after: told,
}
const funds = (en: string, de: string) => count(`Number of ${en}`, `Anzahl ${de}`)
/** How things stand after a publish, beside what it changed. */
const afterwards = <Prefix extends string>(prefix: Prefix) => {
  const total = funds('published funds', 'der veröffentlichten Fonds')
  const overdue = funds('funds whose price is overdue', 'der Fonds mit überfälligem Preis')
  const stale = funds(
    'these whose price is stale, the others are late',
    'derjenigen davon, deren Preis veraltet ist; die übrigen sind verspätet',
  )
  const heldBack = funds(
    'funds whose new prices are being checked; until then, their prices stay unchanged',
    'der Fonds, deren neue Preise geprüft werden; bis dahin bleiben ihre Preise unverändert',
  )
  return {
    [`${prefix}total`]: total,
    [`${prefix}overdue`]: overdue,
    [`${prefix}stale`]: stale,
    [`${prefix}held_back`]: heldBack,
  } as Readonly<Record<`${Prefix}${'total' | 'overdue' | 'stale' | 'held_back'}`, typeof total>>
}
/** The first of those that the counts have as overdue or held back. */
const awaited = optional(list(record(named)))
const published = {
  as_of: asOf,
  snapshot,
  before,
  ...inWords,
  de: record(inWords),
  counts: record({
    corrected_prices: count('Number of corrected prices', 'Anzahl der korrigierten Preise'),
    corrected_funds: funds('funds with corrected prices', 'der Fonds mit korrigierten Preisen'),
    days_added: count('Number of days added in the past', 'Anzahl der nachgetragenen Tage'),
    days_removed: count('Number of days removed in the past', 'Anzahl der entfallenen Tage'),
    funds_added: funds('new funds', 'der neuen Fonds'),
    funds_removed: funds('funds no longer published', 'der nicht mehr veröffentlichten Fonds'),
    funds_renamed: funds('renamed funds', 'der umbenannten Fonds'),
    funds_ending: funds('funds whose end has changed', 'der Fonds mit geändertem Ende'),
    funds_suspended: funds(
      'funds whose suspension has changed',
      'der Fonds mit begonnener, geänderter oder beendeter Aussetzung',
    ),
    funds_with_other_data: funds(
      'funds whose data other than prices changed',
      'der Fonds mit Änderungen an anderen Daten als Preisen',
    ),
    funds_with_new: funds('funds with prices of new days', 'der Fonds mit Preisen neuer Tage'),
    ...afterwards('funds_'),
  }),
  awaited,
  funds: optional(
    list(
      record({
        ...named,
        what: optional(
          textAmong('What happened to the fund', 'Was mit dem Fonds geschah', [
            'added',
            'removed',
            'renamed',
          ]),
        ),
        corrected: optional(
          count('Number of days with corrected prices', 'Anzahl der Tage mit korrigierten Preisen'),
        ),
        days_added: optional(count('Number of days added in the past', 'Anzahl der nachgetragenen Tage')),
        days_removed: optional(count('Number of days removed in the past', 'Anzahl der entfallenen Tage')),
        former_name: optional(text('Former name of a renamed fund', 'Früherer Name eines umbenannten Fonds')),
        end: optional(record(end)),
        suspension: optional(record(suspension)),
        other_data: optional(
          record({
            values: count('Number of these changes', 'Anzahl dieser Änderungen'),
            changed: list(record(changedData)),
          }),
        ),
        successor,
        newest_correction: optional(record(correction)),
      }),
    ),
  ),
  publish,
  published: publishTime,
}

const changes = record({
  format,
  nights: list(
    record({
      ...published,
      file: text(
        'Name of the file of this day, beside this one',
        'Name der Datei dieses Tages im selben Ordner',
      ),
      sha256: text('SHA-256 of that file', 'SHA-256 dieser Datei'),
      bytes: count('Size of that file in bytes', 'Größe dieser Datei in Byte'),
      earlier: list(record(published)),
    }),
  ),
})

const counts = {
  added: count('Number of new documents', 'Anzahl der neuen Dokumente'),
  removed: count('Number of removed documents', 'Anzahl der entfallenen Dokumente'),
  changed: count('Number of changed documents', 'Anzahl der geänderten Dokumente'),
}
const past = { ...named, date: day('Day of the price', 'Tag des Preises') }

const dayOfChanges = {
  format,
  as_of: asOf,
  snapshot,
  before,
  funds: record({
    ...afterwards(''),
    awaited,
    added: list(record(named)),
    removed: list(record({ ...named, successor })),
    renamed: list(
      record({
        isin,
        before: text('Former name', 'Früherer Name'),
        after: text('New name', 'Neuer Name'),
      }),
    ),
    ending: list(record({ ...named, ...end })),
    suspended: list(record({ ...named, ...suspension })),
  }),
  documents: record(counts),
  endpoints: list(record({ endpoint: text('Id of the endpoint', 'Kennung des Endpunkts'), ...counts })),
  prices: record({
    counts: record({
      corrected: count('Number of corrected values', 'Anzahl der korrigierten Werte'),
      added: count('Number of days added in the past', 'Anzahl der nachgetragenen Tage'),
      removed: count('Number of days removed in the past', 'Anzahl der entfallenen Tage'),
    }),
    totals: record({
      funds_with_new: count(
        'Number of funds with prices of new days',
        'Anzahl der Fonds mit Preisen neuer Tage',
      ),
      corrected_prices: count('Number of corrected prices', 'Anzahl der korrigierten Preise'),
      corrected_funds: count(
        'Number of funds with corrected prices',
        'Anzahl der Fonds mit korrigierten Preisen',
      ),
    }),
    corrected: list(record({ ...named, ...correction })),
    added: list(record(past)),
    removed: list(record(past)),
  }),
  other_data: record({
    values: count(
      'Number of rows in `changed`, were it complete',
      'Anzahl der Zeilen in `changed`, wäre es vollständig',
    ),
    funds: funds('funds with changes', 'der Fonds mit Änderungen'),
    changed: list(record({ ...named, ...changedData })),
  }),
  not_compared: list(
    text('Document whose changes are not known', 'Dokument, dessen Änderungen nicht bekannt sind'),
  ),
  allowed: optional(
    list(
      record({
        guard: text('Name of the check that objected', 'Name der Prüfung mit Beanstandung'),
        subject: nullable(text('What it concerns, for example an ISIN', 'Was sie betrifft, etwa eine ISIN')),
        reason: text('Why it was allowed', 'Warum sie zugelassen wurde'),
      }),
    ),
  ),
  publish,
  published: publishTime,
}

const downloadDays = record({
  format,
  as_of: asOf,
  days: list(day('A day whose files are available', 'Ein Tag, dessen Dateien verfügbar sind')),
  withdrawn: list(
    day(
      'A day whose files were withdrawn, because data in them may no longer be given out',
      'Ein Tag, dessen Dateien zurückgezogen wurden, weil Daten darin nicht mehr herausgegeben werden dürfen',
    ),
  ),
})

export const listShapes = {
  downloadDays,
  fundList,
  distributions,
  documents,
  status,
  staged,
  changes,
  changesOfDay: record({ ...dayOfChanges, earlier: list(record(dayOfChanges)) }),
}
