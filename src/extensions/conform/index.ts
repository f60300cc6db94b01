/** An independent oracle, and a suite that asks a deployment. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'conform',
  commands: [
    {
      name: 'conform',
      summary: 'test a deployment against the database',
      load: () => import('./command.ts'),
    },
  ],
}
