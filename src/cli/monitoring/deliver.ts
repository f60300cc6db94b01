/** Sends one message to one target, as often as it takes. No error of a library is quoted: it may hold the address. */

import { setTimeout } from 'node:timers/promises'
import type { Notice } from './notice.ts'
import { mailMessage, slackBody, teamsBody } from './render.ts'
import type { OpenTarget, SmtpServer, TargetSetting } from './targets.ts'

/** In milliseconds. `total` is for all attempts and pauses; `pause` doubles from one attempt to the next. */
export interface DeliveryPatience {
  readonly attempts: number
  readonly attempt: number
  readonly pause: number
  readonly total: number
}

/** A night whose targets all hang ends this much later. */
export const usualDelivery: DeliveryPatience = { attempts: 4, attempt: 8000, pause: 1000, total: 25_000 }
/** Whoever has stopped the program does not wait: GitHub gives 7.5 s, Kubernetes 30 s. */
export const lastDelivery: DeliveryPatience = { attempts: 2, attempt: 3000, pause: 250, total: 4000 }

export interface DeliveryTerms {
  readonly patience: DeliveryPatience
  /** Milliseconds since an arbitrary moment. */
  readonly clock: () => number
  /** Stops it. */
  readonly signal: AbortSignal
}

/** `isFinal`: another attempt would end in the same way. `wait`: the pause that the target asks for, in milliseconds. */
interface Failed {
  readonly reason: string
  readonly isFinal?: boolean
  readonly wait?: number
}

/** @returns null if the target has taken the message; else why not, without anything secret. It never throws */
export async function deliver(
  target: OpenTarget,
  notice: Notice,
  terms: DeliveryTerms,
): Promise<string | null> {
  const { patience, clock, signal } = terms
  const end = clock() + patience.total
  for (let attempt = 1; ; attempt++) {
    const left = end - clock()
    const limit = Math.min(patience.attempt, left)
    const failed = await within(limit, signal, (until) => send(target, notice, until))
    if (signal.aborted && failed !== null) return 'stopped before it was sent'
    if (failed === null) return null
    const pause = Math.max(failed.wait ?? 0, patience.pause * 2 ** (attempt - 1))
    // No attempt is shorter than others but the last one, and none begins after the end.
    const isLast = attempt === patience.attempts || left <= patience.attempt || clock() + pause >= end
    if (failed.isFinal === true || isLast)
      return attempt === 1 ? failed.reason : `${failed.reason}, after ${attempt} attempts`
    await setTimeout(pause, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return 'stopped before it was sent'
  }
}

/** Runs one attempt, and aborts it after a time in milliseconds. */
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

const send = (target: OpenTarget, notice: Notice, signal: AbortSignal) =>
  target.type === 'mail' ? mail(target, notice, signal) : post(target, notice, signal)

const bodies = { webhook: (notice: Notice): object => notice, slack: slackBody, teams: teamsBody } as const

/** What a target gets, without its address. */
export const contentFor = (target: OpenTarget | TargetSetting, notice: Notice): object =>
  target.type === 'mail'
    ? { from: target.from, to: target.to, ...mailMessage(notice) }
    : bodies[target.type](notice)

async function post(
  target: Extract<OpenTarget, { url: string }>,
  notice: Notice,
  signal: AbortSignal,
): Promise<Failed | null> {
  const { status, headers, body } = await fetch(target.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'fundpress', ...target.headers },
    body: JSON.stringify(contentFor(target, notice)),
    // Another host must not get what is secret.
    redirect: 'manual',
    signal,
  })
  // Nobody needs the rest of an answer, however long it is.
  await body?.cancel().catch(() => undefined)
  if (status >= 200 && status < 300) return null
  const reason = `its answer has the status ${status}${status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''}`
  const isFinal = status < 500 && status !== 408 && status !== 429
  return { reason, isFinal, wait: waitOf(headers) }
}

/** In milliseconds: `Retry-After` has seconds, or a date by the clock of the answer (RFC 9110, 10.2.3). */
function waitOf(headers: Headers): number {
  const retryAfter = headers.get('retry-after') ?? ''
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1000
  return Date.parse(retryAfter) - Date.parse(headers.get('date') ?? '') || 0
}

async function mail(
  { server, from, to }: Extract<OpenTarget, { server: SmtpServer }>,
  notice: Notice,
  signal: AbortSignal,
): Promise<Failed | null> {
  // Imported here because only a mail needs it, and it loads slowly.
  const { createTransport } = await import('nodemailer')
  const { host, port, isSecure, auth } = server
  const isLocal = localHosts.includes(host)
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    // On this machine nobody listens in between, and mail servers offer TLS with a certificate that nobody trusts.
    requireTLS: !isSecure && !isLocal,
    tls: { rejectUnauthorized: isSecure || !isLocal },
    ...(auth === null ? {} : { auth: { ...auth } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const { subject, text } = mailMessage(notice)
  try {
    const headers = { 'Auto-Submitted': 'auto-generated' }
    const { rejected } = await transport.sendMail({ from, to: [...to], subject, text, headers, signal })
    if (rejected.length === 0) return null
    return { reason: `the server refused ${rejected.length} of ${to.length} recipients`, isFinal: true }
  } finally {
    transport.close()
  }
}

const localHosts = ['localhost', '127.0.0.1', '::1']

/** Codes of Node and of OpenSSL for a certificate that is not trusted, or of another host. */
const certificateCode = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/
/** The server does not speak TLS, HTTP or SMTP. */
const languageCode = /^(ERR_SSL_|HPE_|UND_ERR_HEADERS|EPROTO$|EPROTOCOL$|ETLS$)/

function failureOf(error: unknown): Failed {
  const { code, originalCode, responseCode } = detailsOf(error)
  const about = originalCode ?? code
  const shown = responseCode ?? about
  const because = (reason: string, isFinal: boolean): Failed => ({
    reason: shown === undefined ? reason : `${reason} (${shown})`,
    isFinal,
  })
  const isFinal = (responseCode ?? 0) >= 500
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return because('the server refused the user name or the password', responseCode === undefined || isFinal)
  if (certificateCode.test(about ?? '')) return because('its certificate is not trusted', true)
  if (code === 'ETLS')
    return because('the server does not offer STARTTLS, or it failed', responseCode === undefined || isFinal)
  if (languageCode.test(about ?? '')) return because('it does not answer as such a server does', true)
  if (responseCode !== undefined) return because('the server refused the message', isFinal)
  return about === undefined
    ? because('the message could not be sent', true)
    : because('no connection', false)
}

/** The codes of an error, of `fetch` or of nodemailer: words of fixed lists. */
function detailsOf(error: unknown) {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { name, code, originalCode, responseCode } = inner as Readonly<Record<string, unknown>>
  const word = (value: unknown) =>
    typeof value === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(value) ? value : undefined
  return {
    // Node gives this error no code.
    code: name === 'HTTPParserError' ? (word(code) ?? 'HPE_INVALID') : word(code),
    originalCode: word(originalCode),
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
  }
}
