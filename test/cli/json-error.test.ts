import fc from 'fast-check'
import { expect, it } from 'vitest'
import { locateJsonError } from '../../src/cli/json-error.ts'

it.each([
  ['{"a": 1}', undefined],
  [' [1, -0.5e+3, "\\u00e4\\n", true, null, {}, []] \n', undefined],
  ['{"a": 1,}', { line: 1, column: 9, expected: 'a name in double quotes' }],
  ['{"a": 1 "b": 2}', { line: 1, column: 9, expected: "',' or '}'" }],
  ['[1, 2', { line: 1, column: 6, expected: "',' or ']'" }],
  ['{"a" 1}', { line: 1, column: 6, expected: "':'" }],
  ['{\n  // why\n}', { line: 2, column: 3, expected: 'a name in double quotes' }],
  ['{\r\n"a": \'x\'}', { line: 2, column: 6, expected: 'a value' }],
  ['["a\nb"]', { line: 1, column: 4, expected: "'\"' at the end of a text" }],
  ['["\\x"]', { line: 1, column: 3, expected: 'another escape' }],
  ['{} {}', { line: 1, column: 4, expected: 'the end of the file' }],
  ['01', { line: 1, column: 2, expected: 'the end of the file' }],
])('finds where %j stops being JSON', (text, place) => {
  expect(locateJsonError(text)).toEqual(place)
})

it('agrees with JSON.parse about what is JSON, and about the place where that names one', () => {
  const damaged = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', ',', '"', '}', ']', '\\', '\n', '0', '-', 'e', 'x', ' '),
    )
    .map(([text, at, removed, added]) => {
      const from = at % (text.length + 1)
      return text.slice(0, from) + added + text.slice(from + removed)
    })
  fc.assert(
    fc.property(damaged, (text) => {
      const place = locateJsonError(text)
      try {
        JSON.parse(text)
        expect(place).toBeUndefined()
      } catch (error) {
        expect(place).toBeDefined()
        // Other messages stand where a number or a word began or where it stopped making sense: a matter of taste.
        const said = /Expected .*\(line (\d+) column (\d+)\)/.exec(String(error))
        if (said !== null) {
          expect([place?.line, place?.column]).toEqual([Number(said[1]), Number(said[2])])
        }
      }
    }),
    { numRuns: 5000 },
  )
})
