/**
 * Resolves paths of an operator behind links: to a file or a folder. All else is refused: opening a pipe can wait for ever, and a
 * device, such as `/dev/stdout`, must not be replaced.
 */

import { existsSync, lstatSync, readlinkSync, realpathSync, statSync, type Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemCode } from './message.ts'

/** The place behind links, existing or not. @throws {Error} that names what is there, if it is of another kind */
export function placeToWrite(path: string, kind: 'file' | 'folder'): string {
  const found = statOf(path)
  if (found === undefined) return endOfLinks(path)
  if (kind === 'file' ? found.isFile() : found.isDirectory()) return realPathOf(path) ?? endOfLinks(path)
  throw new Error(`${path} is ${kindOf(found)}: name a ${kind}`)
}

/** @throws {Error} that names what is there, if it is no file; a missing file passes */
export function assertFile(path: string): void {
  const found = statOf(path)
  if (found?.isFile() === false) throw new Error(`${path} is ${kindOf(found)}: name a file`)
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** @returns undefined if the path is gone by now, as when another build swaps the folder */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function kindOf(found: Stats): string {
  if (found.isFile()) return 'a file'
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}

function endOfLinks(path: string): string {
  let place = resolve(path)
  for (let links = 0; links < 40 && isLink(place, path); links++)
    place = resolve(dirname(place), readlinkSync(place))
  return place
}

function isLink(place: string, path: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch (error) {
    if (systemCode(error) !== 'ENOTDIR') throw error
    let file = dirname(place)
    while (!existsSync(file)) file = dirname(file)
    throw new Error(`${path} lies in ${file}, which is not a folder: name another place`)
  }
}
