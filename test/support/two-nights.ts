/** A bucket with two published nights, the second one live in `green/`, restored before each test; and kills and faults. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { buildNights } from './nights.ts'
import { openPress, type Begun, type Press } from './press.ts'
import type { FaultRule } from './s3/faults.ts'

export const one = 'night-1'
export const two = 'night-2'
export const three = 'night-3'
export const four = 'night-4'

export let press: Press

/** Sets up {@link press} for the tests of a file. @param nights how many are built */
export function useTwoNights(nights: number): void {
  let restore: () => void
  beforeAll(async () => {
    press = await openPress(await buildNights(nights, 1, { years: 1, isSmall: true }))
    for (const out of [one, two]) expect((await press.publish(out)).code).toBe(0)
    restore = press.bucket.save()
  })
  afterAll(() => press.stop())
  beforeEach(() => {
    press.server.reset()
    restore()
  })
}

/** Begins a publish in a process of its own. */
export const beginPublish = (
  out: string,
  env: Readonly<Record<string, string>> = {},
  ...flags: readonly string[]
) =>
  // On a slow machine it would say how far it is.
  press.begin(['publish', '--out', out, '--quiet', ...flags], env)

/** Puts that the server has got, by key. */
export const puts = (key: RegExp) =>
  press.server.log.filter((entry) => entry.method === 'PUT' && key.test(entry.key))

export const flip = /^live\.json$/

/** Holds the n-th put of such a key back until the work is done; after `after` it has been carried out. */
export const holdBack = (
  keyMatches: RegExp,
  run: () => unknown,
  { when = 'before', nth }: { readonly when?: 'before' | 'after'; readonly nth?: number } = {},
): FaultRule => {
  const which = nth === undefined ? { times: 1 } : { nth }
  return { kind: 'call', when, method: 'PUT', keyMatches, ...which, run }
}

/** Kills a command at such a put, and waits for its end. Other faults of the server end with it. */
export async function killAt(
  { child, end }: Begun,
  keyMatches: RegExp,
  which?: Parameters<typeof holdBack>[2],
): Promise<void> {
  press.server.faults([holdBack(keyMatches, () => child.kill('SIGKILL'), which)])
  await end
  press.server.faults([])
}

/** Kills a command at the first such put, which stays on its way until it is released. */
export async function killWithPutOnItsWay(
  { child, end }: Begun,
  keyMatches: RegExp,
): Promise<{ readonly release: () => void }> {
  const held = Promise.withResolvers<undefined>()
  const kill = () => {
    child.kill('SIGKILL')
    return held.promise
  }
  press.server.faults([holdBack(keyMatches, kill)])
  await end
  return {
    release: () => {
      held.resolve(undefined)
    },
  }
}
