/** Where pages say that there is a feed of what the nights changed. A publish makes it: a folder alone has none. */

import type { Language } from '../routes/table.ts'
import { html, type Html } from './html.ts'
import { linkTo } from './link.ts'

/** Relative to the live snapshot. */
export const feedKey = 'changes/feed.xml'

export const feedTitle: Readonly<Record<Language, string>> = {
  en: 'Changes of the last nights (feed)',
  de: 'Änderungen der letzten Nächte (Feed)',
}

/** For the head of a page: readers of feeds look there. @param key of the page */
export const feedLink = (key: string, language: Language): Html =>
  html`<link
    rel="alternate"
    type="application/atom+xml"
    title="${feedTitle[language]}"
    href="${linkTo(key, feedKey)}"
  /> `
