/** Addresses that are secrets: messages show only the host. */

import { httpAddress, openSecret } from '../setting-fields.ts'

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
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    return part
  }
}

/**
 * The address of a setting, or of the environment variable that it names. @param name of the setting, for the error
 * @throws {Error} if the variable is unset or empty, or is no address
 */
export function secretAddressOf(
  setting: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): URL {
  const found = openSecret(setting, environment)
  if ('missing' in found) throw new Error(`${name}: the environment variable ${found.missing} is not set`)
  if (httpAddress.test(found.value) && URL.canParse(found.value)) return new URL(found.value)
  const place = setting === found.value ? '' : `: the environment variable ${setting.slice('env:'.length)}`
  throw new Error(`${name}${place} is no http or https address`)
}
