/** Random numbers that are the same on every machine. */
import { expect, it } from 'vitest'
import { randomFor } from '../../src/core/system/random.ts'

const digits = (...topic: readonly (string | number)[]): number[] => {
  const random = randomFor(...topic)
  return Array.from({ length: 1000 }, () => random.whole(0, 9))
}

it('the same topic gives the same numbers, and another topic others', () => {
  expect(digits(1, 'a')).toEqual(digits(1, 'a'))
  expect(digits(1, 'a')).not.toEqual(digits(1, 'b'))
  expect(digits(1, 'a')).not.toEqual(digits(2, 'a'))
})

it.each([0, 1, 4294967295])('with seed %i each number comes about equally often', (seed) => {
  const counts = Map.groupBy(digits(seed), (digit) => digit)
  expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  for (const drawn of counts.values()) expect(drawn.length).toBeGreaterThan(60)
})

it('draws each choice once at most', () => {
  expect(randomFor(3).draw([1, 2, 3], 5).toSorted()).toEqual([1, 2, 3])
})
