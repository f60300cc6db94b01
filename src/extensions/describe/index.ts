/** Describes the API: pages, OpenAPI, schemas, and an explorer. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'describe',
  pages: () => import('./makers.ts'),
}
