/** The options that commands are made of: flags of settings, flags that several commands share, and kinds of values. */

import { InvalidArgumentError, Option, type Command } from 'commander'
import { z } from 'zod'
import { isDay, isIsinInEitherCase } from '../api/routes/values.ts'
import { UsageError } from './failure.ts'
import { expectedBy, parseText } from './load-settings.ts'
import { shownValue } from './safe-text.ts'
import { configShape, findSetting, path, type SettingKey } from './settings.ts'

const settingFlags: Partial<Record<SettingKey, string>> = {
  db: '--db <file>',
  out: '--out <folder>',
  quickCheck: '--no-quick-check',
  docsUrl: '--docs-url <url>',
  pages: '--no-pages',
  jobs: '--jobs <number>',
  downloads: '--no-downloads',
  rawCsv: '--raw-csv',
  'bucket.name': '--bucket <name>',
  'bucket.endpoint': '--endpoint <url>',
  'bucket.region': '--region <name>',
  'bucket.prefix': '--prefix <folder>',
  'bucket.pathStyle': '--path-style',
  'bucket.concurrency': '--concurrency <number>',
  'bucket.maxRate': '--max-rate <number>',
  'bucket.maxDeletes': '--max-deletes <number>',
  'bucket.leaseSeconds': '--lease <seconds>',
  'bucket.graceSeconds': '--grace <seconds>',
  'edge.host': '--host <address>',
  'edge.port': '--port <number>',
  'edge.liveTtlSeconds': '--live-ttl <seconds>',
  'edge.hstsSeconds': '--hsts <seconds>',
  'edge.keyValueStore': '--flip-kvs <arn>',
  'freshness.maxStaleShare': '--max-stale-share <share>',
}

/** The flags of all commands that work with the bucket. */
export const bucketSettings = [
  'bucket.name',
  'bucket.endpoint',
  'bucket.region',
  'bucket.prefix',
  'bucket.pathStyle',
] as const satisfies readonly SettingKey[]

/** A flag of a setting. It has no default of its own. */
class SettingOption extends Option {
  readonly key: SettingKey

  constructor(key: SettingKey) {
    const flag = settingFlags[key]
    if (flag === undefined) throw new Error(`the setting ${key} has no flag`)
    const { schema, variable } = findSetting(key)
    const fallback: unknown = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined
    const sentence = (schema.description ?? '').replace(/\.$/, '')
    const isNegative = flag.startsWith('--no-')
    const origins = isNegative
      ? [`env: ${variable}=false`, `config: "${key}": false`]
      : [`env: ${variable}`, `config: ${key}`]
    const text = typeof fallback === 'string' ? fallback || 'none' : JSON.stringify(fallback)
    if (fallback !== undefined && !isNegative) origins.unshift(`default: ${text}`)
    const says = isNegative ? `No ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence
    super(flag, `${says} (${origins.join('; ')})`)
    this.key = key
    // A flag without a value is true; one that begins with `--no-` is false.
    if (typeof fallback !== 'boolean') this.argParser((value) => parsedBy(schema, flag, value))
  }
}

export const settingOption = (key: SettingKey): Option => new SettingOption(key)

function parsedBy(schema: z.ZodType, flag: string, text: string): unknown {
  const { success, data, error } = parseText(schema, text)
  if (success) return data
  const reason = `must be ${expectedBy(error)}`
  // Commander would show the value, which may hold a password.
  if (text.includes('@')) throw new UsageError(`option '${flag}' is ${shownValue(text)}: it ${reason}`)
  throw new InvalidArgumentError(`It ${reason}.`)
}

/** The settings among the flags that a command was called with. */
export function readSettingFlags(command: Command): Map<SettingKey, unknown> {
  const values = new Map<SettingKey, unknown>()
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    // Commander gives a `--no-` flag that is absent a value of its own.
    const isGiven = value !== undefined && command.getOptionValueSource(option.attributeName()) === 'cli'
    if (option instanceof SettingOption && isGiven) values.set(option.key, value)
  }
  return values
}

/** The value of a setting that the command needs. */
export function required<T>(value: T | null, key: SettingKey): T {
  if (value !== null) return value
  const flag = settingFlags[key] ?? key
  throw new UsageError(
    `${flag} is missing (or ${findSetting(key).variable}, or "${key}" in fundpress.config.json)`,
  )
}

/** An option whose value is text of a certain form. @param parse undefined: the text has another form */
function textOption<T>(
  [flag, describe]: readonly [flag: string, describe: string],
  expects: string,
  parse: (text: string, before: T | undefined) => T | undefined,
): Option {
  return new Option(flag, describe).argParser<T | undefined>((text, before) => {
    const value = parse(text, before)
    if (value !== undefined) return value
    throw new InvalidArgumentError(`It must be ${expects}.`)
  })
}

export const dayOption = (flag: string, describe: string) =>
  textOption([flag, describe], 'a day that exists, as YYYY-MM-DD', (text) => (isDay(text) ? text : undefined))

export const asOfOption = (describe = "The snapshot's date (default: today in Europe/Berlin)") =>
  dayOption('--as-of <day>', describe)

export const jsonOption = (describe = 'Print the summary as JSON') => new Option('--json', describe)

export const forceOption = () =>
  new Option(
    '--force',
    'Publish despite a refusal: an older snapshot, lost funds or prices, stale prices, many deletes',
  )

export const noLockOption = () =>
  new Option('--no-lock', 'For a store without conditional writes: nothing prevents two publishes at once')

/** Not a flag of the setting `baseUrl`: docsUrl derives from that, and must stay what the snapshot was built with. */
export const baseOption = (describe: string) =>
  new Option('--base <url>', describe).argParser((text) =>
    parsedBy(configShape.shape.baseUrl, '--base <url>', text),
  )

/** A path that is no setting. */
export const pathOption = (flag: string, describe: string) =>
  new Option(flag, describe).argParser((text) => parsedBy(path, flag, text))

export const wholeOption = (flag: string, describe: string, [minimum, maximum]: readonly [number, number]) =>
  textOption([flag, describe], `a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = Number(text)
    return /^[0-9]+$/.test(text) && value >= minimum && value <= maximum ? value : undefined
  })

/** The value is in seconds. */
export const durationOption = (flag: string, describe: string) =>
  textOption([flag, describe], 'a whole number with a unit: 90m, 36h, 2d', (text) => {
    const [, number, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? []
    const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[unit]
    return seconds === undefined ? undefined : Number(number) * seconds
  })

/** One or more ISINs in either case; the value is a list in upper case without duplicates. */
export const isinsOption = (flag: string, describe: string) =>
  textOption<readonly string[]>(
    [flag, describe],
    'an ISIN (12 characters with the right check digit)',
    (text, before = []) =>
      isIsinInEitherCase(text) ? [...new Set([...before, text.toUpperCase()])] : undefined,
  )

/** A part of several: `3/8`. */
export const shardOption = (flag: string, describe: string) =>
  textOption([flag, describe], 'a part of up to 999, such as 3/8', (text) => {
    const [, number, of] = /^([1-9][0-9]{0,2})\/([1-9][0-9]{0,2})$/.exec(text) ?? []
    return number !== undefined && Number(number) <= Number(of)
      ? { number: Number(number), of: Number(of) }
      : undefined
  })

export const snapshotOption = (flag: string, describe: string) =>
  textOption([flag, describe], 'a snapshot id, such as 2026-11-19-3f9c2ab4d1e0', (text) =>
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{12}$/.test(text) ? text : undefined,
  )
