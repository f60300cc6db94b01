/**
 * Strict forms of what is read back from a bucket or from a snapshot's folder: whoever may write there can write anything, and
 * values become keys, messages, and commands that an operator is told. Each form says what it expects, so that a fault ends the
 * sentence "asOf is 7, not a day".
 */

import { z } from 'zod'
import type { Shape, Text } from '../api/contract/shape.ts'
import { isDay, isIsin } from '../api/routes/values.ts'
import { marks } from '../guards/assess.ts'

export const textThat = (isRight: (value: string) => boolean, expected: string) =>
  z.string(expected).refine(isRight, expected)

export const aText = z.string('a text')
export const count = z.int('a count').nonnegative('a count')
export const aFlag = z.boolean('true or false')
export const aDay = textThat(isDay, 'a day')
export const dayOrNull = z.nullable(textThat(isDay, 'a day or null'))
export const isin = textThat(isIsin, 'an ISIN')
export const sha256 = textThat((value) => /^[0-9a-f]{64}$/.test(value), 'a SHA-256')
export const listOf = <T extends z.ZodType>(form: T) => z.array(form, 'a list').readonly()

/** `2026-11-20-3f9c2ab4d1e0`: an as-of date and 12 hex digits. */
const isSnapshotId = (value: string): boolean =>
  /^\d{4}-\d\d-\d\d-[0-9a-f]{12}$/.test(value) && isDay(value.slice(0, 10))
export const aSnapshotId = textThat(isSnapshotId, 'a snapshot id')

export const time = textThat(
  (value) =>
    /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value) && isDay(value.slice(0, 10)) && !isNaN(Date.parse(value)),
  'a time in UTC',
)

/** An absolute address, or a path below that of the API. */
export const address = textThat(
  (value) =>
    /^\S{0,2048}$/.test(value) &&
    (value.startsWith('/') || (/^https?:\/\//.test(value) && URL.canParse(value))),
  'an http(s) address or a path',
)

/** The key of an object that a build makes: it leads out of no folder. */
export const objectKey = textThat(
  (value) => /^(?:[\w.-]+\/)*[\w.-]+$/.test(value) && !hasDotSegment(value),
  'the key of an object',
)

/** A segment `.` or `..` would lead to another place than the key says. */
export const hasDotSegment = (key: string): boolean => /(^|\/)\.\.?(\/|$)/.test(key)

/** The key of any object of a bucket: foreign ones can be odd. */
export const anyKey = textThat((value) => value !== '' && value.length <= 1024, 'a key')

/** Funds by the age of their newest price. */
export const freshness = z.object(
  Object.fromEntries(marks.map((mark) => [mark, count])) as Record<(typeof marks)[number], typeof count>,
  'counts of funds',
)

/** The form of the JSON of a published document: no second description of it. */
export function formOf(shape: Shape): z.ZodType {
  switch (shape.kind) {
    case 'text':
      return formOfText(shape)
    case 'decimal':
      return textThat((value) => /^-?\d{1,30}([.,]\d{1,30})?$/.test(value), 'a decimal')
    case 'number': {
      const number = shape.whole === undefined ? z.number('a number') : z.int('a whole number')
      const { minimum = -Infinity, maximum = Infinity } = shape.whole ?? {}
      return number.refine((value) => value >= minimum && value <= maximum, 'a number within its limits')
    }
    case 'day':
      return aDay
    case 'flag':
      return aFlag
    case 'item':
      return z.object({ name: aText, value: formOf(shape.value) }, 'a name with its value')
    case 'nullable':
      return z.nullable(formOf(shape.of))
    case 'list':
      return listOf(formOf(shape.of))
    case 'keyed':
    case 'byIsin':
      return z.record(z.string(), formOf(shape.of), 'values by name')
    case 'record':
      return z.object(
        Object.fromEntries(
          Object.entries(shape.fields).map(([name, field]) => [
            name,
            field.kind === 'optional' ? formOf(field.of).optional() : formOf(field),
          ]),
        ),
        'an object',
      )
  }
}

function formOfText({ form }: Text): z.ZodType {
  if (form === undefined) return aText
  if ('enum' in form) return z.enum(form.enum, `one of ${form.enum.join(', ')}`)
  const pattern = new RegExp(form.pattern)
  return textThat((value) => pattern.test(value), `a text like ${form.pattern}`)
}

/** The message is the fault, as the end of a sentence: `it is not JSON`, `asOf is 7, not a day`. */
export class WrongForm extends Error {
  override readonly name = 'WrongForm'
}

/** @throws {WrongForm} that names the first wrong field */
export function parseStrictly<T>(form: z.ZodType<T>, body: string): T {
  const parsed = parsedJson(body)
  if (parsed === null) throw new WrongForm('it is not JSON')
  return checked(form, parsed.value)
}

/** The message of the engine says nothing that helps: nobody is told it. */
function parsedJson(body: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(body) as unknown }
  } catch {
    return null
  }
}

/** @throws {WrongForm} that names the first wrong field */
export function checked<T>(form: z.ZodType<T>, value: unknown): T {
  const found = form.safeParse(value)
  if (found.success) return found.data
  const [first] = found.error.issues
  const path = first?.path ?? []
  if (path.length === 0) throw new WrongForm('it is not a JSON object')
  const wrong = path.reduce<unknown>((at, step) => (isFields(at) ? at[String(step)] : undefined), value)
  throw new WrongForm(
    `${path.map(nameOf).join('.')} is ${shown(wrong)}, not ${first?.message ?? 'what it should be'}`,
  )
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const nameOf = (step: PropertyKey) => (/^[\w-]{1,60}$/.test(String(step)) ? String(step) : shown(step))

function shown(value: unknown): string {
  const json = value === undefined ? 'missing' : JSON.stringify(value)
  return json.length > 60 ? `${json.slice(0, 60)}…` : json
}
