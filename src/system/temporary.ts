/** Temporary folders that say who holds them, so that those of killed processes can be removed. */

import { hash } from 'node:crypto'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive, thisHolder, type Holder } from './holder.ts'

/** `fundpress-<world>-<pid>-<start>-<random>`. Earlier versions wrote `fundpress-<random>`. */
const ours = /^fundpress-(?:([0-9a-f]{12})-(\d+)-(\d+)-)?\w{6}$/
/** No command works for so long: a folder whose process nobody here can look at is left over then. */
const unknownForMs = 7 * 24 * 3600 * 1000

/** Makes an empty folder in the system's folder for temporary files, after removing those that killed processes have left. */
export async function makeTemporaryFolder(): Promise<string> {
  const { pid, startedAt = '0', ...me } = thisHolder()
  const world = worldName(me)
  const parent = tmpdir()
  await removeLeftovers(parent, world)
  return mkdtemp(join(parent, `fundpress-${world}-${pid}-${startedAt}-`))
}

/** The name of a boot and process namespace: containers that share the folder have processes of the same numbers. */
const worldName = ({ world }: Pick<Holder, 'world'>) => hash('sha256', world).slice(0, 12)

/** Nothing depends on it: what cannot be looked at or removed stays. */
async function removeLeftovers(parent: string, world: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    const found = ours.exec(name)
    if (found === null) continue
    const path = join(parent, name)
    if (await isLeftOver(path, found, world).catch(() => false))
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function isLeftOver(path: string, [, where, pid, start]: RegExpExecArray, world: string) {
  const found = await lstat(path)
  // A link could lead anywhere, and others may have other reasons for such a name.
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return false
  if (where !== world) return Date.now() - found.mtimeMs > unknownForMs
  return !isAlive({ host: '', world, pid: Number(pid), startedAt: start === '0' ? undefined : start })
}
