/** Makes web pages of funds, the pages over all funds, and the page of the status. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'site',
  pages: () => import('./makers.ts'),
}
