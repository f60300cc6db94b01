/** Whether a folder that is a bucket has room for what a publish will put. */

import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { diskOf, lackOn, megabytes } from '../../system/disk.ts'
import { statOf } from './folder-files.ts'
import type { ListedObject } from './store.ts'

/** So much stays free, for lists and for other programs: in bytes, and as a share of a small disk. */
const margin = { bytes: 100e6, share: 0.05 }

/**
 * A file that is replaced gives its room back.
 * @param puts need not be in any order @throws {Error} with what is free and what is needed, if that does not fit
 */
export async function assertRoomBelow(
  name: string,
  root: string,
  puts: AsyncIterable<Pick<ListedObject, 'key' | 'bytes'>>,
): Promise<void> {
  const disk = await diskOf(root)
  const onDisk = (bytes: number) => Math.ceil(bytes / disk.blockBytes) * disk.blockBytes
  let bytes = 0
  let files = 0
  let seen = 0
  for await (const put of puts) {
    // Timers, such as that of the lease, have their turn.
    if (++seen % 1000 === 0) await setImmediate()
    const before = statOf(join(root, put.key))
    if (before === null) files++
    bytes += Math.max(0, onDisk(put.bytes) - onDisk(Number(before?.size ?? 0)))
  }
  const spared = Math.min(margin.bytes, margin.share * disk.bytes)
  const lack = bytes === 0 ? null : lackOn(disk, bytes + spared, files)
  if (lack === null) return
  throw new Error(
    `${name}: the disk is too full for this publish: ${lack} (${megabytes(spared)} of them stay free): ` +
      'make room, or move the bucket to a larger disk. Nothing was uploaded',
  )
}
