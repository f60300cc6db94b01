import { bilingual } from '../bilingual.ts'

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
      `The changes on ${day} are not known (any more).`,
      `Die Änderungen vom ${day} sind nicht (mehr) bekannt.`,
    ),
  byDay: say('By day', 'Nach Tagen'),
  byFund: say('By fund', 'Nach Fonds'),
  byFundLead: say(
    'Funds with changes other than new prices, at most 200 a day. The list of a day has more of them.',
    'Fonds mit anderen Änderungen als neuen Preisen, höchstens 200 je Tag. Die Liste eines Tages nennt mehr.',
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
    before: say('Before', 'Vorher'),
    after: say('After', 'Nachher'),
    oldName: say('Old name', 'Bisheriger Name'),
    newName: say('New name', 'Neuer Name'),
  },
  fund: {
    added: say('new', 'neu'),
    removed: say('no longer published', 'nicht mehr veröffentlicht'),
    renamed: say('renamed', 'umbenannt'),
  },
  first: (funds: string, documents: string) =>
    say(
      `First publication: ${funds} funds, ${documents} documents`,
      `Erste Veröffentlichung: ${funds} Fonds, ${documents} Dokumente`,
    ),
  prices: (count: number, shown: string) =>
    say(count === 1 ? '1 price' : `${shown} prices`, count === 1 ? '1 Preis' : `${shown} Preise`),
  funds: (count: number, shown: string) => say(count === 1 ? '1 fund' : `${shown} funds`, `${shown} Fonds`),
  corrected: (prices: string, funds: string) =>
    say(`Corrected: ${prices} of ${funds}`, `Korrigiert: ${prices} von ${funds}`),
  correctedValues: (count: number, shown: string) =>
    say(
      `Corrected: ${count === 1 ? '1 value' : `${shown} values`}`,
      `Korrigiert: ${count === 1 ? '1 Wert' : `${shown} Werte`}`,
    ),
  correctedOf: (prices: string) => say(`${prices} corrected`, `${prices} korrigiert`),
  daysAdded: (prices: string) =>
    say(`Added for earlier days: ${prices}`, `Für frühere Tage ergänzt: ${prices}`),
  addedLater: (prices: string) => say(`${prices} added retroactively`, `${prices} nachträglich ergänzt`),
  daysRemoved: (prices: string) =>
    say(`Removed for earlier days: ${prices}`, `Für frühere Tage entfernt: ${prices}`),
  removedLater: (prices: string) => say(`${prices} removed retroactively`, `${prices} nachträglich entfernt`),
  removed: (funds: string) => say(`No longer published: ${funds}`, `Nicht mehr veröffentlicht: ${funds}`),
  added: (funds: string) => say(`New: ${funds}`, `Neu: ${funds}`),
  renamed: (funds: string) => say(`Renamed: ${funds}`, `Umbenannt: ${funds}`),
  newPrices: (count: number, shown: string) =>
    say(`New prices of ${count === 1 ? '1 fund' : `${shown} funds`}`, `Neue Preise von ${shown} Fonds`),
  documents: (count: number, shown: string) =>
    say(
      `Changed: ${count === 1 ? '1 document' : `${shown} documents`}`,
      `Geändert: ${count === 1 ? '1 Dokument' : `${shown} Dokumente`}`,
    ),
  unknown: say('It is not known what changed', 'Nicht bekannt, was sich geändert hat'),
  nothing: say('Nothing changed', 'Keine Änderungen'),
  noDocument: say('No document changed', 'Kein Dokument geändert'),
  documentLine: say('Documents', 'Dokumente'),
  counted: {
    changed: say('changed', 'geändert'),
    added: say('added', 'neu'),
    removed: say('removed', 'entfernt'),
  },
  notCompared: say('Not compared', 'Nicht verglichen'),
  allowed: (check: string, reason: string) =>
    say(`Exception allowed (check ${check}): ${reason}`, `Ausnahme zugelassen (Prüfung ${check}): ${reason}`),
  andMore: (count: string) => say(`and ${count} more`, `und ${count} weitere`),
  none: say('none', 'keine Angabe'),
}))
