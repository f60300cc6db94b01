/** Tells people and programs what has happened. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'tell',
  settings: () => import('./settings.ts'),
  ended: () => import('./ended.ts'),
  commands: [
    {
      name: 'notify',
      summary: 'tell all who want notices of an event, or send a test',
      load: () => import('./command.ts'),
    },
  ],
}
