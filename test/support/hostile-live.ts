/** Texts of `live.json` and `staged.json` as somebody who may write to the bucket could leave them there, for properties. */
import fc from 'fast-check'
import { liveExamples, liveFields } from './live-examples.ts'

const names = ['secret', 'secret.csv', 'a.csv', 'live.json', 'private']
/** Ways out of a folder, and what ends a path, a header or a line. */
const ways = [
  '..',
  '../..',
  '/',
  '\\',
  '%2e%2e',
  './',
  '\0',
  '\n',
  '\r\nX: y',
  '?',
  '#',
  '"',
  "'",
  ' ',
  '\ud800',
]

const hostileText = fc
  .array(fc.constantFrom(...ways, ...names, 'blue', '2026-11-20-3f9c2ab4d1e0', '19-aaaaaaaaaaaa'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))

/** The same value in another type: a regular expression turns it back into the text. */
const inAnotherType = (value: unknown) =>
  fc.constantFrom([value], [[value]], { toString: value }, { length: 1, 0: value })

const hostileValue = (value: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(
    hostileText,
    inAnotherType(value),
    fc.jsonValue(),
    fc.tuple(hostileText, fc.nat({ max: 40 })).map(([text, at]) => spliced(String(value), at, text)),
  )

const spliced = (text: string, at: number, more: string) => text.slice(0, at) + more + text.slice(at)

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Each place where a value is, as the names that lead there. */
const paths = (value: unknown, path: readonly string[] = []): string[][] =>
  isFields(value)
    ? [[...path], ...Object.entries(value).flatMap(([name, inner]) => paths(inner, [...path, name]))]
    : [[...path]]

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner: unknown, name) => (isFields(inner) ? inner[name] : undefined), value)

function replaced(value: unknown, [name, ...rest]: readonly string[], other: unknown): unknown {
  if (name === undefined || !isFields(value)) return other
  return { ...value, [name]: replaced(value[name], rest, other) }
}

const withOneValue = fc
  .constantFrom(...paths(liveFields))
  .chain((path) => hostileValue(at(liveFields, path)).map((value) => replaced(liveFields, path, value)))
  .map((value) => JSON.stringify(value))

/** A name that no field has, or that of another field. */
const withOneName = fc
  .tuple(hostileText, fc.constantFrom(...Object.keys(liveFields)))
  .map(([name, field]) => {
    const { [field]: value, ...others } = liveFields
    return JSON.stringify({ ...others, [name]: value })
  })

const cutAndSpliced = fc
  .tuple(fc.nat({ max: 2000 }), fc.nat({ max: 2000 }), hostileText)
  .map(([start, end, more]) => {
    const text = JSON.stringify(liveFields)
    return spliced(text.slice(0, Math.max(start, end)), Math.min(start, end), more)
  })

export const hostileLiveText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: withOneValue },
  withOneName,
  cutAndSpliced,
  fc.constantFrom(...liveExamples).map(({ text }) => text),
)
