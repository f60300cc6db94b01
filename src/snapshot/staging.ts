/**
 * The folder that a snapshot is built in, and its exchange with the finished one. Beside `out` lie, for moments,
 * `.out.build-<pid>` (being built) and `.out.old-<pid>` (being replaced): whatever is killed leaves `out` whole, or its
 * old content under the second name, from where `recoverSnapshot` takes it back.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { manifestKey } from './manifest.ts'

/**
 * Makes an empty staging folder beside `out`, after cleaning up what killed builds left.
 * @throws {Error} if `out` holds something that is not a snapshot: it would be replaced
 */
export function makeStaging(out: string): string {
  recoverSnapshot(out)
  if (existsSync(out)) {
    if (!statSync(out).isDirectory()) throw new Error(`${out} is not a folder: choose another --out`)
    if (readdirSync(out).length > 0 && !existsSync(join(out, manifestKey))) {
      throw new Error(`${out} holds files but no snapshot: choose another --out, or empty it`)
    }
  }
  for (const leftover of leftovers(out, 'build')) rmSync(leftover, { recursive: true, force: true })
  const staging = besideOut(out, 'build', process.pid)
  mkdirSync(staging, { recursive: true })
  return staging
}

/** Puts a finished staging folder in the place of `out`: two renames, with nothing in between. */
export function swapIn(staging: string, out: string): void {
  const old = besideOut(out, 'old', process.pid)
  const replaces = existsSync(out)
  if (replaces) renameSync(out, old)
  try {
    renameSync(staging, out)
  } catch (error) {
    if (replaces) renameSync(old, out)
    throw error
  }
  if (replaces) rmSync(old, { recursive: true, force: true })
}

/** Brings back the snapshot of a build that was killed between the two renames, and removes replaced ones. */
export function recoverSnapshot(out: string): void {
  for (const old of leftovers(out, 'old')) {
    if (existsSync(out)) rmSync(old, { recursive: true, force: true })
    else renameSync(old, out)
  }
}

function besideOut(out: string, purpose: 'build' | 'old', pid: number): string {
  const path = resolve(out)
  return join(dirname(path), `.${basename(path)}.${purpose}-${pid}`)
}

/** Folders of processes that are gone; one of our own process ID is from an earlier life of that number. */
function leftovers(out: string, purpose: 'build' | 'old'): string[] {
  const path = resolve(out)
  const prefix = `.${basename(path)}.${purpose}-`
  if (!existsSync(dirname(path))) return []
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .filter((name) => !isOtherLivingProcess(Number(name.slice(prefix.length))))
    .map((name) => join(dirname(path), name))
}

function isOtherLivingProcess(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
