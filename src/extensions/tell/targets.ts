/** The setting `notify`: targets of notices, their events and addresses. */

import { z } from 'zod'
import {
  httpAddress,
  openSecret,
  say,
  secretHeader,
  secretUrl,
  settingText as text,
} from '../../core/cli/setting-fields.ts'
import { openAddress } from './address.ts'

/** The README of this folder explains the events. */
export const noticeEvents = [
  ...(['done', 'refused', 'failed', 'late', 'stale', 'rollback', 'forced', 'warned'] as const),
]
export type NoticeEvent = (typeof noticeEvents)[number]

const events = say(
  'What the target is told of. Default: all but done.',
  z
    .array(z.enum(noticeEvents, `one of ${noticeEvents.join(', ')}`), 'a list of events')
    .min(1, 'a list of at least one event')
    .default(noticeEvents.filter((event) => event !== 'done')),
)

const expectsCommand = 'a list of a program and its arguments, or a line for /bin/sh'

/** A list has no shell in it, so nothing has to be quoted. */
const command = z.union(
  [
    z.array(text('a text that is not empty', /^[^]+$/u), expectsCommand).min(1, expectsCommand),
    text('a line for /bin/sh', /^[^]*\S/u),
  ],
  expectsCommand,
)

const targetSetting = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: say(
        'A chat, or any receiver of JSON: src/extensions/tell/README.md lists its fields.',
        z.literal('webhook'),
      ),
      url: say(
        'The address that messages are posted to. It is a secret: better env:NAME, the name of an environment variable.',
        secretUrl,
      ),
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
    z.strictObject({
      type: say('A program of this machine.', z.literal('command')),
      command: say(
        'The program and its arguments, such as ["/usr/local/bin/tell", "--chat"]; or a text, which /bin/sh runs. It gets the ' +
          'JSON of a webhook on its standard input, and the event in FUNDPRESS_EVENT.',
        command,
      ),
      events,
    }),
  ],
  {
    error: ({ code }: { readonly code: string }) =>
      code === 'invalid_union' ? 'webhook or command' : 'an object whose type is webhook or command',
  },
)

export type TargetSetting = z.output<typeof targetSetting>

export const notifySetting = say(
  'Who is told of what happens: any number of targets.',
  z.array(targetSetting, 'a list of targets').default([]),
)

/** Has secrets: only `type` and `name` may be shown. */
export interface OpenWebhook {
  readonly type: 'webhook'
  /** The host. */
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Has secrets: only `type` and `name` may be shown. */
export interface OpenCommand {
  readonly type: 'command'
  /** The program. */
  readonly name: string
  readonly program: string
  readonly words: readonly string[]
  readonly environment: Environment
}

export type OpenTarget = OpenWebhook | OpenCommand

/** A webhook without an address. The reason names variables, but no values. */
export interface ClosedTarget {
  readonly type: 'webhook'
  readonly name: null
  readonly reason: string
}

type Environment = Readonly<Record<string, string | undefined>>

export const openTarget = (setting: TargetSetting, environment: Environment): OpenTarget | ClosedTarget =>
  setting.type === 'webhook' ? openWebhook(setting, environment) : openCommand(setting, environment)

function openCommand(
  { type, command: given }: Extract<TargetSetting, { type: 'command' }>,
  environment: Environment,
): OpenCommand {
  if (typeof given === 'string') {
    // Another first word may be a variable with a secret.
    const [name = '/bin/sh'] = /^[\w./-]+(?=\s|$)/.exec(given) ?? []
    return { type, name, program: '/bin/sh', words: ['-c', given], environment }
  }
  const [program = '', ...words] = given
  return { type, name: program, program, words, environment }
}

function openWebhook(
  { type, url, headers }: Extract<TargetSetting, { type: 'webhook' }>,
  environment: Environment,
): OpenWebhook | ClosedTarget {
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
  const address = open('url', url, httpAddress)
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      open(`headers.${name}`, value, headerForm),
    ]),
  )
  if (problems.length > 0) return { type, name: null, reason: problems.join(', ') }
  const { host, url: opened, headers: login } = openAddress(new URL(address))
  return { type, name: host, url: opened.href, headers: { ...login, ...own } }
}

const headerForm = /^[ -~]+$/u
