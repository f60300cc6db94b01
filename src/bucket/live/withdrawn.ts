/** Downloads that hold what may no longer be given out. A search reads the CSV files of a folder: earlier versions kept no record. */

import { hash } from 'node:crypto'
import type { RestrictedFunds } from '../../api/contract/fund.ts'
import { inParallel } from '../store/in-parallel.ts'
import { readPart, readUpTo } from '../store/read.ts'
import type { CallOptions, ObjectStore } from '../store/store.ts'
import { downloadsPrefix } from './layout.ts'

type Kind = keyof RestrictedFunds

/** The files that tell whether a folder holds something of a fund. Their first column is the ISIN, ascending. */
const filesOf: Readonly<Record<Kind, readonly string[]>> = {
  data: ['funds'],
  prices: ['prices'],
  performance: ['performance_years', 'performance_periods', 'performance_line', 'performance_launch'],
}

/** Each search may have a file in memory. */
const foldersAtATime = 8
const wholeBytes = 8 * 2 ** 20

/** @returns 12 hex digits; undefined if no fund is restricted */
export const digestOfRestricted = (restricted: RestrictedFunds = {}) =>
  hasNone(restricted) ? undefined : hash('sha256', JSON.stringify(restricted)).slice(0, 12)

export const hasNone = (restricted: RestrictedFunds) => Object.keys(restricted).length === 0

/**
 * The folders that hold something of restricted funds, each with their ISINs. A folder that lacks a file counts as holding it:
 * somebody may have put it there, or removed a part.
 * @param folders names below `downloads/`
 */
export async function findWithdrawn(
  store: ObjectStore,
  restricted: RestrictedFunds,
  folders: readonly string[],
  options: CallOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  if (hasNone(restricted)) return found
  await inParallel(folders, foldersAtATime, async (folder) => {
    options.signal?.throwIfAborted()
    const held = new Set<string>()
    for (const [kind, isins] of Object.entries(restricted)) {
      for (const name of filesOf[kind as Kind]) {
        const lookUp = await openCsv(store, `${downloadsPrefix(folder)}${name}.csv`, options)
        for (const isin of isins) if (!held.has(isin) && (await lookUp(isin))) held.add(isin)
      }
    }
    if (held.size > 0) found.set(folder, [...held].sort())
  })
  return found
}

/** @returns whether the file has a line of a fund; it reads all of a short file, and of a long one what a bisection needs */
async function openCsv(store: ObjectStore, key: string, options: CallOptions) {
  const file = await readUpTo(store, key, wholeBytes)
  options.signal?.throwIfAborted()
  if (file === null) return () => Promise.resolve(true)
  const { length, body, etag } = file
  const isIn = (bytes: Buffer, isin: string) => bytes.includes(`\n${isin},`)
  if (body !== null) return (isin: string) => Promise.resolve(isIn(body, isin))
  const read = async (first: number, count: number) => {
    const last = Math.min(first + count, length) - 1
    return Buffer.concat(await readPart(store, key, { first, last }, etag))
  }
  return async (isin: string) => {
    // The fund's first line, if there is one, begins after `low`, and at the first line after `high` at the latest.
    let [low, high] = [0, length]
    while (high - low > maxPart) {
      const middle = Math.floor((low + high) / 2)
      const text = (await read(middle, maxLine)).toString('latin1')
      const isBefore = text.slice(text.indexOf('\n') + 1, text.indexOf('\n') + 1 + isin.length) < isin
      // At the end of the file there may be no further line.
      if (isBefore && middle + maxLine < length) low = middle
      else high = middle
    }
    return isIn(await read(low, maxPart + maxLine), isin)
  }
}

const maxPart = 64 * 1024
/** More than any line of numbers has. */
const maxLine = 2048
