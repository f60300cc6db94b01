import { changesScriptKey, pageTemplate, statusStyle } from '../../core/layout/layout.ts'
import type { PageMakers } from '../../core/snapshot/hooks.ts'
import { exampleChanges } from './examples.ts'
import { changeFeeds } from './feed.ts'
import { changesPages, noHistory } from './pages.ts'

export const makers: PageMakers = {
  namedParts: ['changes'],
  listExamples: [exampleChanges],
  namedPages: [
    ({ asOf }, site) => ({
      listed: [{ key: changesScriptKey, content: pageTemplate(changesScriptKey) }, statusStyle(site)],
      // For links before the first publish.
      unlisted: [...changesPages(noHistory, site), ...changeFeeds(noHistory, site, asOf)],
    }),
  ],
}
