/** Example requests that a snapshot answers, for `fundpress serve` to print. */

import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'

/** How to look into a snapshot. */
export interface ExampleSource {
  /** Its SHA256SUMS. */
  readonly checksums: Readable
  /** Whether it has a file: to look for it in the checksums, all of them would have to be read. */
  readonly has: (key: string) => boolean | Promise<boolean>
}

/**
 * The pages for people, if there are any, then up to three targets that a snapshot answers with data, for example
 * `/api/v1/prices-current/DE0008471400/`.
 */
export async function exampleTargets({ checksums, has }: ExampleSource): Promise<string[]> {
  const requests = await exampleRequests(checksums)
  const pages: string[] = []
  for (const path of ['funds/', 'docs/']) if (await has(`${path}index.html`)) pages.push(`/${path}`)
  return [...pages, ...requests]
}

async function exampleRequests(checksums: Readable): Promise<string[]> {
  const found = new Map<string, string>()
  const lines = createInterface({ input: checksums })
  for await (const line of lines) {
    // The first fund in ISIN order that has the answer: lines are sorted by key.
    const match =
      /^[0-9a-f]{64} {2}(api\/v1\/(prices-current|prices-historic|profile)\/[A-Z0-9]{12}\/)(index(?:\.en)?|\d{4})\.json$/.exec(
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
  checksums.destroy()
  return [...found.values()]
}
