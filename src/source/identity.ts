/** Which file a path leads to: another one may come into its place at any time. */

import { statSync } from 'node:fs'

/**
 * The same for the same file, through links, for as long as somebody has it open; '' where there is none. Of its times none
 * counts: where a disk knows no birth, that is the time of the last write.
 */
export function identityOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.dev} ${stats.ino}`
}
