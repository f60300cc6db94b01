/** The previous manifest, unpacked into a file and read along with the funds, so that it needs little memory. */

import { closeSync, createReadStream, createWriteStream, fstatSync, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { cached } from '../system/cached.ts'
import { messageOf } from '../system/message.ts'
import { keyAt, type ParsedLine, parseLines } from './manifest.ts'

export interface PreviousManifest {
  /** The lines whose keys begin with a prefix. @param folder with a closing slash; in it, prefixes must ascend */
  readonly linesOf: (folder: string, prefix: string) => string
  readonly line: (key: string) => ParsedLine | undefined
  /** May be called again. */
  readonly close: () => void
}

export const noPrevious: PreviousManifest = {
  linesOf: () => '',
  line: () => undefined,
  close: () => undefined,
}

/** Unpacks a manifest into a file. @throws {Error} if the manifest is damaged or cannot be read */
export async function openPrevious(manifest: string, temporary: string): Promise<PreviousManifest> {
  try {
    await pipeline(
      createReadStream(manifest),
      createGunzip({ chunkSize: largeChunk }),
      createWriteStream(temporary, { flags: 'wx' }),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'write') throw error
    throw new Error(`${manifest} cannot be read: ${messageOf(error)}`, { cause: error })
  }
  const file = openSync(temporary, 'r')
  const { size } = fstatSync(file)
  const placeOf = cached((folder: string) => placeAt(file, lineBefore(file, size, folder)))
  let isOpen = true
  return {
    linesOf: (folder, prefix) => placeOf(folder)(prefix),
    line: (key) => {
      const lines = placeAt(file, lineBefore(file, size, key))(key)
      // Longer keys that begin with this one come after it.
      const [line] = parseLines(lines.slice(0, lines.indexOf('\n') + 1)) ?? []
      return line?.key === key ? line : undefined
    },
    close: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** With chunks of the usual 16 KiB, the event loop would take longer than the unpacking. */
const largeChunk = 1 << 18

const blockBytes = 1 << 16
/** Longer than any line. */
const probeBytes = 1 << 12

function readBlock(file: number, at: number, bytes: number): string {
  const block = Buffer.allocUnsafe(bytes)
  // Keys are ASCII, and latin1 keeps the length of everything else.
  return block.toString('latin1', 0, readSync(file, block, 0, bytes, at))
}

/** The start of a line shortly before those whose keys begin with the prefix. */
function lineBefore(file: number, size: number, prefix: string): number {
  let low = 0
  let high = size
  while (high - low > probeBytes) {
    const middle = Math.floor((low + high) / 2)
    const block = readBlock(file, middle, probeBytes)
    const start = block.indexOf('\n') + 1
    if (start > 0 && keyAt(block, start) < prefix) low = middle + start
    else high = middle
  }
  return low
}

/** @returns a function that reads on from `start`, and returns the lines whose keys begin with a prefix */
function placeAt(file: number, start: number): (prefix: string) => string {
  let at = start
  let text = ''
  /** The start of the next line within `text`. */
  let next = 0
  /** The end of the next line, with its line feed, or -1 after the last one. */
  const endOfLine = (): number => {
    const end = text.indexOf('\n', next)
    if (end >= 0) return end + 1
    const block = readBlock(file, at, blockBytes)
    if (block === '') return -1
    at += block.length
    text = text.slice(next) + block
    next = 0
    return endOfLine()
  }
  return (prefix) => {
    let taken = ''
    for (let end = endOfLine(); end >= 0; end = endOfLine()) {
      const key = keyAt(text, next)
      if (key.startsWith(prefix)) taken += text.slice(next, end)
      else if (key > prefix) break
      next = end
    }
    return taken
  }
}
