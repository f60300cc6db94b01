/** Figures that the data have already, written into the database. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'derive',
  commands: [
    {
      name: 'derive',
      summary: 'compute performance from NAVs and distributions',
      load: () => import('./command.ts'),
    },
  ],
}
