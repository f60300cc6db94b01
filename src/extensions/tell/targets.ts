/** Targets of notices, opened: with their addresses, which are secrets. */

import { httpAddress, openSecret } from '../../core/cli/setting-fields.ts'
import { openAddress } from './address.ts'
import type { TargetSetting } from './settings.ts'

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
