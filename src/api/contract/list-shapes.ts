/** What the JSON of each list looks like. */

import {
  day,
  decimal,
  flag,
  list,
  nullable,
  optional,
  record,
  text,
  textAmong,
  wholeNumber,
} from './shape.ts'
import type { Fields, Texts } from './shape.ts'

const count = (en: string, de: string) => wholeNumber(en, de, { minimum: 0 })
/** `format` grows when a program must change. */
const format = wholeNumber('Version of this document: 1', 'Version dieses Dokuments: 1', {
  minimum: 1,
  maximum: 1,
})
const isin = text('ISIN', 'ISIN des Fonds')
const asOf = day('As-of date of the data', 'Stichtag der Daten')
const snapshot = text(
  'Id of the snapshot: another id means other data',
  'Kennung des Datenstands: eine andere Kennung bedeutet andere Daten',
)

const inBoth = (description: Texts) =>
  record({ de: text(description.en, description.de), en: text(description.en, description.de) })

const fundList = record({
  as_of: asOf,
  funds: list(
    record({
      isin,
      wkn: nullable(text('WKN, the German securities number', 'WKN')),
      name: text('Name of the fund', 'Name des Fonds'),
      currency: text('Currency of the prices, ISO 4217', 'Währung der Preise, ISO 4217'),
      category: nullable(inBoth({ en: 'Fund category', de: 'Fondskategorie' })),
      price: nullable(
        record({
          date: day('Day of the newest price', 'Tag des neuesten Preises'),
          net_asset_value: decimal(
            'Net asset value per share, digit for digit',
            'Nettoinventarwert je Anteil mit genau den gelieferten Ziffern',
          ),
          change_percent: nullable(
            decimal(
              'Change from the previous price in percent; null for a fund younger than one year',
              'Veränderung zum vorherigen Preis in Prozent; null bei Fonds, die jünger als ein Jahr sind',
            ),
          ),
          overdue: nullable(
            textAmong('Whether the price is overdue', 'Ob der Preis überfällig ist', ['late', 'stale']),
          ),
        }),
      ),
      one_year_percent: nullable(
        decimal(
          'Performance of the last year in percent, two decimals',
          'Wertentwicklung des letzten Jahres in Prozent, zwei Nachkommastellen',
        ),
      ),
      accumulating: nullable(
        flag(
          'Whether income stays in the fund; if not, its prices lack what it distributed. Null if not known',
          'Ob Erträge im Fonds verbleiben; andernfalls fehlen seinen Preisen die Ausschüttungen. Null, wenn nicht bekannt',
        ),
      ),
      comparable: flag(
        'Whether the fund may be compared with others: its prices and its performance may be published, and it is at least one year old',
        'Ob der Fonds mit anderen verglichen werden darf: Preise und Wertentwicklung dürfen veröffentlicht werden, und er ist mindestens ein Jahr alt',
      ),
      page: inBoth({
        en: 'Page of the fund, relative to the address of the API',
        de: 'Seite des Fonds, relativ zur Adresse der API',
      }),
    }),
  ),
})

const marks = ['fresh', 'late', 'stale', 'unwatched', 'unpriced', 'withheld'] as const
const marked = list(
  record({
    isin,
    name: text('Name of the fund', 'Name des Fonds'),
    mark: textAmong(
      'How recent the newest price is: `late` and `stale` are overdue, `unwatched` means that no one expects a price, ' +
        '`unpriced` that there is none, `withheld` that it may not be published.',
      'Wie aktuell der neueste Preis ist: `late` und `stale` sind überfällig, bei `unwatched` wird kein Preis erwartet, bei ' +
        '`unpriced` gibt es keinen, bei `withheld` ist er nicht freigegeben.',
      marks,
    ),
    newest_price: nullable(day('Day of the newest price', 'Tag des neuesten Preises')),
    age_business_days: nullable(count('Age of that price in business days', 'Alter in Bankarbeitstagen')),
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
  bytes: count('Their size in bytes', 'Ihr Umfang in Byte'),
  oldest_price: nullable(
    day('The oldest of the newest prices of all funds', 'Der älteste unter den neuesten Preisen aller Fonds'),
  ),
  newest_price: nullable(day('The newest price of all funds', 'Der neueste Preis aller Fonds')),
  freshness: record(
    Object.fromEntries(
      marks.map((mark) => [mark, count(`Number of funds marked ${mark}`, `Anzahl der Fonds mit ${mark}`)]),
    ),
  ),
  overdue: marked,
  prices: marked,
  withheld: optional(
    list(
      record({
        isin,
        name: text(
          'Name of a fund whose new prices are being checked: its prices stay as they were',
          'Name eines Fonds, dessen neue Preise geprüft werden: Seine Preise bleiben unverändert',
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
      staged_since: text('Time at which it was staged, UTC', 'Zeitpunkt der Vorbereitung, UTC'),
    }),
  ),
})

const before = nullable(record({ asOf, snapshot }))
const publish = wholeNumber(
  'Number of the publication among those of its day',
  'Nummer der Veröffentlichung an ihrem Tag',
  { minimum: 1 },
)
const named: Fields = { isin, name: nullable(text('Name of the fund', 'Name des Fonds')) }
const inWords = {
  title: text('What changed, in a few words', 'Was sich geändert hat, in wenigen Worten'),
  lines: list(text('What changed, one statement each', 'Was sich geändert hat, je eine Aussage')),
}
const published = {
  asOf,
  snapshot,
  before,
  ...inWords,
  de: optional(record(inWords)),
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
        daysAdded: optional(count('Number of days added in the past', 'Anzahl der nachgetragenen Tage')),
        daysRemoved: optional(count('Number of days removed in the past', 'Anzahl der entfallenen Tage')),
      }),
    ),
  ),
  publish,
}

const changes = record({
  format,
  look: optional(text('For fundpress itself', 'Für fundpress selbst')),
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
  added: count('Number of new ones', 'Anzahl der neuen'),
  removed: count('Number of removed ones', 'Anzahl der entfallenen'),
  changed: count('Number of changed ones', 'Anzahl der geänderten'),
}
const past: Fields = { ...named, date: day('Day of the price', 'Tag des Preises') }
const price = nullable(decimal('The price; null: there was none', 'Der Preis; null: keiner'))

const dayOfChanges: Fields = {
  format,
  asOf,
  snapshot,
  before,
  funds: record({
    total: count('Number of funds', 'Anzahl der Fonds'),
    added: list(record(named)),
    removed: list(record(named)),
    renamed: list(
      record({
        isin,
        before: text('Former name', 'Früherer Name'),
        after: text('New name', 'Neuer Name'),
      }),
    ),
  }),
  documents: record(counts),
  endpoints: list(record({ endpoint: text('Id of the endpoint', 'Kennung des Endpunkts'), ...counts })),
  prices: record({
    counts: record({
      corrected: count('Number of corrected values', 'Anzahl der korrigierten Werte'),
      added: count('Number of days added in the past', 'Anzahl der nachgetragenen Tage'),
      removed: count('Number of days removed in the past', 'Anzahl der entfallenen Tage'),
    }),
    totals: optional(
      record({
        fundsWithNew: count(
          'Number of funds with prices of new days',
          'Anzahl der Fonds mit Preisen neuer Tage',
        ),
        correctedPrices: count('Number of corrected prices', 'Anzahl der korrigierten Preise'),
        correctedFunds: count('Number of funds with these', 'Anzahl der Fonds mit solchen Preisen'),
      }),
    ),
    corrected: list(
      record({
        ...past,
        item: text('Name of the value, such as `net_asset_value`', 'Name des Werts, etwa `net_asset_value`'),
        before: price,
        after: price,
      }),
    ),
    added: list(record(past)),
    removed: list(record(past)),
  }),
  notCompared: list(
    text('Document whose changes are not known', 'Dokument, dessen Änderungen nicht bekannt sind'),
  ),
  allowed: optional(
    list(
      record({
        guard: text('Name of the check that objected', 'Name der Prüfung, die widersprochen hat'),
        subject: nullable(text('What it is about: an ISIN, for example', 'Worum es geht: etwa eine ISIN')),
        message: text('What it found, in English', 'Was sie gefunden hat, auf Englisch'),
        who: text('Who allowed it', 'Wer es freigegeben hat'),
        reason: text('Why', 'Aus welchem Grund'),
      }),
    ),
  ),
  publish,
}

export const listShapes = {
  fundList,
  status,
  staged,
  changes,
  changesOfDay: record({ ...dayOfChanges, earlier: list(record(dayOfChanges)) }),
}
