/**
 * Keeps compiled code for the next start, in a folder that no other user can write to: other users could make the program run other
 * code. Node's default is a folder in /tmp with a well-known name. JavaScript, because it runs before a compiler is loaded.
 */

import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/**
 * Uses `fundpress` below XDG_CACHE_HOME, or below `.cache` of the home folder. Without such a folder of the user alone, nothing is
 * kept. A folder in NODE_COMPILE_CACHE is in use already, by the operator's choice. Each thread has to call this anew.
 */
export function keepCompiledCode() {
  const { NODE_COMPILE_CACHE = '', XDG_CACHE_HOME = '' } = process.env
  if (NODE_COMPILE_CACHE !== '') return
  try {
    const base = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
    if (!isAbsolute(base)) return
    mkdirSync(join(base, 'fundpress'), { recursive: true, mode: 0o700 })
    const folder = join(realpathSync(base), 'fundpress')
    if (isOwn(folder)) enableCompileCache(folder)
  } catch {
    // No home, as in some containers, or a home that cannot be written to: every start compiles anew.
  }
}

/**
 * Tests for a folder of this user, closed to all others, that only root can replace.
 * @param {string} folder
 */
function isOwn(folder) {
  const user = process.geteuid?.()
  // On Windows a home is its user's by its access list.
  if (user === undefined) return true
  const own = lstatSync(folder)
  if (!own.isDirectory() || own.uid !== user || (own.mode & 0o077) !== 0) return false
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const { uid, mode } = lstatSync(dirname(at))
    const isSticky = (mode & 0o1000) !== 0
    if (uid !== user && uid !== 0) return false
    if ((mode & 0o022) !== 0 && !isSticky) return false
  }
  return true
}
