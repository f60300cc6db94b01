/** Reads files into the fund database. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'import',
  settings: () => import('./settings.ts'),
  commands: [
    {
      name: 'import',
      summary: 'read files into the database',
      isFirst: true,
      load: () => import('./command.ts'),
    },
  ],
}
