/** Writes the data of a snapshot as files for analysts. */

import type { Extension } from '../../core/extension.ts'

export const extension: Extension = {
  name: 'downloads',
  beside: () => import('./write.ts'),
}
