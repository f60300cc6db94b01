/** Loads the settings. Flags win over environment variables, variables over the config file, the file over defaults. */

import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { isFolderName } from '../bucket/store/store.ts'
import { leastContrast, minContrast } from '../layout/colours.ts'
import { messageOf, systemCode } from '../system/message.ts'
import { assertFile } from '../system/place.ts'
import { suggest, UsageError } from './failure.ts'
import type { KnownSettings } from './known-settings.ts'
import type { OwnSettings } from './own-settings.ts'
import { shownValue } from './safe-text.ts'
import { groupMembers, isPath, withoutDefault } from './setting-fields.ts'
import { complete, configShape, type Settings, withSwitches } from './settings.ts'

export interface SettingSources {
  /** By the key of the setting. */
  readonly flags: ReadonlyMap<string, unknown>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Undefined: fundpress.config.json, if it exists. */
  readonly configFile: string | undefined
  readonly cores: number
}

type Config = Readonly<Record<string, unknown>>

const notShown = 'a value that is not shown'
const isSecret = ({ secrets }: KnownSettings, key: string) =>
  secrets.some((secret) => key === secret || key.startsWith(`${secret}.`) || key.startsWith(`${secret}[`))

interface LoadedSettings {
  /** Those of the core. */
  readonly settings: Settings
  /** Those that an extension declares. */
  readonly settingsOf: SettingsOf
  /** All of them as they were given. */
  readonly given: Config
}

type SettingsOf = <Shape extends z.ZodRawShape>(own: OwnSettings<Shape>) => z.output<z.ZodObject<Shape>>

/** @throws {UsageError} naming the file and key, or the environment variable, that is wrong */
export function loadSettings(known: KnownSettings, sources: SettingSources): LoadedSettings {
  const { flags, environment, configFile, cores } = sources
  let given = readConfigFile(known, configFile)
  for (const [key, value] of [...readEnvironment(known, environment), ...flags]) {
    const [first = '', second] = key.split('.')
    const group = given[first] as Config | undefined
    given = { ...given, [first]: second === undefined ? value : { ...group, [second]: value } }
  }
  const settings = coreSettings(given, cores)
  assertBucket(settings)
  assertColours(settings)
  return { settings, given, settingsOf: ({ shape }) => z.object(shape).parse(given) }
}

/** Leaves out the settings of extensions. @param given values that {@link parseConfig} has checked */
export const coreSettings = (given: Config, cores: number): Settings =>
  complete(configShape.strip().parse(given), cores)

function assertBucket({ bucket }: Settings): void {
  const { name, prefix, endpoint, region, pathStyle } = bucket
  if (name === null || !isFolderName(name)) return
  if (prefix !== '' && prefix.split('/').some((part) => ['', '.', '..', '.fundpress'].includes(part)))
    throw new UsageError(`bucket.prefix is ${prefix}: it must be the path of a folder below ${name}`)
  const settings = Object.entries({ endpoint, region, pathStyle })
  const [wrong] = settings.find(([, value]) => value !== null && value !== false) ?? []
  if (wrong !== undefined)
    throw new UsageError(
      `bucket.name is the folder ${name}: it cannot have bucket.${wrong}, remove one of both`,
    )
}

function assertColours({ site }: Settings): void {
  for (const theme of ['light', 'dark'] as const) {
    const key = theme === 'light' ? 'accentLight' : 'accentDark'
    const colour = site[key]
    if (colour === null) continue
    const { ratio, background } = leastContrast(colour, theme)
    if (ratio >= minContrast) continue
    // Rounded down: a ratio just below the limit must not look like the limit.
    const shown = (Math.floor(ratio * 100) / 100).toFixed(2)
    throw new UsageError(
      `site.${key} is ${colour}: its contrast with the background ${background} of ${theme} pages is ${shown}:1, ` +
        `and must be at least ${minContrast}:1. Take a ${theme === 'light' ? 'darker' : 'lighter'} colour`,
    )
  }
}

/** Parses a flag's argument or a variable as a text, a number or a boolean, as the setting expects. */
export function parseText(schema: z.ZodType, text: string): z.ZodSafeParseResult<unknown> {
  const forms: readonly unknown[] = [
    ...(/^[0-9]+(\.[0-9]+)?$/.test(text) ? [Number(text)] : []),
    ...(/^(true|1)$/.test(text) ? [true] : []),
    ...(/^(false|0)$/.test(text) ? [false] : []),
  ]
  const parsed = [text, ...forms].map((form) => schema.safeParse(form))
  return parsed.find(({ success }) => success) ?? schema.safeParse(text)
}

/** What a setting accepts, in words: `a whole number from 1 to 256`. */
export const expectedBy = (error: z.ZodError | undefined): string => error?.issues[0]?.message ?? ''

function readEnvironment(
  known: KnownSettings,
  environment: SettingSources['environment'],
): (readonly [key: string, value: unknown])[] {
  return known.list.flatMap(({ key, schema, variable }) => {
    const text = environment[variable]
    // Workflows set a variable without a value to an empty text.
    if (text === undefined || text === '') return []
    const { success, data, error } = parseText(schema, text)
    if (success) return [[key, data] as const]
    const reason = `it must be ${expectedBy(error)}`
    const shown = isSecret(known, key) ? notShown : shownValue(text)
    throw new UsageError(`environment variable ${variable} is ${shown}: ${reason}`)
  })
}

/** @param file undefined: the default file, which may be missing */
function readConfigFile(known: KnownSettings, file: string | undefined): Config {
  const name = file ?? 'fundpress.config.json'
  let text: string
  try {
    assertFile(name)
    text = readFileSync(name, 'utf8')
  } catch (error) {
    const isMissing = systemCode(error) === 'ENOENT'
    if (isMissing && file === undefined) return {}
    if (isMissing) throw new UsageError(`config file ${name} does not exist (--config)`)
    throw new UsageError(`config file ${name} cannot be read`, { cause: error })
  }
  return parseConfig(known, name, text)
}

/** @returns the values of the file, with paths relative to its folder @throws {UsageError} */
export function parseConfig(known: KnownSettings, file: string, text: string): Config {
  const config = withSwitches(parseJson(known, file, text))
  const { error } = known.shape.safeParse(config, { reportInput: true })
  if (error !== undefined)
    throw new UsageError(`config file ${file}: ${describeIssue(known, mainIssue(error))}`)
  return withPathsOf(dirname(file), config as Config, known.shape.shape)
}

function withPathsOf(folder: string, values: Config, shape: z.ZodRawShape): Config {
  const moved = Object.entries(values).map(([name, value]) => {
    const schema = shape[name]
    if (isPath(schema) && typeof value === 'string' && !isAbsolute(value)) return [name, join(folder, value)]
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [name, isGroup ? withPathsOf(folder, value as Config, groupMembers(schema) ?? {}) : value]
  })
  return Object.fromEntries(moved) as Config
}

function parseJson({ secrets }: KnownSettings, file: string, text: string): unknown {
  try {
    // Some editors write a byte order mark, which is not part of JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The message may quote the file, and a password in it.
    const names = secrets.map((secret) => secret.replace(/^.*\./, ''))
    const mayHoldSecret = /@|:\/\/|PRIVATE KEY/.test(text) || names.some((name) => text.includes(name))
    const message = mayHoldSecret ? messageOf(error).replace(/, (\.\.\.)?"[^]*/, '') : messageOf(error)
    throw new UsageError(`config file ${file} is not JSON: ${message}`)
  }
}

/** A misspelt key is missing, too: the unknown key explains more. */
const mainIssue = ({ issues }: z.ZodError) =>
  issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]

function describeIssue(known: KnownSettings, issue: z.core.$ZodIssue | undefined): string {
  const { path = [], message = '' } = issue ?? {}
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys
    return `unknown key "${placeOf([...path, name])}"${suggest(name, namesAt(known, path, issue.input?.['type']))}`
  }
  const place = placeOf(path)
  const what = path.length === 0 ? 'the file' : `"${place}"`
  if (issue?.input === undefined) return `${what} is missing: it must be ${message}`
  return `${what} must be ${message}, not ${isSecret(known, place) ? notShown : show(issue.input)}`
}

/** `freshness.groups[1].warnDays`. A key that is no word may be a header or an address in the wrong place: it is cut. */
const placeOf = (path: readonly PropertyKey[]) =>
  path
    .map((name) => (typeof name === 'number' ? `[${name}]` : `.${String(name).replace(/[^\w$-][^]*/, '…')}`))
    .join('')
    .slice(1)

/** Names of the members of a group, or of the entries of a list. @param type of the entry */
function namesAt(known: KnownSettings, path: readonly PropertyKey[], type: unknown): readonly string[] {
  let schema: unknown = known.shape
  for (const name of path)
    if (typeof name === 'string') schema = groupMembers(schema, type)?.[name] ?? entryOf(schema)
  return Object.keys(groupMembers(schema, type) ?? {}).filter((name) => name !== '$schema')
}

/** The schema of the values of an object whose keys anybody may choose, such as the tables of `import`; else undefined. */
function entryOf(schema: unknown): unknown {
  const inner = withoutDefault(schema)
  if (inner instanceof z.ZodRecord) return inner.valueType
  return inner instanceof z.ZodObject ? inner.def.catchall : undefined
}

function show(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.includes('@')) return shownValue(text)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** @returns the text of `templates/fundpress.config.schema.json` */
export function configSchema({ shape }: KnownSettings): string {
  const schema = z.toJSONSchema(shape, { io: 'input', target: 'draft-7' })
  const { downloads = {} } = schema.properties as Readonly<Record<string, { readonly description?: string }>>
  const { description, ...members } = downloads
  Object.assign(schema.properties ?? {}, {
    downloads: { description, anyOf: [{ type: 'boolean' }, members] },
  })
  return `${JSON.stringify({ ...schema, title: 'fundpress.config.json' }, null, 2)}\n`
}
