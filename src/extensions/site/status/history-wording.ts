import { bilingual } from '../../../core/layout/bilingual.ts'

export const historyWords = bilingual((say) => ({
  title: say('Last six weeks', 'Die letzten sechs Wochen'),
  loading: say('Loading the publications …', 'Veröffentlichungen werden geladen …'),
  failed: say(
    'The publications could not be loaded.',
    'Die Veröffentlichungen konnten nicht geladen werden.',
  ),
  empty: say('Nothing has been published yet.', 'Noch wurde nichts veröffentlicht.'),
  keys: {
    published: say('published', 'veröffentlicht'),
    corrected: say('with corrected prices', 'mit korrigierten Preisen'),
    overdue: say('prices overdue or being checked', 'Preise überfällig oder in Prüfung'),
    quiet: say('nothing published', 'nichts veröffentlicht'),
  },
  published: (count: number, shown: string) =>
    count === 1
      ? say('published', 'veröffentlicht')
      : say(`published ${shown} times`, `${shown}-mal veröffentlicht`),
  quiet: say('nothing published', 'nichts veröffentlicht'),
  before: say('no records', 'keine Aufzeichnungen'),
  corrected: (count: number, shown: string) =>
    count === 1
      ? say('1 price corrected', '1 Preis korrigiert')
      : say(`${shown} prices corrected`, `${shown} Preise korrigiert`),
  overdue: (count: number, shown: string) =>
    count === 1
      ? say('1 price overdue', '1 Preis überfällig')
      : say(`${shown} prices overdue`, `${shown} Preise überfällig`),
  heldBack: (count: number, shown: string) =>
    count === 1
      ? say('price of 1 fund being checked', 'Preis von 1 Fonds in Prüfung')
      : say(`prices of ${shown} funds being checked`, `Preise von ${shown} Fonds in Prüfung`),
  publishedOn: (count: number, shown: string) =>
    count === 1
      ? say('Published on 1 day', 'An 1 Tag veröffentlicht')
      : say(`Published on ${shown} days`, `An ${shown} Tagen veröffentlicht`),
  notableOn: (count: number, shown: string) => {
    if (count === 0) return say('nothing unusual', 'ohne Auffälligkeiten')
    return count === 1
      ? say('1 of them with notes', 'davon 1 mit Hinweisen')
      : say(`${shown} of them with notes`, `davon ${shown} mit Hinweisen`)
  },
  notable: say('Corrections and overdue prices', 'Korrekturen und überfällige Preise'),
  more: (shown: string) => say(`${shown} more days`, `${shown} weitere Tage`),
}))
