/** Addresses that are secrets: messages show only the host. */

/** `fetch` refuses a user and a password in `url`: they become a header. Names of headers are in lower case. */
export function openAddress(address: URL) {
  const { username, password, host } = address
  const url = new URL(address)
  url.username = ''
  url.password = ''
  const basic = Buffer.from(`${decodedPart(username)}:${decodedPart(password)}`).toString('base64')
  const headers: Readonly<Record<string, string>> = username === '' ? {} : { authorization: `Basic ${basic}` }
  return { host, url, headers }
}

/** A percent sign in a password may encode nothing. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    return part
  }
}
