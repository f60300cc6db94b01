/** Settings that readers see, compared with those of what is live: a test system that writes to the bucket of readers has others. Pure. */

import type { Objection } from './guards.ts'

/** Settings of a snapshot, in the first line of its manifest. Null: not set. */
export interface PublishedSettings {
  readonly baseUrl: string
  readonly docsUrl: string
  readonly siteName: string | null
  readonly licence: string | null
  /** Fingerprints of the public keys that readers are told, sorted, with blanks between them. */
  readonly publicKeys: string | null
}

/** By name in the config file, which is the subject of the guard. */
const names = {
  baseUrl: 'baseUrl',
  docsUrl: 'docsUrl',
  siteName: 'site.name',
  licence: 'licence.name',
  publicKeys: 'signing.publicKeys',
} as const satisfies Readonly<Record<keyof PublishedSettings, string>>

/** @param live undefined if they are not known @param isSigned false if the guard `signature` objects: one mistake has one name */
export function changedSettings(
  live: PublishedSettings | undefined,
  next: PublishedSettings | undefined,
  isSigned: boolean,
): readonly Objection[] {
  if (live === undefined || next === undefined) return []
  const fields = Object.keys(names) as (keyof PublishedSettings)[]
  return fields.flatMap((field): Objection[] => {
    const before = live[field] ?? 'none'
    const after = next[field] ?? 'none'
    const isExplained =
      (field === 'publicKeys' && !isSigned) || (field === 'docsUrl' && derives(live) && derives(next))
    if (before === after || isExplained) return []
    const message = `${names[field]} is ${after}, and that of what is live ${before}`
    const figures = { before, after, limit: 'as it is live' }
    return [{ guard: 'settings', subject: names[field], message, figures }]
  })
}

/** By default the documentation lies below the API: then one address has changed, not two. */
const derives = ({ baseUrl, docsUrl }: PublishedSettings) => docsUrl.startsWith(`${baseUrl}/`)
