/** A document over all funds, written fund by fund: all funds together need not fit into memory. */

import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Endpoint } from '../contract/endpoint.ts'
import { jsonByIsin, xmlByIsin, type ByIsinText } from '../encode/by-isin.ts'
import { contentTypeOf } from '../routes/content-types.ts'
import { documentKey } from '../routes/keys.ts'
import { languages, type Format, type RouteTable } from '../routes/table.ts'
import { isOfSameBytes, type Reuse } from './document-files.ts'
import type { RenderedLine } from './manifest.ts'
import type { Plan } from './plans.ts'
import type { StandingLine } from './standing-lines.ts'

/** An endpoint over all funds. */
export interface AllFundsPlan {
  readonly keys: Readonly<Record<Format, string>>
  /** The endpoint that it has the bodies of. */
  readonly of: Plan
}

export function allFundsPlans(
  endpoints: readonly Endpoint[],
  table: RouteTable,
  plans: readonly Plan[],
): AllFundsPlan[] {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.scope !== 'all') return []
    const route = table.routes.find(({ id }) => id === endpoint.id)
    const of = plans.find((plan) => plan.endpoint === endpoint.of)
    if (route === undefined || of === undefined) throw new Error(`endpoint ${endpoint.id} has no route`)
    const keyAs = (format: Format) => documentKey(route, {}, languages[0], format)
    const keys = { json: keyAs('json'), xml: keyAs('xml') }
    return [{ keys, of }]
  })
}

/** A document over all funds that is being written, member by member in the order of ISINs. */
export interface AllFundsDocument {
  readonly key: string
  readonly format: Format
  readonly add: (members: readonly string[]) => void
  /** @param standing its line of the previous manifest: a sparse snapshot leaves out what has the same bytes */
  readonly end: (from: string, standing: StandingLine | undefined) => RenderedLine
}

export function openAllFundsDocument(
  { keys }: AllFundsPlan,
  format: Format,
  root: string,
  reuse: Reuse | null,
): AllFundsDocument {
  const key = keys[format]
  const text: ByIsinText = format === 'json' ? jsonByIsin : xmlByIsin
  const path = join(root, key)
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'wx')
  const sha256 = createHash('sha256')
  let bytes = 0
  let members = 0
  const write = (content: string) => {
    const encoded = Buffer.from(content)
    sha256.update(encoded)
    bytes += encoded.length
    for (let done = 0; done < encoded.length;) done += writeSync(file, encoded, done)
  }
  return {
    key,
    format,
    add: (more) => {
      for (const member of more) write((members++ === 0 ? text.head : text.separator) + member)
    },
    end: (from, standing) => {
      write(members === 0 ? text.empty : text.tail)
      closeSync(file)
      const line = { key, sha256: sha256.digest('hex'), bytes, type: contentTypeOf(key), from }
      if (reuse?.kind === 'sparse' && isOfSameBytes(line, standing)) rmSync(path)
      return line
    },
  }
}
