/** Headers that the edge parses by hand: short ones as a regular expression would, long ones in linear time. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byteRange, isNotModified } from '../../src/edge/core/finish.ts'
import { times } from '../support/rounds.ts'

const whole = { length: 20, etag: '"a"', lastModified: 'Sun, 22 Nov 2026 10:00:00 GMT' }
const partOf = (range: string) => byteRange((name) => (name === 'range' ? range : undefined), whole)
const tagIsIn = (tags: string) =>
  isNotModified((name) => (name === 'if-none-match' ? tags : undefined), whole.etag, whole.lastModified)

/** RFC 9110, 14.1.2, with blanks around every part. */
function expectedPart(range: string): ReturnType<typeof byteRange> {
  const [, from, to] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range) ?? []
  if (from === undefined || to === undefined || from + to === '') return null
  if (from === '') return Number(to) === 0 ? 'outside' : { first: Math.max(0, 20 - Number(to)), last: 19 }
  if (to !== '' && Number(to) < Number(from)) return null
  if (Number(from) >= 20) return 'outside'
  return { first: Number(from), last: to === '' ? 19 : Math.min(19, Number(to)) }
}

const words = (...pieces: string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((chosen) => chosen.join(''))

it('reads a range as its grammar says', () => {
  const almost = fc
    .tuple(words(' ', '\t'), words(' '), words('1', '0', '9', ' '), words('-', '1', '2', ' ', '='))
    .map(([a, b, from, to]) => `${a}bytes${b}=${from}-${to}`)
  const any = words('bytes', 'BYTES', '=', '-', '0', '1', '7', '25', ' ', ',', 'x')
  fc.assert(
    fc.property(fc.oneof(almost, any), (range) => {
      expect(partOf(range)).toEqual(expectedPart(range))
    }),
    { numRuns: times(5000) },
  )
  expect(partOf('bytes=5-9')).toEqual({ first: 5, last: 9 })
})

it('finds an entity tag between quotation marks, and nowhere else', () => {
  fc.assert(
    fc.property(words('"', 'a', '"a"', 'W/', ', ', '"b"', ' '), (header) => {
      const tags: readonly string[] = header.match(/"[^"]*"/g) ?? []
      expect(tagIsIn(header)).toBe(tags.includes('"a"'))
    }),
    { numRuns: times(5000) },
  )
  expect(tagIsIn('"b", W/"a"')).toBe(true)
})

// Quadratic, any of these takes minutes.
it.each([' ', '\t', '0', '-', '=', 'bytes=', '"', '",'])('reads a megabyte of %j at once', (text) => {
  const long = text.repeat(1_000_000 / text.length)
  expect(partOf(`bytes=${long}x`)).toBeNull()
  expect(partOf(`${long}bytes=1-2x`)).toBeNull()
  expect(partOf(`bytes=1-${long}x`)).toBeNull()
  expect(tagIsIn(long)).toBe(false)
})
