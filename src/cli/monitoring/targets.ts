/** The setting `notify`: targets of notices, their events and addresses. */

import { z } from 'zod'
import { httpAddress, mailAddress, openSecret } from '../setting-fields.ts'
import { say, secretAddress, secretHeader, secretUrl, settingText as text } from '../setting-fields.ts'
import { decodedPart, openAddress } from './address.ts'

/** The README of this folder explains the events. */
export const noticeEvents = [
  ...(['done', 'refused', 'failed', 'late', 'stale', 'rollback', 'forced', 'warned'] as const),
]
export type NoticeEvent = (typeof noticeEvents)[number]

// No @ behind the host, as in `httpAddress`.
const smtpAddress = /^smtps?:\/\/([^\s/?#@\\]+@)?[^\s/?#@\\]+\/?$/u

const events = say(
  'What the target is told of. Default: all but done.',
  z
    .array(z.enum(noticeEvents, `one of ${noticeEvents.join(', ')}`), 'a list of events')
    .min(1, 'a list of at least one event')
    .default(noticeEvents.filter((event) => event !== 'done')),
)

const expectsSmtp =
  'an address such as smtps://mail.example.com:465 or smtp://mail.example.com:587, with user:password@ before the host (%40 ' +
  'stands for an @ in the password)'

/** No signs of a list, a group, a comment or a name: the mail could go to another address. */
const mailbox = mailAddress.regex(/^[^"(),:;[\\\]]+$/u, 'a mail address')

const url = say(
  'The address that messages are posted to. It is a secret: better env:NAME, the name of an environment variable.',
  secretUrl,
)

const types = 'webhook, slack, teams or mail'

const targetSetting = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: say('Any receiver of JSON: src/cli/monitoring/README.md lists its fields.', z.literal('webhook')),
      url,
      headers: say(
        'Headers of the request, such as { "Authorization": "env:NOTIFY_AUTHORIZATION" }.',
        z
          .record(text('a name', /^[A-Za-z0-9-]+$/u), secretHeader, {
            error: ({ code }) =>
              code === 'invalid_key' ? 'a header, whose name has letters, digits and hyphens' : 'an object',
          })
          .default({}),
      ),
      events,
    }),
    z.strictObject({ type: say('An incoming webhook of Slack.', z.literal('slack')), url, events }),
    z.strictObject({
      type: say(
        'A webhook of Workflows in Microsoft Teams ("When a Teams webhook request is received").',
        z.literal('teams'),
      ),
      url,
      events,
    }),
    z.strictObject({
      type: say('E-mail.', z.literal('mail')),
      smtp: say(
        'The server: smtps:// for TLS, smtp:// for STARTTLS, which is required unless the server is this machine. With a ' +
          'password better env:NAME, the name of an environment variable.',
        secretAddress(expectsSmtp, smtpAddress),
      ),
      from: say('The sender.', mailbox),
      to: say(
        'The recipients.',
        z.array(mailbox, 'a list of mail addresses').min(1, 'a list of at least one mail address'),
      ),
      events,
    }),
  ],
  {
    error: ({ code }: { readonly code: string }) =>
      code === 'invalid_union' ? types : `an object whose type is ${types}`,
  },
)

export type TargetSetting = z.output<typeof targetSetting>

export const notifySetting = say(
  'Who is told of what happens: any number of targets.',
  z.array(targetSetting, 'a list of targets').default([]),
)

/** A target with its secrets: only `type` and `host` may be shown. */
export type OpenTarget =
  | {
      readonly type: 'webhook' | 'slack' | 'teams'
      readonly host: string
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      readonly type: 'mail'
      readonly host: string
      readonly server: SmtpServer
      readonly from: string
      readonly to: readonly string[]
    }

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte, not by STARTTLS. */
  readonly isSecure: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
}

/** A target without an address. The reason names variables, but no values. */
export interface ClosedTarget {
  readonly type: TargetSetting['type']
  readonly host: null
  readonly reason: string
}

export function openTarget(
  setting: TargetSetting,
  environment: Readonly<Record<string, string | undefined>>,
): OpenTarget | ClosedTarget {
  const { type } = setting
  const closed = (reason: string): ClosedTarget => ({ type, host: null, reason })
  const problems: string[] = []
  const open = (name: string, text: string, pattern: RegExp) => {
    const found = openSecret(text, environment)
    if ('missing' in found) problems.push(`the environment variable ${found.missing} is not set`)
    else if (!pattern.test(found.value) || (pattern !== headerForm && !URL.canParse(found.value)))
      problems.push(
        `${text.startsWith('env:') ? `the environment variable ${text.slice(4)}` : name} has a wrong form`,
      )
    else return found.value
    return ''
  }
  if (setting.type === 'mail') {
    const address = open('smtp', setting.smtp, smtpAddress)
    if (problems.length > 0) return closed(problems.join(', '))
    const parsed = new URL(address)
    const { protocol, hostname, port, username, password } = parsed
    const isSecure = protocol === 'smtps:'
    const auth = username === '' ? null : { user: decodedPart(username), pass: decodedPart(password) }
    const host = hostname.replace(/^\[|\]$/g, '')
    const server = { host, port: port === '' ? (isSecure ? 465 : 587) : Number(port), isSecure, auth }
    return { type: 'mail', host: parsed.host, server, from: setting.from, to: setting.to }
  }
  const address = open('url', setting.url, httpAddress)
  const named = Object.entries(setting.type === 'webhook' ? setting.headers : {})
  const headers = Object.fromEntries(
    named.map(([name, value]) => [name.toLowerCase(), open(`headers.${name}`, value, headerForm)]),
  )
  if (problems.length > 0) return closed(problems.join(', '))
  const { host, url: opened, headers: login } = openAddress(new URL(address))
  return { type: setting.type, host, url: opened.href, headers: { ...login, ...headers } }
}

const headerForm = /^[ -~]+$/u
