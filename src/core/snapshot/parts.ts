/**
 * Parts of files. A night adds a price to each fund, at the end of many files: what stands before it is a part that is made from the same rows
 * as in the earlier snapshot, and its bytes are copied from there. Rendering the rows again would give the same bytes.
 */

import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { digestOfOpen, type Part } from './file-sink.ts'

export interface EarlierFile {
  readonly place: string
  readonly bytes: number
  readonly sha256: string
  readonly parts: readonly Part[]
}

/** Earlier files that have parts, by their path in the folder of the downloads. */
export type EarlierFiles = ReadonlyMap<string, EarlierFile>

/** @param inputs all that the bytes of a part are made from */
export const partFrom = (...inputs: readonly string[]): string =>
  hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 22)

const block = Buffer.allocUnsafeSlow(1 << 20)

/**
 * Writes parts of a new file. @param at gives the number of bytes that the file has
 * @param write takes bytes that are good until the call ends
 */
export function fileParts(
  earlier: EarlierFile | undefined,
  at: () => number,
  write: (bytes: Uint8Array) => void,
) {
  const file = earlier === undefined ? null : openEarlier(earlier)
  const known = new Map(file === null ? [] : earlier?.parts.map((part) => [part.from, part]))
  const parts: Part[] = []
  const add = (from: string, start: number, rows: number) => {
    parts.push({ from, at: start, bytes: at() - start, rows })
  }
  /** Copies a part. @returns what it is in the earlier file; null if that has none that was made from the same */
  const copy = (from: string): Part | null => {
    const part = known.get(from)
    if (part === undefined || file === null) return null
    const start = at()
    copyBytes(file, part, write)
    add(from, start, part.rows)
    return part
  }
  return {
    copy,
    add,
    /** Copies a part, or has it written. @param make gives back its number of rows @returns this number */
    put: (from: string, make: () => number): number => {
      const copied = copy(from)
      if (copied !== null) return copied.rows
      const start = at()
      const rows = make()
      add(from, start, rows)
      return rows
    },
    /** @returns all parts, in their order */
    close: (): readonly Part[] => {
      if (file !== null) closeSync(file)
      return parts
    },
  }
}

/** @returns null if the file does not have its digest: what is copied from it would be damaged, too */
function openEarlier({ place, bytes, sha256 }: EarlierFile): number | null {
  let file: number
  try {
    file = openSync(place, 'r')
  } catch {
    return null
  }
  if (fstatSync(file).size === bytes && digestOfOpen(file) === sha256) return file
  closeSync(file)
  return null
}

function copyBytes(file: number, { at, bytes }: Part, write: (bytes: Uint8Array) => void): void {
  for (let done = 0; done < bytes;) {
    const read = readSync(file, block, 0, Math.min(block.length, bytes - done), at + done)
    if (read === 0) throw new Error('an earlier file of the downloads was cut short meanwhile')
    write(block.subarray(0, read))
    done += read
  }
}
