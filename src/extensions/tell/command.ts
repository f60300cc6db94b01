/** `fundpress notify`: sends the targets of the setting `notify` a test, or a notice of one event. */

import { defineCommand, type Session } from '../../core/cli/command.ts'
import { UsageError } from '../../core/cli/failure.ts'
import { countOf } from '../../core/cli/format.ts'
import { createNotice, type Notice, type NoticeFacts } from './notice.ts'
import { describeTarget, sendNotices, targetsFor, type Told, toldOf } from './notices.ts'
import { noticeEvents, settings } from './settings.ts'
import { openTarget } from './targets.ts'
import { asOfOption, choiceOption, option, reasonOption } from '../../core/cli/options.ts'

export default defineCommand({
  description:
    'Tries the targets of `notify` in the config: --test sends each of them a message that says it is a test, whatever ' +
    'their events are. With --dry-run nothing is sent: it prints what they would get.\n\n' +
    'With --event it tells all targets that want this event: for what cannot tell about itself, such as a night that was killed for its memory. ' +
    'systemd (OnFailure=) and Kubernetes can run it.\n\n' +
    'The exit code is 1 if a target was not told, such as a command that fails. Addresses and headers are printed nowhere.',
  options: [
    option('--test', 'Send each target a test message').conflicts('event'),
    choiceOption('--event <event>', 'Tell of this event', noticeEvents),
    reasonOption('What happened, for --event'),
    asOfOption('The as-of date that it is about (default: none)'),
    option('--dry-run', 'Print what would be sent, and send nothing'),
  ],
  json: 'Print the notice and its targets as JSON: type, name (host or program), events, reason (why it was not told, or null)',
  examples: [
    ['notify --test', 'After a change of the config'],
    ['notify --test --dry-run', 'To see what would be sent'],
    [`notify --event failed --reason "out of memory"`, 'For a scheduler'],
  ],
  run: async (session, { test, event, reason, asOf, dryRun }) => {
    if (test !== true && event === undefined) throw new UsageError('notify needs --test or --event')
    if (session.settingsOf(settings).notify.length === 0)
      throw new UsageError('the config has no target: add one to "notify" in fundpress.config.json')
    const facts: NoticeFacts =
      event === undefined
        ? {
            event: 'test',
            command: 'notify',
            what: 'a test',
            reason: 'This is a test of `fundpress notify`.',
          }
        : { event, command: 'notify', what: event, asOf: asOf ?? null, reason: reason ?? null }
    const notice = createNotice(session, facts)
    const isSent = dryRun !== true
    const told = isSent ? await sendNotices(session, [notice]) : openTargets(session, notice)
    session.print({ event: notice.event, isSent, targets: told, notice }, () => {
      if (told.length === 0) return `no target wants ${notice.event}\n`
      const lines = told.map((one) => describe(one, isSent ? 'was told' : 'would be told'))
      return isSent ? lines.join('') : `${lines.join('')}${JSON.stringify(notice, null, 2)}\n`
    })
    const failed = told.filter((one) => one.reason !== null)
    if (failed.length > 0)
      throw new Error(`${countOf(failed.length, 'target')} of ${told.length} cannot be told`)
  },
})

const openTargets = ({ settingsOf, environment }: Session, notice: Notice): readonly Told[] =>
  targetsFor(settingsOf(settings).notify, notice).map((setting) => {
    const target = openTarget(setting, environment)
    return { ...toldOf(setting, target), reason: target.name === null ? target.reason : null }
  })

const describe = ({ type, name, events, reason }: Told, well: string) =>
  `${describeTarget(type, name)}: ${reason ?? well}; events: ${events.join(', ')}\n`
