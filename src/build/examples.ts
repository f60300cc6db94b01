/** Example requests that a snapshot answers, for `fundpress serve` to print. */

import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'

/**
 * The pages for people, if there are any, then up to three targets that a snapshot answers with data, for example
 * `/api/v1/prices-current/DE0008471400/`.
 * @param checksums its SHA256SUMS
 * @param has whether it has a file: to look for it in the checksums, all of them would have to be read
 */
export async function exampleTargets(
  checksums: Readable,
  has: (key: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const found = new Map<string, string>()
  // The first fund in ISIN order that has the answer: lines are sorted by key.
  for await (const line of createInterface({ input: checksums })) {
    const [, folder = '', endpoint = '', name = ''] = answer.exec(line) ?? []
    const isHistory = endpoint === 'prices-historic'
    if (folder === '' || found.has(endpoint) || (isHistory && name === 'index')) continue
    const range = `${name}-01-01/${name}-12-31/?format=xml`
    found.set(endpoint, `/${folder}${isHistory ? range : endpoint === 'profile' ? '?language=en' : ''}`)
    if (found.size === 3) break
  }
  checksums.destroy()
  const pages: string[] = []
  for (const path of ['funds/', 'docs/']) if (await has(`${path}index.html`)) pages.push(`/${path}`)
  return [...pages, ...found.values()]
}

const answer =
  /^[0-9a-f]{64} {2}(api\/v1\/(prices-current|prices-historic|profile)\/[A-Z0-9]{12}\/)(index(?:\.en)?|\d{4})\.json$/
