/** Tells readers what has changed: a file a day, an index, a page and feeds. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'changes',
  pages: () => import('./makers.ts'),
  compared: () => import('./write.ts'),
}
