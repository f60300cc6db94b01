import { hash } from 'node:crypto'
import type { Page } from '../../core/api/contract/page.ts'
import { changesWithout } from '../../core/bucket/changes/compare.ts'
import { changesScriptKey, pageTemplate, type PageSite, statusStyle } from '../../core/layout/layout.ts'
import type { PageMakers } from '../../core/snapshot/hooks.ts'
import { awaitedFunds, statusDocument, type StatusSource } from '../../core/snapshot/status-document.ts'
import { exampleChanges } from './examples.ts'
import { changeFeeds } from './feed.ts'
import { dayChanges, fileOf, textOfDay, textOfHistory, withPublish } from './history.ts'
import { changesPages, noHistory } from './pages.ts'

export const makers: PageMakers = {
  namedParts: ['changes'],
  listExamples: [exampleChanges],
  namedPages: [
    (source, site) => ({
      listed: [{ key: changesScriptKey, content: pageTemplate(changesScriptKey) }, statusStyle(site)],
      unlisted: firstPublish(source, site),
    }),
  ],
}

/** What a first publish would write: for a folder that is served. A publish writes its own; a build has no clock. */
function firstPublish(source: StatusSource, site: PageSite): readonly Page[] {
  const { snapshot, asOf, documents: objects, assessment, withheld } = source
  // The assessment lists published funds only.
  const funds = assessment.funds.length
  const freshness = assessment.counts
  const awaited = awaitedFunds(statusDocument(source))
  const changes = changesWithout({ snapshot, asOf, funds, objects, freshness, withheld, awaited }, null)
  const day = dayChanges(changes, { publish: 1, published: `${asOf}T00:00:00Z` }, null)
  const text = textOfDay(day)
  const file = { sha256: hash('sha256', text), bytes: Buffer.byteLength(text) }
  const history = withPublish(noHistory, day, file)
  const downloads = { format: 1, as_of: asOf, days: [asOf], withdrawn: [] }
  return [
    ...changesPages(history, site, []),
    ...changeFeeds(history, site, asOf),
    { key: `changes/${fileOf(asOf)}`, content: text },
    { key: 'changes/index.json', content: textOfHistory(history) },
    ...(site.parts.includes('downloads')
      ? [{ key: 'changes/downloads.json', content: `${JSON.stringify(downloads)}\n` }]
      : []),
  ]
}
