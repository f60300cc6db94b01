/** Names at the ends of lines, without a browser: how they are shortened, broken and moved apart. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { apart, inLines, shortened } from '../../../src/extensions/site/funds/chart/end-names.ts'

const fits = (text: string) => text.length <= 18

it('leaves out what all names begin with: those of the chart, or for a single line those of all funds', () => {
  const all = ['Möwenstein Aktien Europa', 'Möwenstein Aktien Asien', 'Möwenstein Renten']
  expect(shortened(all.slice(0, 2), all)).toEqual(['Europa', 'Asien'])
  expect(shortened(all, all)).toEqual(['Aktien Europa', 'Aktien Asien', 'Renten'])
  expect(shortened(all.slice(0, 1), all)).toEqual(['Aktien Europa'])
  expect(shortened(['Möwenstein'], ['Möwenstein'])).toEqual(['Möwenstein'])
  expect(shortened(['Möwenstein Aktien', 'Möwenstein Aktien'], all)).toEqual([
    'Möwenstein Aktien',
    'Möwenstein Aktien',
  ])
  expect(shortened(['Möwenstein', 'Möwenstein Asien'], all)).toEqual(['Möwenstein', 'Asien'])
})

it('takes a second and a third line before it leaves out the middle', () => {
  expect(inLines('Aktien Europa', fits)).toEqual(['Aktien Europa'])
  expect(inLines('Vermögensaufbau Ausgewogen', fits)).toEqual(['Vermögensaufbau', 'Ausgewogen'])
  expect(inLines('Mittelstand & Mittelbau der Freihandelszone', fits)).toEqual([
    'Mittelstand &',
    'Mittelbau der',
    'Freihandelszone',
  ])
  expect(inLines('Mittelstand & Familienunternehmen A (GBP)', fits)).toEqual([
    'Mittelstand &',
    'Familienu…A (GBP)',
  ])
  expect(inLines('Zinsdifferenzgeschäftefonds', fits)).toEqual(['Zinsdiffe…ftefonds'])
  expect(inLines('A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 1 2 3', fits)).toEqual([
    'A B C D E F G H I',
    'J K L M N O P Q R',
    'S T U V W…Z 1 2 3',
  ])
})

it('puts no name over another, whatever the ends of the lines', () => {
  const end = fc.record({
    depth: fc.double({ min: 0, max: 1, noNaN: true }),
    lines: fc.integer({ min: 1, max: 3 }),
  })
  fc.assert(
    fc.property(fc.array(end, { minLength: 1, maxLength: 5 }), (ends) => {
      const placed = apart(ends)
      const boxes = ends.map(({ lines }, index) => ({ middle: placed[index] ?? NaN, lines }))
      boxes.sort((one, other) => one.middle - other.middle)
      // A line of text is a twentieth of the height.
      for (const [index, box] of boxes.slice(1).entries()) {
        const above = boxes[index]
        const room = box.middle - (above?.middle ?? NaN)
        expect(room).toBeGreaterThan(((box.lines + (above?.lines ?? 0)) / 2) * 0.05)
      }
      expect(Math.min(...placed)).toBeGreaterThan(-1e-9)
      expect(Math.max(...placed)).toBeLessThan(1 + 1e-9)
      if (ends.length === 1)
        expect(Math.abs((placed[0] ?? NaN) - (ends[0]?.depth ?? NaN))).toBeLessThan(0.051)
    }),
  )
})
