/** `endpoint`: the store's, null for AWS. */
export type Addresses = Readonly<{ baseUrl: string; docsUrl: string; endpoint: string | null }>

/** Describes addresses that only this machine can reach. @returns the settings to change, or null */
export function describeLocalAddresses({ baseUrl, docsUrl, endpoint }: Addresses): string | null {
  // A store on this machine has no readers elsewhere.
  if (endpoint !== null && isLoopback(endpoint)) return null
  const own = [['baseUrl', baseUrl, 'FUNDPRESS_BASE_URL']]
  // By default docsUrl derives from baseUrl: one line is enough.
  if (!docsUrl.startsWith(`${baseUrl}/`)) own.push(['docsUrl', docsUrl, 'FUNDPRESS_DOCS_URL'])
  const local = own.filter(([, url = '']) => isLoopback(url))
  if (local.length === 0) return null
  const found = local.map(([name, url]) => `${name} is ${url}`).join(', ')
  const advice = local.map(([name, , variable]) => `"${name}" (${variable})`).join(' and ')
  return `${found}: pages, errors and feeds link to it, which only this machine can reach: before others read it, set ${advice}, then build again`
}

const isLoopback = (url: string) =>
  /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(new URL(url).hostname)
