import type { PageMakers } from '../../core/snapshot/hooks.ts'
import { exampleLists } from './lists.ts'
import { docsPages } from './pages.ts'

export const makers: PageMakers = {
  parts: ['docs', 'explorer'],
  sitePages: [(source) => docsPages(source)],
  listExamples: [exampleLists],
}
