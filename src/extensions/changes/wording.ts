import { bilingual } from '../../core/layout/bilingual.ts'

export const changeWords = bilingual((say) => ({
  description: say(
    'What has changed in the published data: corrected prices, new funds, funds no longer published.',
    'Was sich an den veröffentlichten Daten geändert hat: korrigierte Preise, neue Fonds, nicht mehr veröffentlichte Fonds.',
  ),
  feedTitle: (author: string) => say(`Changes at ${author}`, `Änderungen bei ${author}`),
  intro: say(
    'Changes to the published data, newest day first (at most 30 days).',
    'Änderungen an den veröffentlichten Daten, der neueste Tag zuerst (höchstens 30 Tage).',
  ),
  empty: say(
    'Nothing has been published yet. The list begins with the first publication.',
    'Noch wurde nichts veröffentlicht. Die Liste beginnt mit der ersten Veröffentlichung.',
  ),
  feed: say('Atom feed', 'Atom-Feed'),
  asData: say('This page as JSON', 'Diese Seite als JSON'),
  unknownDay: (day: string) =>
    say(
      `Nothing is known of ${day}: nothing was published on this day, or it is more than 30 days of publication ago.`,
      `Über den ${day} ist nichts bekannt: An diesem Tag wurde nichts veröffentlicht, oder er liegt mehr als 30 Tage mit Veröffentlichungen zurück.`,
    ),
  failedDay: (day: string) =>
    say(
      `The changes on ${day} could not be loaded.`,
      `Die Änderungen vom ${day} konnten nicht geladen werden.`,
    ),
  byFund: say('By fund', 'Nach Fonds'),
  moreData: (count: number, shown: string) =>
    say(
      count === 1 ? '1 more change' : `${shown} more changes`,
      count === 1 ? '1 weitere Änderung' : `${shown} weitere Änderungen`,
    ),
  otherDataOf: (funds: string) =>
    say(`${funds} with other changed data`, `${funds} mit anderen geänderten Daten`),
  /** For more funds than are named. */
  ending: (funds: string) =>
    say(`${funds} with a new or changed end date`, `${funds} mit neuem oder geändertem Enddatum`),
  /** Announced, or with another date: the day before is not known. */
  ends: {
    liquidated: (funds: string) => say(`liquidation of ${funds}`, `Auflösung von ${funds}`),
    matured: (funds: string) => say(`maturity of ${funds}`, `Laufzeitende von ${funds}`),
    merged: (funds: string) => say(`merger of ${funds}`, `Verschmelzung von ${funds}`),
    ended: (funds: string) => say(`end of ${funds}`, `Ende von ${funds}`),
    cancelled: (funds: string) => say(`end of ${funds} cancelled`, `Ende von ${funds} aufgehoben`),
  },
  noEnd: say('No end any more', 'Kein Ende mehr'),
  /** For more funds than are named. */
  suspended: (funds: string) =>
    say(`${funds} with a new or ended suspension`, `${funds} mit neuer oder beendeter Aussetzung`),
  suspensionKinds: {
    begun: (funds: string) => say(`suspension of ${funds}`, `Aussetzung von ${funds}`),
    over: (funds: string) => say(`${funds} no longer suspended`, `${funds} nicht mehr ausgesetzt`),
  },
  suspensions: {
    open: (from: string) => say(`Suspended from ${from}`, `Ausgesetzt ab ${from}`),
    closed: (from: string, to: string) =>
      say(`Suspended from ${from} to ${to}`, `Ausgesetzt vom ${from} bis zum ${to}`),
    over: say('No longer suspended', 'Nicht mehr ausgesetzt'),
  },
  into: say('into', 'auf'),
  byFundLead: say(
    'Funds with changes other than new prices (at most 200 a day).',
    'Fonds mit anderen Änderungen als neuen Preisen (höchstens 200 je Tag).',
  ),
  noFund: say(
    'No fund had changes other than new prices.',
    'Kein Fonds hatte andere Änderungen als neue Preise.',
  ),
  dayHeading: (day: string) => say(`Changes on ${day}`, `Änderungen vom ${day}`),
  publish: (number: string) =>
    say(`Publication ${number} of this day`, `${number}. Veröffentlichung dieses Tages`),
  more: (count: string) =>
    say(`${count} more rows are in the JSON file.`, `${count} weitere Zeilen enthält die JSON-Datei.`),
  columns: {
    fund: say('Fund', 'Fonds'),
    date: say('Date', 'Datum'),
    item: say('Value', 'Wert'),
    what: say('Change', 'Änderung'),
    before: say('Before', 'Vorher'),
    after: say('After', 'Nachher'),
    difference: say('Difference', 'Differenz'),
    oldName: say('Old name', 'Bisheriger Name'),
    newName: say('New name', 'Neuer Name'),
  },
  fund: {
    added: say('New', 'Neu'),
    removed: say('No longer published', 'Nicht mehr veröffentlicht'),
    renamed: say('Renamed', 'Umbenannt'),
  },
  first: (funds: string) => say(`First publication: ${funds}`, `Erste Veröffentlichung: ${funds}`),
  prices: (count: number, shown: string) =>
    say(count === 1 ? '1 price' : `${shown} prices`, count === 1 ? '1 Preis' : `${shown} Preise`),
  funds: (count: number, shown: string) => say(count === 1 ? '1 fund' : `${shown} funds`, `${shown} Fonds`),
  corrected: (prices: string, funds: string) =>
    say(`${prices} of ${funds} corrected`, `${prices} von ${funds} korrigiert`),
  /** Of one fund, or if the number of funds is not known. */
  correctedOf: (prices: string) => say(`${prices} corrected`, `${prices} korrigiert`),
  values: (count: number, shown: string) =>
    say(count === 1 ? '1 value' : `${shown} values`, count === 1 ? '1 Wert' : `${shown} Werte`),
  daysAdded: (count: number, shown: string) =>
    say(
      count === 1 ? '1 past price added' : `${shown} past prices added`,
      count === 1 ? '1 früherer Preis ergänzt' : `${shown} frühere Preise ergänzt`,
    ),
  daysRemoved: (count: number, shown: string) =>
    say(
      count === 1 ? '1 past price removed' : `${shown} past prices removed`,
      count === 1 ? '1 früherer Preis entfernt' : `${shown} frühere Preise entfernt`,
    ),
  removed: (funds: string) => say(`${funds} no longer published`, `${funds} nicht mehr veröffentlicht`),
  added: (count: number, shown: string) =>
    say(
      count === 1 ? '1 new fund' : `${shown} new funds`,
      count === 1 ? '1 neuer Fonds' : `${shown} neue Fonds`,
    ),
  renamed: (funds: string) => say(`${funds} renamed`, `${funds} umbenannt`),
  newPrices: (funds: string) => say(`${funds} with new prices`, `${funds} mit neuen Preisen`),
  otherData: say('Other data changed', 'Andere Daten geändert'),
  unknown: say('It is not known what changed', 'Nicht bekannt, was sich geändert hat'),
  nothing: say('Nothing changed', 'Keine Änderungen'),
  notCompared: (count: number, shown: string) =>
    say(
      count === 1 ? 'The changes of 1 file are not known' : `The changes of ${shown} files are not known`,
      count === 1
        ? 'Die Änderungen einer Datei sind nicht bekannt'
        : `Die Änderungen von ${shown} Dateien sind nicht bekannt`,
    ),
  documents: {
    changed: (count: number, shown: string) =>
      say(
        count === 1 ? '1 document changed' : `${shown} documents changed`,
        count === 1 ? '1 Dokument geändert' : `${shown} Dokumente geändert`,
      ),
    added: (count: number, shown: string) =>
      say(
        count === 1 ? '1 document added' : `${shown} documents added`,
        count === 1 ? '1 Dokument ergänzt' : `${shown} Dokumente ergänzt`,
      ),
    removed: (count: number, shown: string) =>
      say(
        count === 1 ? '1 document removed' : `${shown} documents removed`,
        count === 1 ? '1 Dokument entfallen' : `${shown} Dokumente entfallen`,
      ),
  },
  /** @param fund null if it is not about one fund */
  checked: (fund: string | null, reason: string) =>
    fund === null
      ? say(`Checked and released. Reason: ${reason}`, `Geprüft und freigegeben. Grund: ${reason}`)
      : say(
          `Checked and released: ${fund}. Reason: ${reason}`,
          `Geprüft und freigegeben: ${fund}. Grund: ${reason}`,
        ),
  mergedInto: say('merged into', 'verschmolzen auf'),
  formerly: (name: string) => say(`formerly “${name}”`, `bisher „${name}“`),
  moreFunds: (count: string) => say(`${count} more funds of this day`, `${count} weitere Fonds dieses Tages`),
  allOfDay: (day: string) => say(`All changes on ${day}`, `Alle Änderungen vom ${day}`),
  newestPrices: say(
    'The list of funds has the newest price of each fund.',
    'Die Fondsliste enthält den neuesten Preis jedes Fonds.',
  ),
  /** Among other days; the page of the day has the reason. */
  withdrawnDay: say('Downloads withdrawn', 'Downloads zurückgezogen'),
  withdrawn: say(
    'The downloads of this day were withdrawn, because data in them may no longer be given out.',
    'Die Downloads dieses Tages wurden zurückgezogen, weil Daten darin nicht mehr herausgegeben werden dürfen.',
  ),
  earlierDay: (day: string) => say(`Earlier: ${day}`, `Früher: ${day}`),
  laterDay: (day: string) => say(`Later: ${day}`, `Später: ${day}`),
  andMore: (count: string) => say(`and ${count} more`, `und ${count} weitere`),
  none: say('none', 'ohne Wert'),
}))
