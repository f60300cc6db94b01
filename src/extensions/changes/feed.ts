/** The history as an Atom feed in each language. Pure: its bytes depend on the arguments only. */

import { type ChangeHistory, type HistoryEntry, publishesOf } from '../../core/api/contract/changes.ts'
import type { Page } from '../../core/api/contract/page.ts'
import { type Language, languages } from '../../core/api/routes/table.ts'
import { atomFeed, authorOf, type AtomEntry } from '../../core/layout/atom.ts'
import { changesKeys, feedKeys, type PageSite } from '../../core/layout/layout.ts'
import { dayAddress, wordsIn } from './pages.ts'
import { publishId } from './parts.ts'
import { changeWords } from './wording.ts'

/** @param asOf ISO 8601: the feed's own date while there is no entry */
export const changeFeeds = (
  { nights }: ChangeHistory,
  { baseUrl, publisher }: Pick<PageSite, 'baseUrl' | 'publisher'>,
  asOf: string,
): readonly Page[] =>
  languages.map((language) => {
    const key = feedKeys[language]
    // A snapshot of an earlier day may have been published last.
    const publishes = nights
      .flatMap((day) => publishesOf(day).map((publish) => ({ publish, file: day.file })))
      .sort((one, other) => (one.publish.published < other.publish.published ? 1 : -1))
    const content = atomFeed({
      language,
      baseUrl,
      key,
      page: changesKeys[language],
      title: changeWords[language].feedTitle(authorOf(publisher, baseUrl)),
      publisher,
      updated: publishes[0]?.publish.published ?? `${asOf}T00:00:00Z`,
      entries: publishes.map(({ publish, file }) => entryOf(publish, file, language)),
    })
    return { key, content }
  })

/** Gives each publish an entry, so that readers show it, also if it publishes a snapshot again. */
function entryOf(entry: HistoryEntry, file: string, language: Language): AtomEntry {
  const { as_of, snapshot, publish, published } = entry
  const { title, lines } = wordsIn(entry, language)
  const name = [
    'snapshot',
    snapshot,
    ...(publish === 1 ? [] : [publish]),
    ...(language === 'en' ? [] : [language]),
  ]
  return {
    name: name.join(' '),
    title,
    published,
    page: dayAddress(as_of, language, publishId(entry)),
    json: `changes/${file}`,
    lines,
  }
}
