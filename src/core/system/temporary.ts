/** Temporary folders with the mark of their holder, so that those of killed processes can be removed. */

import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLeftBehind, markOf, thisHolder } from './holder.ts'

/** `fundpress-<mark of the holder>-<random>`. */
const ours = /^fundpress-([0-9a-f]{12}-\d+-\d+)-\w{6}$/
/** Longer than any command: a folder whose process cannot be seen from here is then left over. */
const unknownForMs = 7 * 24 * 3600 * 1000

/** Makes an empty folder in the system's folder for temporary files, and removes those of killed processes. */
export async function makeTemporaryFolder(): Promise<string> {
  const parent = tmpdir()
  await removeLeftovers(parent)
  return mkdtemp(join(parent, `fundpress-${markOf(thisHolder())}-`))
}

async function removeLeftovers(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    const [, mark] = ours.exec(name) ?? []
    if (mark === undefined) continue
    const path = join(parent, name)
    if (await isLeftOver(path, mark).catch(() => false))
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function isLeftOver(path: string, mark: string) {
  const found = await lstat(path)
  // A link could lead anywhere, and another user may have such a name for other reasons.
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return false
  return isLeftBehind(path, mark, unknownForMs)
}
