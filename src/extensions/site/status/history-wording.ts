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
    late: say('with late prices', 'mit verspäteten Preisen'),
    stale: say('with stale prices or prices being checked', 'mit veralteten Preisen oder Preisen in Prüfung'),
    quiet: say('nothing published', 'nichts veröffentlicht'),
  },
  published: (count: number, shown: string) =>
    count === 1
      ? say('published', 'veröffentlicht')
      : say(`published ${shown} times`, `${shown}-mal veröffentlicht`),
  quiet: say('nothing published', 'nichts veröffentlicht'),
  corrected: (count: number, shown: string) =>
    count === 1
      ? say('1 price corrected', '1 Preis korrigiert')
      : say(`${shown} prices corrected`, `${shown} Preise korrigiert`),
  late: (count: string, all: string) =>
    say(`prices of ${count} of ${all} funds late`, `Preise von ${count} von ${all} Fonds verspätet`),
  stale: (count: string, all: string) =>
    say(`prices of ${count} of ${all} funds stale`, `Preise von ${count} von ${all} Fonds veraltet`),
  heldBack: (count: string, all: string) =>
    say(
      `prices of ${count} of ${all} funds being checked`,
      `Preise von ${count} von ${all} Fonds in Prüfung`,
    ),
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
  notable: say('Corrections, late and stale prices', 'Korrekturen, verspätete und veraltete Preise'),
  andMore: (shown: string) => say(`and ${shown} more`, `und ${shown} weitere`),
  andOthers: say('and others', 'und andere'),
  correctedOf: (funds: string) => say(`Corrected: ${funds}`, `Korrigiert: ${funds}`),
  awaitedOf: (funds: string) => say(`Awaited: ${funds}`, `Ausstehend: ${funds}`),
  earlier: say('Earlier notes', 'Frühere Hinweise'),
}))
