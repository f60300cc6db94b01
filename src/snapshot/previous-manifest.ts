/**
 * The previous manifest, read along with the funds: unpacked into a file, with a place in it for each folder, so that
 * memory does not grow with the number of objects.
 */

import { closeSync, createReadStream, createWriteStream, fstatSync, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { folderOf } from './manifest.ts'
import { keyAt } from './merged-lines.ts'
import { standingLines, type StandingLine } from './standing-lines.ts'

export interface PreviousManifest {
  /**
   * The lines whose keys begin with a prefix, each with its line feed.
   * @param folder where to look for them, with a slash at the end; within a folder, prefixes have to ascend
   * @param prefix begins with the folder
   */
  readonly linesOf: (folder: string, prefix: string) => string
  /** The line of one object, or undefined. */
  readonly line: (key: string) => StandingLine | undefined
  /** Any number of times. */
  readonly close: () => void
}

/**
 * @param temporary a file to unpack into
 * @throws {Error} if the manifest is damaged or cannot be read
 */
export async function openPreviousManifest(manifest: string, temporary: string): Promise<PreviousManifest> {
  try {
    await pipeline(
      createReadStream(manifest),
      createGunzip({ chunkSize: largeChunk }),
      createWriteStream(temporary, { flags: 'wx' }),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'write') throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${manifest} cannot be read: ${reason}`, { cause: error })
  }
  const file = openSync(temporary, 'r')
  const { size } = fstatSync(file)
  const places = new Map<string, Place>()
  let isOpen = true
  return {
    linesOf: (folder, prefix) => {
      const place = places.get(folder) ?? placeAt(file, lineBefore(file, size, folder))
      places.set(folder, place)
      return place.take(prefix)
    },
    line: (key) => {
      const lines = placeAt(file, lineBefore(file, size, key)).take(key)
      // Keys that only begin with it come after it.
      const [line] = standingLines(lines.slice(0, lines.indexOf('\n') + 1), folderOf(key))
      return line?.key === key ? line : undefined
    },
    close: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** A turn of the loop for each of the usual 16 KiB would take longer than unpacking them. */
const largeChunk = 1 << 18

interface Place {
  readonly take: (prefix: string) => string
}

const blockBytes = 1 << 16
/** Longer than any line. */
const probeBytes = 1 << 12

function readBlock(file: number, at: number, bytes: number): string {
  const block = Buffer.allocUnsafe(bytes)
  // Keys are ASCII; what else is in the file keeps its length.
  return block.toString('latin1', 0, readSync(file, block, 0, bytes, at))
}

/** The start of a line that does not stand after those whose keys begin like this, close before them. */
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

function placeAt(file: number, start: number): Place {
  let at = start
  let text = ''
  /** Of the next line within the text. */
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
  return {
    take: (prefix) => {
      let taken = ''
      for (let end = endOfLine(); end >= 0; end = endOfLine()) {
        const key = keyAt(text, next)
        if (key.startsWith(prefix)) taken += text.slice(next, end)
        else if (key > prefix) break
        next = end
      }
      return taken
    },
  }
}
