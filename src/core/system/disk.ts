import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

interface Disk {
  /** The nearest existing folder at or above the path. */
  readonly folder: string
  readonly bytes: number
  readonly freeBytes: number
  /** A file takes whole blocks. */
  readonly blockBytes: number
  /** Infinite where the file system has no fixed number. */
  readonly freeFiles: number
}

export async function diskOf(path: string): Promise<Disk> {
  const folder = existingAbove(resolve(path))
  const { bsize: blockBytes, blocks, bavail, files, ffree } = await statfs(folder)
  const freeFiles = files > 0 ? ffree : Infinity
  return { folder, bytes: blocks * blockBytes, freeBytes: bavail * blockBytes, blockBytes, freeFiles }
}

export function lackOn({ folder, freeBytes, freeFiles }: Disk, bytes: number, files: number): string | null {
  if (freeBytes < bytes) return `${megabytes(freeBytes)} free in ${folder}, ${megabytes(bytes)} needed`
  return freeFiles < files ? `${freeFiles} more files fit into ${folder}, ${files} are needed` : null
}

export const megabytes = (bytes: number): string =>
  `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 0 })} MB`

export function existingAbove(path: string): string {
  let folder = path
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
