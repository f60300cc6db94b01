/** The fund of examples, and links for `fundpress serve` to print. `serve` keeps this in memory, so it imports little. */

import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import type { RouteTable } from '../api/routes/table.ts'
import { answeredBy, keyParser } from '../api/routes/parse-key.ts'

/** The number of endpoints that have an answer of a fund. */
interface FundAnswers {
  readonly isin: string
  readonly answers: number
}

/** The first of the funds that have answers from most endpoints, or null if no fund has any. */
export function exampleIsinOf(each: readonly FundAnswers[]): string | null {
  const most = each.reduce((found, { answers }) => Math.max(found, answers), 1)
  return each.find(({ answers }) => answers === most)?.isin ?? null
}

/**
 * Pages, and up to three requests, of the fund that the documentation has as its example: it has answers of most endpoints.
 * @param checksums its SHA256SUMS, sorted by key; it is read up to the last document
 * @param has asks for a file of the snapshot
 */
export async function exampleTargets(
  checksums: Readable,
  table: RouteTable,
  has: (key: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const answers = await answersIn(checksums, table)
  const isin = exampleIsinOf([...answers].map(([isin, { ids }]) => ({ isin, answers: ids.size })))
  const pages = ['funds/', ...(isin === null ? [] : [`funds/${isin}/`]), 'docs/']
  const targets: string[] = []
  for (const page of pages) if (await has(`${page}index.html`)) targets.push(`/${page}`)
  const found = answers.get(isin ?? '')
  if (isin === null || found === undefined) return targets
  const { ids, newestYear } = found
  if (ids.has('prices-current')) targets.push(`/api/v1/prices-current/${isin}/`)
  if (newestYear !== '') {
    const range = `${newestYear}-01-01/${newestYear}-12-31`
    targets.push(`/api/v1/prices-historic/${isin}/${range}/?format=xml`)
  }
  if (ids.has('profile')) targets.push(`/api/v1/profile/${isin}/?language=en`)
  return targets
}

/** What a fund has answers of. */
interface Answers {
  /** Of endpoints. */
  readonly ids: Set<string>
  /** Of its prices; '' without any. */
  newestYear: string
}

/** @returns by ISIN, in the order of ISINs */
async function answersIn(checksums: Readable, table: RouteTable): Promise<ReadonlyMap<string, Answers>> {
  const found = new Map<string, Answers>()
  const meaningOf = keyParser(table)
  for await (const line of createInterface({ input: checksums })) {
    // Two spaces follow the digest. Keys of documents begin with `api/`, which comes first.
    const key = line.slice(66)
    if (!key.startsWith('api/')) break
    const meaning = meaningOf(key)
    const id = answeredBy(meaning)
    const isin = 'values' in meaning ? meaning.values['isin'] : undefined
    if (id === null || isin === undefined) continue
    const answers = found.get(isin) ?? { ids: new Set(), newestYear: '' }
    found.set(isin, answers)
    answers.ids.add(id)
    if (meaning.kind === 'window' && id === 'prices-historic') answers.newestYear = meaning.year
  }
  checksums.destroy()
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
}
