/** The options that commands are made of: those that are settings, and the kinds of values that others take. */

import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { isDay, isIsinInEitherCase } from '../routes/values.ts'
import { UsageError } from './failure.ts'
import { readText } from './read-setting.ts'
import { shownValue } from './secrets.ts'
import { isDerived } from './setting.ts'
import { declaration, findSetting } from './settings.ts'
import type { NamedSetting, SettingKey } from './settings.ts'

/** A flag that stands for a setting, so it has no default of its own. */
class SettingOption extends Option {
  readonly key: SettingKey

  constructor(flag: string, { key, setting, variable }: NamedSetting) {
    // A flag that begins with `--no-` takes away what is described, and what it takes away is the default.
    const isNegative = flag.startsWith('--no-')
    const origins = isNegative
      ? [`env: ${variable}=false`, `config: "${key}": false`]
      : [...describeDefault(setting), `env: ${variable}`, `config: ${key}`]
    // Of a setting it is said whether something is so; the flag says that it is.
    const describe = capital(setting.describe.replace(/\.$/, '').replace(/^Whether /, ''))
    const says = isNegative ? `No ${describe.charAt(0).toLowerCase()}${describe.slice(1)}` : describe
    super(flag, `${says} (${origins.join('; ')})`)
    this.key = key
    // A flag that is there is true; one that begins with `--no-`, false.
    if (setting.schema.type === 'boolean') return
    this.argParser((text) => {
      const value = readText(setting, text)
      if (value === undefined) throw refusal(flag, text, setting.expects)
      return value
    })
  }
}

/** Commander shows the value itself. */
function refusal(flag: string, text: string, expects: string): Error {
  if (!text.includes('@')) return new InvalidArgumentError(`It must be ${expects}.`)
  return new UsageError(`option '${flag}' is ${shownValue(text)}: it must be ${expects}`)
}

function describeDefault({ fallback }: NamedSetting['setting']): readonly string[] {
  if (fallback === null) return []
  if (isDerived(fallback)) return [`default: ${fallback.text}`]
  if (typeof fallback !== 'string') return [`default: ${JSON.stringify(fallback)}`]
  return [`default: ${fallback === '' ? 'none' : fallback}`]
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Gives a command the flags of settings. */
export function withSettings(command: Command, ...keys: readonly SettingKey[]): Command {
  for (const key of keys) {
    const named = findSetting(key)
    if (named.setting.flag === undefined) throw new Error(`the setting ${key} has no flag`)
    command.addOption(new SettingOption(named.setting.flag, named))
  }
  return command
}

/** The settings among the flags that a command was called with. */
export function readSettingFlags(command: Command): Map<SettingKey, unknown> {
  const values = new Map<SettingKey, unknown>()
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    // Commander gives `--no-` flags that are not there a value of its own.
    const isGiven = value !== undefined && command.getOptionValueSource(option.attributeName()) === 'cli'
    if (option instanceof SettingOption && isGiven) values.set(option.key, value)
  }
  return values
}

/** The value of a setting that the command cannot do without. */
export function required<T>(value: T | null, key: SettingKey): T {
  if (value !== null) return value
  const { setting, variable } = findSetting(key)
  throw new UsageError(
    `${setting.flag ?? key} is missing (or ${variable}, or "${key}" in fundpress.config.json)`,
  )
}

export function dayOption(flag: string, describe: string): Option {
  return new Option(flag, describe).argParser((text) => {
    if (isDay(text)) return text
    throw new InvalidArgumentError('It must be a day that exists, as YYYY-MM-DD.')
  })
}

/** No flag of the setting `baseUrl`: that is also where docsUrl comes from, which has to stay what it was built with. */
export function baseOption(describe: string): Option {
  const { baseUrl } = declaration
  return new Option('--base <url>', describe).argParser((text) => {
    const value = readText(baseUrl, text)
    if (typeof value === 'string') return value
    throw refusal('--base <url>', text, baseUrl.expects)
  })
}

/** A path that is no setting. */
export function pathOption(flag: string, describe: string): Option {
  return new Option(flag, describe).argParser((text) => {
    if (readText(declaration.out, text) === text) return text
    throw refusal(flag, text, declaration.out.expects)
  })
}

type Bounds = readonly [minimum: number, maximum: number]

export function wholeOption(flag: string, describe: string, bounds: Bounds, fallback: number): Option {
  return optionalWholeOption(flag, describe, bounds).default(fallback)
}

export function optionalWholeOption(flag: string, describe: string, [minimum, maximum]: Bounds): Option {
  return new Option(flag, describe).argParser((text) => {
    const value = Number(text)
    if (/^[0-9]+$/.test(text) && value >= minimum && value <= maximum) return value
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  })
}

/** One or more ISINs in either case; the value is a list in upper case, each once. */
export function isinsOption(flag: string, describe: string): Option {
  return new Option(flag, describe).argParser<readonly string[] | undefined>((text, before) => {
    if (isIsinInEitherCase(text)) return [...new Set([...(before ?? []), text.toUpperCase()])]
    throw new InvalidArgumentError('It must be an ISIN (12 characters with the right check digit).')
  })
}

/** A part of several: `3/8`. */
export function shardOption(flag: string, describe: string): Option {
  return new Option(flag, describe).argParser((text) => {
    const [, number, of] = /^([1-9][0-9]{0,2})\/([1-9][0-9]{0,2})$/.exec(text) ?? []
    if (number !== undefined && Number(number) <= Number(of))
      return { number: Number(number), of: Number(of) }
    throw new InvalidArgumentError('It must be a part of up to 999, such as 3/8.')
  })
}

/** The help's last part: commands that can be copied, each with what it does. */
export function examples(...pairs: readonly (readonly [command: string, does: string])[]): string {
  return [
    '',
    'Examples:',
    ...pairs.flatMap(([command, does]) => [`  # ${does}`, `  fundpress ${command}`]),
  ].join('\n')
}
