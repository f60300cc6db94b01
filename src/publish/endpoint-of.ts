/** What a key counts as in tables by endpoint. */

import { parseKey } from '../routes/parse-key.ts'
import type { RouteTable } from '../routes/table.ts'
import { statusFolder } from './layout.ts'

/** The route's id; `errors` for those of no endpoint, `pages`, `status`, and `other` for keys that this version does not know. */
export function endpointOf(table: RouteTable, key: string): string {
  const meaning = parseKey(table, key)
  switch (meaning.kind) {
    case 'unknown':
      return 'other'
    case 'page':
      return key.startsWith(statusFolder) ? 'status' : 'pages'
    case 'sharedError':
      return 'errors'
    default:
      return meaning.route.id
  }
}
