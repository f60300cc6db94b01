/** What GitHub shows of a run. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'github',
  reads: ['summary'],
  ended: () => import('./ended.ts'),
}
