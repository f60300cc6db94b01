/**
 * The nights that a slot knows of, as `changes/index.json` lists them: all that the feed needs, so that no other file is
 * read to make it. `nights` has the newest first; `file` is the name beside the index, `sha256` (hex) and `bytes` are its.
 */

import type { Description } from './describe-night.ts'
import type { SnapshotName } from './night-changes.ts'

export interface History {
  readonly format: 1
  readonly nights: readonly Night[]
}

export interface Night extends SnapshotName, Description {
  readonly before: SnapshotName | null
  readonly file: string
  readonly sha256: string
  readonly bytes: number
}

const nightsKept = 30

export const noHistory: History = { format: 1, nights: [] }

/** The night's file, beside the index. @param asOf ISO 8601 day */
export const fileOf = (asOf: string) => `${asOf}.json`

/** With this night, which replaces one of the same day; the oldest ones of more than thirty go. */
export function withNight({ nights }: History, night: Night): History {
  const others = nights.filter(({ asOf }) => asOf !== night.asOf).slice(0, nightsKept - 1)
  return { format: 1, nights: [...others, night].sort((one, other) => (one.asOf < other.asOf ? 1 : -1)) }
}

/** Without nights whose files are gone. */
export const withoutNights = ({ nights }: History, gone: readonly Night[]): History => ({
  format: 1,
  nights: nights.filter((night) => !gone.includes(night)),
})

/** @throws {Error} if it is not the index of this version */
export function parseHistory(text: string): History {
  const history = JSON.parse(text) as Partial<History> | null
  if (history?.format !== 1 || !Array.isArray(history.nights) || !history.nights.every(isNight))
    throw new Error('it is not one of this fundpress')
  return { format: 1, nights: history.nights }
}

type Loose = { readonly [K in keyof Night]?: unknown } | null

function isNight(night: Loose): boolean {
  const { asOf, snapshot, title, lines, file, sha256, bytes, before } = night ?? {}
  const texts = [
    asOf,
    snapshot,
    title,
    sha256,
    ...(Array.isArray(lines) ? (lines as readonly unknown[]) : [null]),
  ]
  return (
    texts.every((text) => typeof text === 'string') &&
    /^\d{4}-\d{2}-\d{2}$/.test(String(asOf)) &&
    // It becomes part of a key.
    file === fileOf(String(asOf)) &&
    typeof bytes === 'number' &&
    typeof before === 'object'
  )
}
