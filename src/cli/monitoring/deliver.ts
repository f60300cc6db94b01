/** Sends one message to one target. */

import { hash } from 'node:crypto'
import { type DeliveryPatience, type DeliveryTerms, type Failed, request, tryOften } from './attempts.ts'
import type { Notice } from './notice.ts'
import { mailMessage, slackBody, teamsBody } from './render.ts'
import type { OpenTarget, SmtpServer, TargetSetting } from './targets.ts'

/** `total` is the delay of a night whose targets all hang. */
export const usualDelivery: DeliveryPatience = { attempts: 4, attempt: 8000, pause: 1000, total: 20_000 }
/** After SIGTERM there is little time: GitHub gives 7.5 s, Kubernetes 30 s. */
export const lastDelivery: DeliveryPatience = { attempts: 2, attempt: 3000, pause: 250, total: 4000 }

/** Never throws. @returns null for success, else the reason, without secrets */
export const deliver = (target: OpenTarget, notice: Notice, terms: DeliveryTerms): Promise<string | null> =>
  tryOften(
    (signal) => (target.type === 'mail' ? mail(target, notice, signal) : post(target, notice, signal)),
    terms,
  )

const bodies = { webhook: (notice: Notice): object => notice, slack: slackBody, teams: teamsBody } as const

export const contentFor = (target: OpenTarget | TargetSetting, notice: Notice): object =>
  target.type === 'mail'
    ? { from: target.from, to: target.to, ...mailMessage(notice) }
    : bodies[target.type](notice)

const post = (target: Extract<OpenTarget, { url: string }>, notice: Notice, signal: AbortSignal) =>
  request(target.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...target.headers },
    body: JSON.stringify(contentFor(target, notice)),
    signal,
  })

async function mail(
  { server, from, to }: Extract<OpenTarget, { server: SmtpServer }>,
  notice: Notice,
  signal: AbortSignal,
): Promise<Failed | null> {
  // Imported here because only mails need it, and it loads slowly.
  const { createTransport } = await import('nodemailer')
  const { host, port, isSecure, auth } = server
  const isLocal = localHosts.includes(host)
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    // A local mail server needs no TLS, or has a certificate of its own.
    requireTLS: !isSecure && !isLocal,
    tls: { rejectUnauthorized: isSecure || !isLocal },
    ...(auth === null ? {} : { auth: { ...auth } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const { subject, text } = mailMessage(notice)
  try {
    const headers = { 'Auto-Submitted': 'auto-generated' }
    // The same id in each attempt, so that many servers drop a mail whose first copy they took without an answer.
    const messageId = `<${hash('sha256', JSON.stringify([notice, to]))}${from.slice(from.lastIndexOf('@'))}>`
    const message = { from, to: [...to], subject, text, headers, messageId }
    const { rejected } = await transport.sendMail({ ...message, signal })
    if (rejected.length === 0) return null
    return { reason: `the server refused ${rejected.length} of ${to.length} recipients`, isFinal: true }
  } finally {
    transport.close()
  }
}

const localHosts = ['localhost', '127.0.0.1', '::1']
