/** Requests to try on a snapshot, for whoever sees it for the first time. */

import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { checksumsKey } from './manifest.ts'

/** Up to three targets that this snapshot answers with data, e.g. `/api/v1/prices-current/DE0008471400/`. */
export async function exampleTargets(folder: string): Promise<string[]> {
  const found = new Map<string, string>()
  const lines = createInterface({ input: createReadStream(join(folder, checksumsKey)) })
  for await (const line of lines) {
    // The first fund in ISIN order that has the answer: lines are sorted by key.
    const match =
      /(api\/v1\/(prices-current|prices-historic|profile)\/[A-Z0-9]{12}\/)(index(?:\.en)?|\d{4})\.json$/.exec(
        line,
      )
    const [, folderKey = '', endpoint = '', name = ''] = match ?? []
    if (match === null || found.has(endpoint) || (endpoint === 'prices-historic' && name === 'index'))
      continue
    const range = `${name}-01-01/${name}-12-31/?format=xml`
    const suffix = endpoint === 'prices-historic' ? range : endpoint === 'profile' ? '?language=en' : ''
    found.set(endpoint, `/${folderKey}${suffix}`)
    if (found.size === 3) break
  }
  return [...found.values()]
}
