/** Addresses that lead nowhere but to the machine that asks: fine to try things out, a mistake in a bucket for others. */

export interface Addresses {
  readonly baseUrl: string
  readonly docsUrl: string
  /** Of the store, or null for AWS. */
  readonly endpoint: string | null
}

/** What is wrong with the addresses that a snapshot names, with the settings' names; null where nothing is. */
export function describeLocalAddresses({ baseUrl, docsUrl, endpoint }: Addresses): string | null {
  // A store on this machine has no readers elsewhere.
  if (endpoint !== null && isLoopback(endpoint)) return null
  // By default one derives from the other: then one line is enough.
  const isOwn = !docsUrl.startsWith(`${baseUrl}/`)
  const local = [
    ...(isLoopback(baseUrl) ? [['baseUrl', baseUrl, 'FUNDPRESS_BASE_URL'] as const] : []),
    ...(isOwn && isLoopback(docsUrl) ? [['docsUrl', docsUrl, 'FUNDPRESS_DOCS_URL'] as const] : []),
  ]
  if (local.length === 0) return null
  const found = local.map(([name, url]) => `${name} is ${url}`).join(', ')
  const advice = local.map(([name, , variable]) => `"${name}" (${variable})`).join(' and ')
  return `${found}: published pages, errors and feeds link to it, and it leads nobody anywhere: set ${advice}, then build and publish again`
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname)
}
