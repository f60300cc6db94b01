/** What GitHub shows of a run. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'github',
  ended: () => import('./ended.ts'),
}
