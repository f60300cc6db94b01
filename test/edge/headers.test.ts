/** Headers that the edge parses by hand: short ones as a regular expression would, long ones in linear time. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byteRange, isNotModified, parseHttpDate, verdictOf } from '../../src/core/edge/core/finish.ts'
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

const isRefused = (tags: string) =>
  verdictOf((name) => (name === 'if-match' ? tags : undefined), whole.etag, whole.lastModified) === 'failed'

it('insists on an entity tag only if that is strong and stands between commas', () => {
  fc.assert(
    fc.property(words('"', 'a', '"a"', 'W/', ',', ', ', '"b"', ' ', '*'), (header) => {
      const tags = header.split(/("[^"]*")/)
      const isNamed = tags.some((tag, at) => tag === '"a"' && /^[ ,]*$/.test(tags[at - 1] ?? ''))
      expect(isRefused(header)).toBe(!isNamed && header.trim() !== '*')
    }),
    { numRuns: times(5000) },
  )
  expect(isRefused('"b", "a"')).toBe(false)
  expect(isRefused('W/"a"')).toBe(true)
  expect(isRefused('*')).toBe(false)
  // An answer without an ETag has a version, but none with this name.
  const ofStaged = (tags: string) => verdictOf((name) => (name === 'if-match' ? tags : undefined), '', '')
  expect(ofStaged('*')).toBe('whole')
  expect(ofStaged('""')).toBe('failed')
  expect(ofStaged('"a"')).toBe('failed')
})

it('reads the three forms of an HTTP date, and no other', () => {
  const time = Date.UTC(1994, 10, 6, 8, 49, 37)
  const forms = [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ]
  expect(forms.map(parseHttpDate)).toEqual([time, time, time])
  expect(parseHttpDate('Saturday, 28-Nov-26 10:00:00 GMT')).toBe(Date.UTC(2026, 10, 28, 10))
  const others = ['', 'x', '0', '1994', '1994-11-06', '1994-11-06T08:49:37Z', '06 Nov 1994 08:49:37 GMT']
  const almost = [
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0100',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT ',
    'Sun, 06 ovD 1994 08:49:37 GMT',
    'Sun, 06 Xyz 1994 08:49:37 GMT',
  ]
  for (const text of [...others, ...almost]) expect(parseHttpDate(text), text).toBeNaN()
})

// Quadratic, any of these takes minutes.
it.each([' ', '\t', '0', '-', '=', 'bytes=', '"', '",'])('reads a megabyte of %j at once', (text) => {
  const long = text.repeat(1_000_000 / text.length)
  expect(partOf(`bytes=${long}x`)).toBeNull()
  expect(partOf(`${long}bytes=1-2x`)).toBeNull()
  expect(partOf(`bytes=1-${long}x`)).toBeNull()
  expect(tagIsIn(long)).toBe(false)
  expect(isRefused(long)).toBe(true)
  expect(parseHttpDate(long)).toBeNaN()
})
