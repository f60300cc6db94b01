/** Documents that belong to no single fund: those over all funds, and the errors whose text is always the same. */

import { createHash, hash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonByIsin, xmlByIsin, type ByIsinText } from '../encode/by-isin.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { documentKey, sharedErrorKey } from '../routes/keys.ts'
import { problemDocument } from '../routes/problems.ts'
import { formats, languages, type Format, type RouteTable } from '../routes/table.ts'
import { contentTypes, type ManifestLine } from './manifest.ts'

/** A document over all funds that is being written. */
export interface AllFundsDocument {
  readonly endpointId: string
  readonly format: Format
  readonly add: (members: readonly string[]) => void
  readonly end: () => ManifestLine
}

/** Opens the documents of all endpoints over all funds. They are written as members come, in the order of ISINs. */
export function allFundsDocuments(
  endpoints: readonly Endpoint[],
  table: RouteTable,
  root: string,
): AllFundsDocument[] {
  return endpoints
    .filter(({ scope }) => scope === 'all')
    .flatMap(({ id }) => {
      const route = table.routes.find((candidate) => candidate.id === id)
      if (route === undefined) throw new Error(`endpoint ${id} has no route`)
      return formats.map((format) => {
        const key = documentKey(route, {}, languages[0], format)
        return openDocument(id, format, key, join(root, key), format === 'json' ? jsonByIsin : xmlByIsin)
      })
    })
}

function openDocument(
  endpointId: string,
  format: Format,
  key: string,
  path: string,
  text: ByIsinText,
): AllFundsDocument {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'w')
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
    endpointId,
    format,
    add: (more) => {
      for (const member of more) write((members++ === 0 ? text.head : text.separator) + member)
    },
    end: () => {
      write(members === 0 ? text.empty : text.tail)
      closeSync(file)
      return { key, sha256: sha256.digest('hex'), bytes, type: contentTypes[format] }
    },
  }
}

/** Writes the errors whose text does not depend on the request. Source: keys.md, `errors/<group>/<status>-<slug>.{x}`. */
export function writeSharedErrors(table: RouteTable, root: string): ManifestLine[] {
  return table.problems
    .filter(({ title }) => !title.includes('{'))
    .flatMap((problem) =>
      formats.map((format) => {
        const key = sharedErrorKey(problem, format)
        const content = Buffer.from(problemDocument(table.docsUrl, problem, {}, format))
        mkdirSync(dirname(join(root, key)), { recursive: true })
        writeFileSync(join(root, key), content)
        return {
          key,
          sha256: hash('sha256', content, 'hex'),
          bytes: content.length,
          type: contentTypes[format],
        }
      }),
    )
}
