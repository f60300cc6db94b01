/** Settings of tell: targets of notices with the events that they want, and the file for figures. */

import { z } from 'zod'
import type { OwnSettings } from '../../core/cli/own-settings.ts'
import {
  group,
  orNull,
  path,
  say,
  secretHeader,
  secretUrl,
  settingText as text,
} from '../../core/cli/setting-fields.ts'

export const noticeEvents = [
  'done',
  'refused',
  'failed',
  'late',
  'stale',
  'rollback',
  'forced',
  'warned',
] as const
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

export const settings = {
  shape: {
    notify: say(
      'Who is told of what happens: any number of targets.',
      z.array(targetSetting, 'a list of targets').default([]),
    ),
    metrics: group('Figures of each nightly run.', {
      file: say(
        "The file that nightly writes its figures to, for the textfile collector of Prometheus' node_exporter.",
        orNull(path),
      ),
    }),
  },
  secrets: ['notify'],
  commands: {
    nightly: {
      flags: { 'metrics.file': '--metrics <file>' },
      about:
        'notify (config) says who is told of what: webhooks and commands, see `notify`. --metrics gets the figures of each run.',
    },
  },
} as const satisfies OwnSettings
