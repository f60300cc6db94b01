/** Databases to begin with: an empty one, or one that looks real. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'demo',
  commands: [
    {
      name: 'init',
      summary: 'make an empty database, or one that looks real',
      isFirst: true,
      load: () => import('./command.ts'),
    },
  ],
}
