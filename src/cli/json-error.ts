/**
 * Finds where a text stops being JSON. JSON.parse says so for some mistakes only (and differently in each version), and
 * "Unexpected token" alone helps nobody in a config file of forty lines.
 */

export interface JsonErrorPlace {
  /** Both count from 1; a column is a UTF-16 unit. */
  readonly line: number
  readonly column: number
  /** What would have been right there: `',' or '}'`. */
  readonly expected: string
}

/** @returns undefined if the text is JSON */
export function locateJsonError(text: string): JsonErrorPlace | undefined {
  try {
    const end = skipSpace(text, readAny(text, skipSpace(text, 0)))
    if (end === text.length) return undefined
    return placeOf(text, new Mistake(end, 'the end of the file'))
  } catch (error) {
    if (error instanceof Mistake) return placeOf(text, error)
    throw error
  }
}

class Mistake extends Error {
  readonly at: number
  readonly expected: string
  constructor(at: number, expected: string) {
    super(expected)
    this.at = at
    this.expected = expected
  }
}

// Each reader takes the position of its first character and returns the one after its last.

function readAny(text: string, at: number): number {
  const first = text.charAt(at)
  if (first === '{') return readMembers(text, at, '}', readProperty)
  if (first === '[') return readMembers(text, at, ']', readAny)
  if (first === '"') return readString(text, at)
  const scalar = match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y, text, at)
  if (scalar === undefined) throw new Mistake(at, 'a value')
  return scalar
}

function readMembers(text: string, at: number, close: string, readMember: typeof readAny): number {
  let next = skipSpace(text, at + 1)
  if (text.charAt(next) === close) return next + 1
  for (;;) {
    next = skipSpace(text, readMember(text, next))
    if (text.charAt(next) === close) return next + 1
    if (text.charAt(next) !== ',') throw new Mistake(next, `',' or '${close}'`)
    next = skipSpace(text, next + 1)
  }
}

function readProperty(text: string, at: number): number {
  if (text.charAt(at) !== '"') throw new Mistake(at, 'a name in double quotes')
  const colon = skipSpace(text, readString(text, at))
  if (text.charAt(colon) !== ':') throw new Mistake(colon, "':'")
  return readAny(text, skipSpace(text, colon + 1))
}

function readString(text: string, at: number): number {
  const inside = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*/y
  const end = match(inside, text, at + 1) ?? at + 1
  if (text.charAt(end) === '"') return end + 1
  throw new Mistake(end, text.charAt(end) === '\\' ? 'another escape' : "'\"' at the end of a text")
}

function skipSpace(text: string, at: number): number {
  return match(/[ \t\r\n]*/y, text, at) ?? at
}

function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function placeOf(text: string, { at, expected }: Mistake): JsonErrorPlace {
  const before = text.slice(0, at).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, expected }
}
