/** Likely mistakes: snapshots that a publish refuses unless they are allowed, and addresses that lead nowhere. Pure. */

import type { ManifestHead } from '../../build/manifest.ts'
import { describeStale, type FreshnessCounts, staleShare } from '../../guards/assess.ts'
import {
  type AllowedObjection,
  type GuardName,
  judge,
  type Objection,
  type Override,
  Refusal,
} from '../../guards/guards.ts'
import type { Live } from '../live/live.ts'

/** Limits of the guards of a publish. Shares are from 0 to 1. `guards/README.md` lists them. */
export interface GuardLimits {
  readonly lostFunds: number
  readonly lostDocuments: number
  readonly lostPrices: number
  readonly lostRows: number
  /** Of the watched funds: how many may be stale. */
  readonly maxStaleShare: number
  /** Objects that may be deleted; null for a tenth of the slot. */
  readonly maxDeletes: number | null
}

export interface MistakeLimits {
  readonly limits: GuardLimits
  readonly override: Override
  /** Called with each objection, and the publish goes on; without it the publish throws. */
  readonly onRefusal?: (objection: Objection) => void
}

const maxDeletedShare = 0.1
/** How many stale funds a message names. */
const namedFunds = 3

/** How much of the slot the publish would delete, and the slot's manifest. */
type Planned = Readonly<{ deleted: number; before: ManifestHead | null }>

/** @returns what an operator has allowed @throws {Refusal} that names everything else */
export function refuseMistakes(
  head: ManifestHead,
  live: Live | null,
  planned: Planned,
  { limits, override, onRefusal }: MistakeLimits,
): readonly AllowedObjection[] {
  const objections = [
    ...comparedWithLive(head, live, limits),
    ...staleFunds(head, limits.maxStaleShare),
    ...deletes(head, planned, limits.maxDeletes),
  ]
  const { refused, allowed } = judge(objections, override)
  if (onRefusal !== undefined) for (const one of refused) onRefusal(one)
  else if (refused.length > 0) throw new Refusal(`the snapshot ${head.snapshot}`, refused)
  return allowed
}

const objection = (guard: GuardName, message: string): Objection => ({ guard, subject: null, message })

function comparedWithLive(head: ManifestHead, live: Live | null, { lostFunds }: GuardLimits): Objection[] {
  if (live === null) return []
  const found: Objection[] = []
  if (head.asOf < live.asOf)
    found.push(objection('older-date', `it is of ${head.asOf}, older than the live one of ${live.asOf}`))
  const lost = live.funds - head.funds
  if (lost > Math.max(1, live.funds * lostFunds))
    found.push(objection('lost-funds', `it has ${head.funds} funds, the live one ${live.funds}`))
  const [priced, pricedLive] = [pricedFunds(head.freshness), pricedFunds(live.freshness)]
  // Funds that are gone are counted above.
  const expected = pricedLive === null ? 0 : pricedLive - Math.max(0, lost)
  if (priced !== null && pricedLive !== null && expected - priced > Math.max(1, pricedLive * lostFunds))
    found.push(objection('unpriced-funds', `it has prices of ${priced} funds, the live one of ${pricedLive}`))
  const { newestPrice: newest } = head
  if (live.newestPrice !== null && (newest === null || newest < live.newestPrice)) {
    const own = newest === null ? 'it has no price at all' : `its newest price is of ${newest}`
    found.push(objection('older-prices', `${own}, that of the live one is of ${live.newestPrice}`))
  }
  return found
}

/** Funds with a published price: a fund that lost its price is neither late nor stale. */
const pricedFunds = (counts: FreshnessCounts | undefined) =>
  counts === undefined ? null : counts.fresh + counts.late + counts.stale + counts.unwatched

function staleFunds({ freshness }: ManifestHead, maxStaleShare: number): Objection[] {
  if (freshness === undefined || staleShare(freshness) <= maxStaleShare) return []
  const stalest = freshness.stalest.slice(0, namedFunds)
  const funds = stalest.map(({ isin, newestPrice }) => `${isin} of ${newestPrice}`)
  const others = freshness.stale - funds.length
  if (others > 0) funds.push(`${others} more`)
  const message = `${describeStale(freshness, maxStaleShare)} (newest prices: ${funds.join(', ')}): get their prices into the database and build again, or give funds that are priced less often a group in freshness.groups`
  return [objection('stale-prices', message)]
}

function deletes(head: ManifestHead, { deleted, before }: Planned, maxDeletes: number | null): Objection[] {
  // A first publish that was killed leaves a slot without a manifest, of about this size.
  const limit = maxDeletes ?? Math.floor((before ?? head).objects * maxDeletedShare)
  if (deleted <= limit) return []
  return [objection('deletes', `it would delete ${deleted} objects, more than ${limit} (--max-deletes)`)]
}

/** Those that a snapshot names, and the store's; null for AWS. */
export type Addresses = Readonly<{ baseUrl: string; docsUrl: string; endpoint: string | null }>

/**
 * Addresses in a snapshot that reach only the machine of the reader: fine for a trial, a mistake in a bucket for others.
 * @returns the settings to change, or null
 */
export function describeLocalAddresses({ baseUrl, docsUrl, endpoint }: Addresses): string | null {
  // A store on this machine has no readers elsewhere.
  if (endpoint !== null && isLoopback(endpoint)) return null
  const own = [['baseUrl', baseUrl, 'FUNDPRESS_BASE_URL']]
  // By default docsUrl derives from baseUrl: then one line is enough.
  if (!docsUrl.startsWith(`${baseUrl}/`)) own.push(['docsUrl', docsUrl, 'FUNDPRESS_DOCS_URL'])
  const local = own.filter(([, url = '']) => isLoopback(url))
  if (local.length === 0) return null
  const found = local.map(([name, url]) => `${name} is ${url}`).join(', ')
  const advice = local.map(([name, , variable]) => `"${name}" (${variable})`).join(' and ')
  return `${found}: published pages, errors and feeds link to it, which only this machine can reach: set ${advice}, then build and publish again`
}

const isLoopback = (url: string) =>
  /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(new URL(url).hostname)
