/** What the schemas of settings are made of. The message of each check completes the sentence "It must be …". */

import { z } from 'zod'

// Compiling the schema takes longer than checking the few values of one start without that.
z.config({ jitless: true })

/** Settings become part of configurations of nginx, of units and of workflows: a line break could add a line of its own. */
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u

export const settingText = (expects: string, pattern: RegExp) =>
  z.string(expects).regex(new RegExp(`^(?=${oneLine.source.slice(1)})(?:${pattern.source})`, 'u'), {
    error: ({ input }) =>
      oneLine.test(input ?? '') ? expects : `${expects}, on one line, without control characters`,
  })

export const headerValue = settingText('a header value (printable ASCII)', /^[!-~]([ -~]*[!-~])?$/u)
export const mailAddress = settingText('a mail address', /^[^\s@<>]+@[^\s@<>.]+(\.[^\s@<>.]+)+$/u)

export const whole = (minimum: number, maximum: number) => {
  const expects = `a whole number from ${minimum} to ${maximum}`
  return z.int(expects).min(minimum, expects).max(maximum, expects)
}

/** A setting without a default: null if nothing sets it. */
export const orNull = <T extends z.ZodType>(schema: T) =>
  schema.optional().transform((value) => value ?? null)

/** A setting, with what the help and the JSON Schema say about it. */
export const say = <T extends z.ZodType>(describe: string, schema: T): T => schema.describe(describe)

/** A group of settings may be missing: its members have their defaults then. */
export const group = <Shape extends z.ZodRawShape>(describe: string, shape: Shape, expects = 'an object') =>
  say(describe, z.strictObject(shape, expects).prefault({} as never))

/** The name of an environment variable that holds the value of a setting: `env:FUNDPRESS_NOTIFY_URL`. */
const ofEnvironment = /env:[A-Za-z_][A-Za-z0-9_]*/u

const orVariable = (expects: string) => `${expects}, or env:NAME for the value of an environment variable`

/** A text that may be secret: it is in the config, or in the environment variable that the config names. */
const secretText = (expects: string, pattern: RegExp) =>
  settingText(orVariable(expects), new RegExp(`^${ofEnvironment.source}$|${pattern.source}`, 'u'))

export const secretHeader = secretText('a header value (printable ASCII)', /^(?!env:)[!-~]([ -~]*[!-~])?$/u)

/** Its port may be too large for a pattern. */
export const secretAddress = (expects: string, pattern: RegExp) =>
  secretText(expects, pattern).refine((text) => URL.canParse(text), orVariable(expects))

// Without an @ behind the host: it would end a password that is not encoded, and the host would be a part of that.
export const httpAddress = /^https?:\/\/([^\s/?#@\\]+@)?[^\s/?#@\\]+([/?#][^\s@]*)?$/u

export const secretUrl = secretAddress(
  'an absolute http or https URL (%40 stands for an @ in its password, path or query)',
  httpAddress,
)

/** @returns the value; or the name of the environment variable that is not set, or that is empty */
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
