/**
 * Requests to monitors and to tools that tell people, with short patience. Their addresses are secrets, so no error shows more
 * of one than its host, and none shows what the server said.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../command.ts'
import { openSecret } from '../setting-fields.ts'

/** `attemptMs`: of one attempt; `totalMs`: of all attempts and the waits between them. */
export interface SendLimits {
  readonly attempts: number
  readonly attemptMs: number
  readonly totalMs: number
}

/**
 * An address that may be secret. @param name of the setting, for the error
 * @throws {Error} if it is in an environment variable that is unset or empty, or holds no address
 */
export function addressOf(setting: string, name: string, { environment }: Pick<Session, 'environment'>): URL {
  const found = openSecret(setting, environment)
  if ('missing' in found) throw new Error(`${name}: the environment variable ${found.missing} is not set`)
  const address = URL.canParse(found.value) ? new URL(found.value) : null
  if (address !== null && /^https?:$/.test(address.protocol)) return address
  const place = setting === found.value ? '' : `: the environment variable ${setting.slice('env:'.length)}`
  throw new Error(`${name}${place} is no http or https address`)
}

/**
 * Sends a request, again if there is no answer, or one that says so: 408, 429, 5xx. It does not follow a redirect: a login page
 * would look like success.
 * @returns the beginning of what the server answered @throws {Error} that names the host only
 */
export async function send(
  address: URL,
  request: Readonly<Pick<RequestInit, 'method' | 'body'>> & { readonly headers?: Record<string, string> },
  { attempts, attemptMs, totalMs }: SendLimits,
): Promise<string> {
  const total = AbortSignal.timeout(totalMs)
  const { url, headers } = withoutUser(address)
  const options = {
    ...request,
    headers: { 'user-agent': 'fundpress', ...headers, ...request.headers },
    redirect: 'manual',
  } as const
  for (let attempt = 1; ; attempt++) {
    const signal = AbortSignal.any([total, AbortSignal.timeout(attemptMs)])
    const { problem, isFinal, text } = await fetch(url, { ...options, signal }).then(judge, noAnswer)
    if (problem === null) return text
    const isLast = isFinal || attempt >= attempts || total.aborted
    if (!isLast) await sleep(250 * 2 ** attempt, null, { signal: total }).catch(() => null)
    if (isLast || total.aborted) throw new Error(`${address.host} ${problem}`)
  }
}

interface Judged {
  /** Null if there is none. */
  readonly problem: string | null
  /** Whether another attempt would have the same problem. */
  readonly isFinal: boolean
  readonly text: string
}

const shownBytes = 1000

async function judge({ ok, status, body }: Response): Promise<Judged> {
  let text = ''
  try {
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString('latin1')
      if (text.length > shownBytes) break
    }
  } catch (error) {
    return noAnswer(error)
  }
  const isFinal = status < 500 && status !== 408 && status !== 429
  return { problem: ok ? null : `answered ${status}`, isFinal, text }
}

/** An error of `fetch`. Its message may quote the address, its code does not. */
function noAnswer(error: unknown): Judged {
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: { readonly code?: unknown } }
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  const problem = name === 'TimeoutError' ? 'did not answer in time' : `cannot be reached${code}`
  return { problem, isFinal: false, text: '' }
}

/** `fetch` refuses an address with a user and a password: they become a header. */
function withoutUser(address: URL) {
  const { username, password } = address
  if (username === '' && password === '') return { url: address, headers: {} }
  const url = new URL(address)
  url.username = url.password = ''
  const user = [username, password].map(decodeURIComponent).join(':')
  return { url, headers: { authorization: `Basic ${Buffer.from(user).toString('base64')}` } }
}
