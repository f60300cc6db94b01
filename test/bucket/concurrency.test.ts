/** How many requests a store gets at the same time, while it throttles and afterwards. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { afterAnswer, afterRefusal, fullConcurrency } from '../../src/core/bucket/store/retry.ts'
import { times } from '../support/rounds.ts'

/** A store that carries out so many requests of each round, and refuses the others. @returns what it got, by round */
function offer(capacities: readonly number[], most = 64) {
  let concurrency = fullConcurrency(most)
  return capacities.map((capacity) => {
    const { cuts } = concurrency
    const sent = Math.floor(concurrency.allowed)
    for (let nth = 0; nth < sent; nth++)
      concurrency = nth < capacity ? afterAnswer(concurrency) : afterRefusal(concurrency, cuts)
    return { sent, refused: Math.max(0, sent - capacity) }
  })
}
const rounds = (count: number, capacity: number) => Array.from({ length: count }, () => capacity)

it('is halved once by all refusals of one moment, and one higher after a round of answers', () => {
  expect(offer([0, 0, 0, ...rounds(5, 64)]).map(({ sent }) => sent)).toEqual([64, 32, 16, 8, 8, 9, 10, 11])
})

it('is always between one and all', () => {
  const answers = fc.array(fc.record({ isRefused: fc.boolean(), age: fc.nat({ max: 3 }) }), {
    maxLength: 300,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1024 }), answers, (most, list) => {
      let concurrency = fullConcurrency(most)
      for (const { isRefused, age } of list) {
        concurrency = isRefused ? afterRefusal(concurrency, concurrency.cuts - age) : afterAnswer(concurrency)
        expect(concurrency.allowed).toBeGreaterThanOrEqual(1)
        expect(concurrency.allowed).toBeLessThanOrEqual(most)
      }
    }),
    { numRuns: times(800) },
  )
})
