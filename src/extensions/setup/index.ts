/** Everything that a nightly deployment needs. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'setup',
  commands: [
    {
      name: 'setup',
      summary: 'generate everything a nightly deployment needs',
      load: () => import('./command.ts'),
    },
  ],
}
