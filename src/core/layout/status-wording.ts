/** Words of the status page. Other pages, and the terminal, share the names of marks. */

import { bilingual } from './bilingual.ts'

/** Which word overdue prices have, by how many there are of each. */
export const overdueKind = ({ late, stale }: Readonly<Record<'late' | 'stale', number>>) =>
  late === 0 ? 'stale' : stale === 0 ? 'late' : 'both'

export const statusWords = bilingual((say) => ({
  description: (day: string) =>
    say(
      `How up to date the fund data are: the newest price of each fund, as of ${day}.`,
      `Aktualität der Fondsdaten: der neueste Preis jedes Fonds, Stichtag ${day}.`,
    ),
  verdicts: {
    fresh: say('No price is late', 'Kein Preis ist verspätet'),
    unwatched: say('No prices are monitored', 'Es werden keine Preise überwacht'),
  },
  /** @param which late, stale, or both */
  overdueVerdict: (count: string, which: 'late' | 'stale' | 'both') => {
    const words = {
      late: say('late', 'verspätet'),
      stale: say('stale', 'veraltet'),
      both: say('late or stale', 'verspätet oder veraltet'),
    }
    return count === '1'
      ? say(`1 price is ${words[which]}`, `1 Preis ist ${words[which]}`)
      : say(`${count} prices are ${words[which]}`, `${count} Preise sind ${words[which]}`)
  },
  /** Funds of a mark that asks for nothing: in a line, and folded. */
  folded: {
    fresh: (count: string) =>
      count === '1'
        ? say('1 fund is up to date', '1 Fonds ist aktuell')
        : say(`${count} funds are up to date`, `${count} Fonds sind aktuell`),
    suspended: (count: string) =>
      count === '1'
        ? say('1 fund is suspended', '1 Fonds ist ausgesetzt')
        : say(`${count} funds are suspended`, `${count} Fonds sind ausgesetzt`),
    ended: (count: string) =>
      count === '1'
        ? say('1 fund has ended', '1 Fonds ist beendet')
        : say(`${count} funds have ended`, `${count} Fonds sind beendet`),
    unwatched: (count: string) =>
      count === '1'
        ? say('1 fund is not monitored', '1 Fonds wird nicht überwacht')
        : say(`${count} funds are not monitored`, `${count} Fonds werden nicht überwacht`),
    unpriced: (count: string) =>
      count === '1'
        ? say('1 fund is without a price', '1 Fonds ist ohne Preis')
        : say(`${count} funds are without a price`, `${count} Fonds sind ohne Preis`),
    withheld: (count: string) =>
      count === '1'
        ? say('The prices of 1 fund are not published', 'Die Preise von 1 Fonds werden nicht veröffentlicht')
        : say(
            `The prices of ${count} funds are not published`,
            `Die Preise von ${count} Fonds werden nicht veröffentlicht`,
          ),
  },
  snapshot: say('Snapshot', 'Datenstand'),
  asOf: say('As of', 'Stichtag'),
  live: say('Live since', 'Online seit'),
  staged: say('Staged, not live yet', 'Vorbereitet, noch nicht online'),
  /** The time of going live, or the staged snapshot. */
  notLoaded: say('could not be loaded', 'konnte nicht geladen werden'),
  newest: say('Newest price', 'Neuester Preis'),
  oldest: say('Oldest price', 'Ältester Preis'),
  funds: say('Funds', 'Fonds'),
  documents: say('Documents', 'Dokumente'),
  prices: say('Prices', 'Preise'),
  marks: {
    fresh: say('up to date', 'aktuell'),
    late: say('late', 'verspätet'),
    stale: say('stale', 'veraltet'),
    suspended: say('suspended', 'ausgesetzt'),
    ended: say('ended', 'beendet'),
    unwatched: say('not monitored', 'nicht überwacht'),
    unpriced: say('without a price', 'ohne Preis'),
    withheld: say('not published', 'nicht veröffentlicht'),
  },
  withheld: say('Prices held back', 'Zurückgehaltene Preise'),
  withheldNote: say(
    'The new prices of these funds are being checked. Until then, the last published prices remain.',
    'Die neuen Preise dieser Fonds werden geprüft. Bis dahin bleiben die zuletzt veröffentlichten Preise bestehen.',
  ),
  overdue: {
    late: say('Late prices', 'Verspätete Preise'),
    stale: say('Stale prices', 'Veraltete Preise'),
    both: say('Stale and late prices', 'Veraltete und verspätete Preise'),
  },
  /** In a line, and folded: those that follow. */
  others: (count: number, shown: string) =>
    say(
      count === 1 ? '1 more fund' : `${shown} more funds`,
      count === 1 ? '1 weiterer Fonds' : `${shown} weitere Fonds`,
    ),
  more: (count: string) =>
    say(`${count} more funds are in the JSON document.`, `Das JSON-Dokument enthält ${count} weitere Fonds.`),
  columns: {
    fund: say('Fund', 'Fonds'),
    mark: say('Status', 'Status'),
    price: say('Price date', 'Preisdatum'),
    age: say('Age', 'Alter'),
    rhythm: say('Interval', 'Turnus'),
    next: say('Next price', 'Nächster Preis'),
  },
  /** The day of a price that has not come. */
  since: say('since', 'seit'),
  businessDays: (count: string) =>
    say(
      `${count} business day${count === '1' ? '' : 's'}`,
      `${count} Bankarbeitstag${count === '1' ? '' : 'e'}`,
    ),
  rhythm: (count: string) =>
    count === '1'
      ? say('daily', 'täglich')
      : say(`every ${count} business days`, `alle ${count} Bankarbeitstage`),
  notes: {
    age: say('Age: business days since the newest price.', 'Alter: Bankarbeitstage seit dem neuesten Preis.'),
    rhythm: say(
      'Interval: the usual time between two prices.',
      'Turnus: üblicher Abstand zwischen zwei Preisen.',
    ),
    next: say(
      'Next price: the day on which it is expected. A fund is up to date as long as this price is not late.',
      'Nächster Preis: der Tag, an dem er erwartet wird. Ein Fonds ist aktuell, solange dieser Preis nicht verspätet ist.',
    ),
    /** Only beside a day that has `since`. */
    awaited: say(
      'With “since” before the day, the price was expected then and has not come yet.',
      'Steht „seit“ vor dem Tag, wurde der Preis an ihm erwartet und steht noch aus.',
    ),
    oldest: say(
      'Oldest price: of the funds whose prices are monitored.',
      'Ältester Preis: unter den Fonds, deren Preise überwacht werden.',
    ),
  },
  asData: say('This page as JSON', 'Diese Seite als JSON'),
}))
