/** Parts of the schemas of settings. The message of each check completes the sentence "It must be …". */

import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { isPublicKey } from '../system/ssh-signature.ts'
import { variableOf } from './setting-names.ts'

// Compiling the schema takes longer than it saves with the few values of one start.
z.config({ jitless: true })

/** A line break could add a line to the configurations of nginx, units and workflows that settings become part of. */
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u

export const settingText = (expects: string, pattern: RegExp) =>
  z.string(expects).regex(new RegExp(`^(?=${oneLine.source.slice(1)})(?:${pattern.source})`, 'u'), {
    error: ({ input }) =>
      oneLine.test(input ?? '') ? expects : `${expects}, on one line, without control characters`,
  })

export const headerValue = settingText('a header value (printable ASCII)', /^[!-~]([ -~]*[!-~])?$/u)
export const mailAddress = settingText('a mail address', /^[^\s@<>]+@[^\s@<>.]+(\.[^\s@<>.]+)+$/u)

/** Refuses a URL: its password would get into messages that name the file. */
export const path = settingText('a path', /^(?![A-Za-z][A-Za-z0-9+.-]+:\/\/)./u).overwrite((file) =>
  isAbsolute(file) ? file : join(file),
)

export const whole = (minimum: number, maximum: number) => {
  const expects = `a whole number from ${minimum} to ${maximum}`
  return z.int(expects).min(minimum, expects).max(maximum, expects)
}

/** A setting without a default: null if nothing sets it. */
export const orNull = <T extends z.ZodType>(schema: T) =>
  schema.optional().transform((value) => value ?? null)

export const say = <T extends z.ZodType>(describe: string, schema: T): T => schema.describe(describe)

/** A missing group has the defaults of its members. */
export const group = <Shape extends z.ZodRawShape>(describe: string, shape: Shape, expects = 'an object') =>
  say(describe, z.strictObject(shape, expects).prefault({} as never))

/** `env:FUNDPRESS_NOTIFY_URL`: an environment variable holds the value. */
const ofEnvironment = /env:[A-Za-z_][A-Za-z0-9_]*/u

const orVariable = (expects: string) => `${expects}, or env:NAME for the value of an environment variable`

const secretText = (expects: string, pattern: RegExp) =>
  settingText(orVariable(expects), new RegExp(`^${ofEnvironment.source}$|${pattern.source}`, 'u'))

export const secretHeader = secretText('a header value (printable ASCII)', /^(?!env:)[!-~]([ -~]*[!-~])?$/u)

// No @ behind the host: it would end a password that is not encoded, and the host would be part of the password.
export const httpAddress = /^https?:\/\/([^\s/?#@\\]+@)?[^\s/?#@\\]+([/?#][^\s@]*)?$/u

const expectsUrl = 'an absolute http or https URL (%40 stands for an @ in its password, path or query)'

/** Parses the address, too: a pattern cannot limit the port. */
export const secretUrl = secretText(expectsUrl, httpAddress).refine(
  (text) => URL.canParse(text),
  orVariable(expectsUrl),
)

/** A variable holds the key itself: a config file is no place for it. */
export const secretKey = z
  .string('env:NAME')
  .regex(
    new RegExp(`^(${ofEnvironment.source}|\\s*-----BEGIN [^]+)$`, 'u'),
    'env:NAME, or in FUNDPRESS_SIGNING_KEY the key itself',
  )

export const publicKey = settingText('a public key, such as ssh-ed25519 AAAA…', /^[^]*$/u).refine(
  isPublicKey,
  'a public key, such as ssh-ed25519 AAAA…',
)

/** @returns the value, or the name of the environment variable that is unset or empty */
export function openSecret(
  setting: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly value: string } | { readonly missing: string } {
  if (!new RegExp(`^${ofEnvironment.source}$`, 'u').test(setting)) return { value: setting }
  const name = setting.slice('env:'.length)
  const value = environment[name]?.trim() ?? ''
  return value === '' ? { missing: name } : { value }
}

export const numberBetween = (minimum: number, maximum: number) => {
  const expects = `a number from ${minimum} to ${maximum}`
  return z.number(expects).min(minimum, expects).max(maximum, expects)
}

export const onOrOff = (fallback: boolean) => z.boolean('true or false').default(fallback)

export interface NamedSetting {
  /** `serve.port` */
  readonly key: string
  readonly schema: z.ZodType
  readonly variable: string
}

/** Settings whose value is one text: neither lists nor maps, which only a config file has. */
export function listSettings(shape: z.ZodRawShape, prefix = ''): readonly NamedSetting[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const inner = withoutDefault(schema)
    if (name === '$schema' || inner instanceof z.ZodArray || inner instanceof z.ZodRecord) return []
    const members = groupMembers(schema)
    if (members !== null) return listSettings(members, `${name}.`)
    const key = prefix + name
    return [{ key, schema: schema as z.ZodType, variable: variableOf(key) }]
  })
}

/** Members of a group, or of the entries of a list; else null. @param type of an entry, if the list has several */
export function groupMembers(schema: unknown, type?: unknown): z.ZodRawShape | null {
  const inner = withoutDefault(schema)
  if (inner instanceof z.ZodArray) return groupMembers(inner.element, type)
  if (inner instanceof z.ZodDiscriminatedUnion)
    return inner.options.map((one) => groupMembers(one)).find((one) => isOf(one?.['type'], type)) ?? null
  return inner instanceof z.ZodObject ? inner.shape : null
}

const isOf = (schema: unknown, value: unknown) => schema instanceof z.ZodLiteral && schema.value === value

/** @returns whether the value is a {@link path}: in a config file, a relative one counts from the file's folder */
export const isPath = (schema: unknown): boolean => withoutDefault(schema) === path

export function withoutDefault(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return withoutDefault(schema.in)
  const isWrapped =
    schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
  return isWrapped ? withoutDefault(schema.unwrap()) : schema
}
