/** Words of every page's shell. Extensions and endpoints have their own. */

import { bilingual } from './bilingual.ts'

export const wording = bilingual((say) => ({
  shell: {
    brand: say('Fund data', 'Fondsdaten'),
    start: say('Start page', 'Startseite'),
    skip: say('Skip to content', 'Zum Inhalt springen'),
    navigation: say('Site navigation', 'Hauptnavigation'),
    menu: say('Menu', 'Menü'),
    language: say('Language', 'Sprache'),
    made: say('Published with fundpress.', 'Veröffentlicht mit fundpress.'),
    imprint: say('Imprint', 'Impressum'),
    privacy: say('Privacy notice', 'Datenschutz'),
    contact: say('Contact', 'Kontakt'),
    terms: say('Terms of use', 'Nutzungsbedingungen'),
    homePage: say('Home page', 'Website'),
    feed: say('Recent changes (feed)', 'Letzte Änderungen (Feed)'),
    changes: say('Recent changes', 'Letzte Änderungen'),
    onThisPage: say('On this page', 'Auf dieser Seite'),
    noValue: say('not available', 'keine Angabe'),
    /** The button beside what could not be loaded. */
    again: say('Try again', 'Erneut versuchen'),
    parts: {
      funds: say('Funds', 'Fonds'),
      compare: say('Compare funds', 'Fondsvergleich'),
      docs: say('Documentation', 'Dokumentation'),
      explorer: say('API explorer', 'API-Explorer'),
      downloads: say('Downloads', 'Downloads'),
      status: say('Status', 'Status'),
    },
  },
}))
