import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'

/**
 * Requests for `fundpress serve` to print: pages, and up to three endpoints that answer with data.
 * @param checksums its SHA256SUMS @param has asks for a file, whose line may be the last of SHA256SUMS
 */
export async function exampleTargets(
  checksums: Readable,
  has: (key: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const found = new Map<string, string>()
  // Lines are sorted by key: the first fund in ISIN order that has the answer.
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
