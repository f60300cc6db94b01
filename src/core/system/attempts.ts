/** Sends a message until an attempt succeeds. Addresses are secrets: no error of a library and no answer is quoted. */

import { setTimeout } from 'node:timers/promises'

/** In milliseconds. `total` limits all attempts and pauses; `pause` doubles with each attempt. */
export interface DeliveryPatience {
  readonly attempts: number
  readonly attempt: number
  readonly pause: number
  readonly total: number
}

export interface DeliveryTerms {
  readonly patience: DeliveryPatience
  /** Milliseconds since an arbitrary moment. */
  readonly clock: () => number
  readonly signal: AbortSignal
}

/** `isFinal`: another attempt would fail, too. `wait`: the pause that the target asks for, in milliseconds. */
interface Failed {
  readonly reason: string
  readonly isFinal?: boolean
  readonly wait?: number
}

/** Never throws. @returns null for success, else the reason, without secrets */
export async function tryOften(
  work: (signal: AbortSignal) => Promise<Failed | null>,
  terms: DeliveryTerms,
): Promise<string | null> {
  const { patience, clock, signal } = terms
  const end = clock() + patience.total
  for (let attempt = 1; ; attempt++) {
    const left = end - clock()
    const limit = Math.min(patience.attempt, left)
    const failed = await within(limit, signal, work)
    if (signal.aborted && failed !== null) return 'stopped before it was sent'
    if (failed === null) return null
    const pause = Math.max(failed.wait ?? 0, patience.pause * 2 ** (attempt - 1))
    // An attempt needs at least half of its usual time.
    const next = clock() + pause + patience.attempt / 2
    const isLast = attempt === patience.attempts || left <= patience.attempt || next > end
    if (failed.isFinal === true || isLast)
      return attempt === 1 ? failed.reason : `${failed.reason}, after ${attempt} attempts`
    await setTimeout(pause, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return 'stopped before it was sent'
  }
}

/** @param limit of one attempt, in milliseconds */
async function within(
  limit: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<Failed | null>,
): Promise<Failed | null> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = globalThis.setTimeout(abort, limit)
  stop.addEventListener('abort', abort, { once: true })
  if (stop.aborted) abort()
  try {
    return await work(controller.signal)
  } catch (error) {
    return controller.signal.aborted
      ? { reason: `no answer within ${Number((limit / 1000).toFixed(1))} s` }
      : failureOf(error)
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', abort)
  }
}

/** Follows no redirect: another host must not get secrets. @param judge gets the beginning of a good answer */
export async function request(
  url: string | URL,
  {
    headers = {},
    ...options
  }: Pick<RequestInit, 'method' | 'body' | 'signal'> & {
    readonly headers?: Readonly<Record<string, string>>
  },
  judge?: (text: string) => Failed | null,
): Promise<Failed | null> {
  const response = await fetch(url, {
    ...options,
    headers: { 'user-agent': 'fundpress', ...headers },
    redirect: 'manual',
  })
  const failed = judgeStatus(response)
  if (failed === null && judge !== undefined) return judge(await beginningOf(response.body))
  await response.body?.cancel().catch(() => undefined)
  return failed
}

function judgeStatus({ status, headers }: Response): Failed | null {
  if (status >= 200 && status < 300) return null
  const reason = `its answer has the status ${status}${status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''}`
  const isFinal = status < 500 && status !== 408 && status !== 429
  return { reason, isFinal, wait: waitOf(headers) }
}

const readCharacters = 1000

async function beginningOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length >= readCharacters) break
  }
  return text
}

/** `Retry-After` in milliseconds: the header has seconds, or a date by the clock of the answer (RFC 9110, 10.2.3). */
function waitOf(headers: Headers): number {
  const retryAfter = headers.get('retry-after') ?? ''
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1000
  return Date.parse(retryAfter) - Date.parse(headers.get('date') ?? '') || 0
}

/** Codes of Node and of OpenSSL for a certificate that is not trusted, or of another host. */
const certificateCode = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/
/** The server does not speak TLS or HTTP. */
const languageCode = /^(ERR_SSL_|HPE_|UND_ERR_HEADERS|EPROTO$)/

function failureOf(error: unknown): Failed {
  const code = codeOf(error)
  if (code === undefined) return { reason: 'the message could not be sent', isFinal: true }
  if (certificateCode.test(code)) return { reason: `its certificate is not trusted (${code})`, isFinal: true }
  if (languageCode.test(code))
    return { reason: `it does not answer as such a server does (${code})`, isFinal: true }
  return { reason: `no connection (${code})`, isFinal: false }
}

/** The code of an error of `fetch`: a word of a fixed list, so it holds no secret. */
function codeOf(error: unknown): string | undefined {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { name, code } = inner as Readonly<Record<string, unknown>>
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code
  // Node gives this error no code.
  return name === 'HTTPParserError' ? 'HPE_INVALID' : undefined
}
