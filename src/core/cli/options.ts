/** Options of commands: flags of settings, flags that several commands share, and forms of values. */

import {
  Argument,
  type CommandUnknownOpts,
  type InferOptions,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings'
import { z } from 'zod'
import { isDay } from '../api/routes/values.ts'
import { guards, parseAllowed } from '../guards/guards.ts'
import { UsageError } from './failure.ts'
import { expectedBy, parseText } from './load-settings.ts'
import { shownValue, statement } from './safe-text.ts'
import { shortName } from './setting-names.ts'
import type { FlagOfSetting } from './known-settings.ts'
import { configShape, findSetting, type SettingKey } from './settings.ts'

const settingFlags: Partial<Record<SettingKey, string>> = {
  db: '--db <file>',
  out: '--out <folder>',
  quickCheck: '--no-quick-check',
  docsUrl: '--docs-url <url>',
  pages: '--no-pages',
  jobs: '--jobs <number>',
  'downloads.enabled': '--no-downloads',
  rawCsv: '--raw-csv',
  'bucket.name': '--bucket <name>',
  'bucket.endpoint': '--endpoint <url>',
  'bucket.region': '--region <name>',
  'bucket.prefix': '--prefix <folder>',
  'bucket.pathStyle': '--path-style',
  'serve.host': '--host <address>',
  'serve.port': '--port <number>',
  'serve.trustedProxies': '--trusted-proxies <addresses>',
  'edge.hstsSeconds': '--hsts <seconds>',
  'edge.keyValueStore': '--flip-kvs <arn>',
}

export const bucketSettings = [
  'bucket.name',
  'bucket.endpoint',
  'bucket.region',
  'bucket.prefix',
  'bucket.pathStyle',
] as const satisfies readonly SettingKey[]

/** A flag of a setting. Only the setting has a default. */
export class SettingOption extends Option<string> {
  readonly key: string

  constructor({ named: { key, schema, variable }, flag }: FlagOfSetting) {
    const fallback: unknown = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined
    const sentence = (schema.description ?? '').replace(/\.$/, '')
    const isNegative = flag.startsWith('--no-')
    const config = isNegative ? `"${shortName(key)}": false` : key
    const origins = [`env: ${variable}${isNegative ? '=false' : ''}`, `config: ${config}`]
    const text = typeof fallback === 'string' ? fallback || 'none' : JSON.stringify(fallback)
    if (fallback !== undefined && !isNegative) origins.unshift(`default: ${text}`)
    const says = isNegative ? `No ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence
    super(flag, `${says} (${origins.join('; ')})`)
    this.key = key
    // Commander gives a flag without a value: false if it begins with `--no-`, else true.
    if (typeof fallback !== 'boolean') this.argParser((value) => parsedBy(schema, flag, value))
  }
}

/** The flag of a setting of the core. */
export function settingOption(key: SettingKey): SettingOption {
  const flag = settingFlags[key]
  if (flag === undefined) throw new Error(`the setting ${key} has no flag`)
  return new SettingOption({ named: findSetting(key), flag })
}

function parsedBy(schema: z.ZodType, flag: string, text: string): unknown {
  const { success, data, error } = parseText(schema, text)
  if (success) return data
  const reason = `must be ${expectedBy(error)}`
  // Commander would show the value, which may hold a password.
  if (text.includes('@')) throw new UsageError(`option '${flag}' is ${shownValue(text)}: it ${reason}`)
  throw new InvalidArgumentError(`It ${reason}.`)
}

export function readSettingFlags(command: CommandUnknownOpts): Map<string, unknown> {
  const values = new Map<string, unknown>()
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    // Commander gives an absent `--no-` flag a value, too.
    const isGiven = value !== undefined && command.getOptionValueSource(option.attributeName()) === 'cli'
    if (option instanceof SettingOption && isGiven) values.set(option.key, value)
  }
  return values
}

export function required<T>(value: T | null, key: SettingKey): T {
  if (value !== null) return value
  const elsewhere = `${findSetting(key).variable}, or "${key}" in fundpress.config.json`
  throw new UsageError(`${settingFlags[key] ?? key} is missing (or ${elsewhere})`)
}

/** An option of a command that is no setting. */
export type CommandOption = Option<string, unknown, unknown, unknown, boolean, unknown>

/** The flags of a command as commander gives them: `--keep-downloads <days>` is `keepDownloads`, `--no-lock` is `lock`. */
export type FlagsOf<Options extends readonly unknown[], Known = object> = Options extends readonly [
  Option<infer Flag, infer Preset, infer Fallback, infer Value, infer IsMandatory, infer Choice>,
  ...infer Others,
]
  ? FlagsOf<Others, InferOptions<Known, Flag, Fallback, Value, IsMandatory, Preset, Choice>>
  : Readonly<Known>

/** A switch, or an option with any text. */
export const option = <const Flag extends string>(flag: Flag, describe: string) => new Option(flag, describe)

/** An option whose value has a certain form. @param parse gives undefined for a text of another form */
export const parsedOption = <const Flag extends string, T>(
  flag: Flag,
  describe: string,
  expects: string,
  parse: (text: string, before: T | undefined) => T | undefined,
) =>
  option(flag, describe).argParser<T>((text, before?: T) => {
    const value = parse(text, before)
    if (value !== undefined) return value
    throw new InvalidArgumentError(`It must be ${expects}.`)
  })

export const dayOption = <const Flag extends string>(flag: Flag, describe: string) =>
  parsedOption(flag, describe, 'a day that exists, as YYYY-MM-DD', (text) => (isDay(text) ? text : undefined))

export const asOfOption = (describe = "The snapshot's date (default: today in Europe/Berlin)") =>
  dayOption('--as-of <day>', describe)

const parseSnapshot = (text: string): string => {
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{12}$/.test(text)) return text
  throw new InvalidArgumentError('It must be a snapshot id, such as 2026-11-19-3f9c2ab4d1e0.')
}

export const snapshotOption = <const Flag extends string>(flag: Flag, describe: string) =>
  option(flag, describe).argParser(parseSnapshot)

export const snapshotArgument = (describe: string) =>
  new Argument('<snapshot>', describe).argParser(parseSnapshot)

/** Flags of commands with guards, for `overrideOf`. @param kept where the reason is kept, for the help */
export const overrideOptions = (
  example = 'such as lost-funds,price-jump:DE0008471400',
  kept = 'kept in the history and published in changes/',
) =>
  [
    parsedOption(
      '--allow <guards>',
      `Allow what these guards refuse, ${example}; needs --reason`,
      `a list of guards: ${Object.keys(guards).join(', ')}, some with :<ISIN>, :<ISIN>,<ISIN>, :<endpoint> or :<table>`,
      (text, before: readonly string[] = []) => {
        const found = parseAllowed(text)
        return found && [...before, ...found]
      },
    ),
    option('--force', 'Allow what any guard refuses; needs --reason'),
    reasonOption(`Why it is right: ${kept}`),
  ] as const

export const reasonOption = (describe: string) => option('--reason <text>', describe).argParser(statement)

export const noLockOption = () =>
  option('--no-lock', 'For a store without conditional writes: nothing prevents two publishes at once')

export const forgetKvsOption = () =>
  option(
    '--forget-kvs',
    'CloudFront no longer reads the KeyValueStore that live.json names: go on with that of --flip-kvs, or with none',
  )

/** A flag of `bucket.name` whose value may come from the environment or the config file. */
export const bucketOption = (describe: string) =>
  schemaOption('--bucket [name]', describe, findSetting('bucket.name').schema)

/** No flag of the setting `baseUrl`: docsUrl derives from that, and must stay as the snapshot was built. */
export const baseOption = (describe: string) =>
  schemaOption('--base <url>', describe, configShape.shape.baseUrl)

/** An option whose value has the form of a setting that is a text. */
export const schemaOption = <const Flag extends string>(flag: Flag, describe: string, schema: z.ZodType) =>
  option(flag, describe).argParser((text) => parsedBy(schema, flag, text) as string)

export const wholeOption = <const Flag extends string>(
  flag: Flag,
  describe: string,
  [minimum, maximum]: readonly [number, number],
) =>
  parsedOption(flag, describe, `a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = Number(text)
    return /^[0-9]+$/.test(text) && value >= minimum && value <= maximum ? value : undefined
  })

export const choiceOption = <const Flag extends string, const Choice extends string>(
  flag: Flag,
  describe: string,
  choices: readonly Choice[],
) => option(flag, describe).choices(choices)
