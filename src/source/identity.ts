/** Which file a path leads to: another one may come into its place at any time. */

import { statSync } from 'node:fs'

/** The same for the same file or folder, through links; '' where there is none. */
export function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`
}
