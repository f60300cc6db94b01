/** The conformance suite against a platform, and a flip from one night to the next under load. */
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { checks } from '../../src/conform/checks.ts'
import { openSuite, type Suite } from '../../src/conform/suite.ts'
import { conformNights, type Nights } from '../conform/nights.ts'
import { loadDuring, targetsOf } from '../conform/load.ts'
import type { Deployment, Platform } from './deployments.ts'

/**
 * The whole suite against a platform: each check a test; then a flip under load: every single answer wholly of one of
 * the two nights, no 5xx, and after lagMs only of the second.
 */
export function conformanceSuite({ name, deploy, skip }: Platform): void {
  if (skip !== undefined) {
    describe(name, () => {
      it.skipIf(process.env['CI'] !== 'true')(`is there to be tested (${skip})`, () => {
        expect.unreachable(skip)
      })
    })
    return
  }

  describe(name, () => {
    let nights: Nights
    let deployment: Deployment
    let suite: Suite

    beforeAll(async () => {
      nights = await conformNights()
      try {
        deployment = await deploy(nights.first)
      } catch (error) {
        nights.release()
        throw error
      }
      suite = openSuite({ base: deployment.base, ...nights.first, requests: 600, seed: 4711 })
      return async () => {
        suite.close()
        await deployment.stop()
        nights.release()
      }
    })

    it.each(checks.map((check) => [check.group, check.name, check] as const))(
      '%s: %s',
      async (_, __, check) => {
        const { requests, failed, failures } = await suite.run(check)
        const shown = failures.map(
          ({ request, expected, got }) => `${request}\n  expected ${expected}\n  got      ${got}`,
        )
        expect({ failed, shown }).toEqual({ failed: 0, shown: [] })
        // The database of the nights has every case: a check without a request would check nothing.
        expect(requests).toBeGreaterThan(0)
      },
    )

    it('is flipped under load without a failure or a mixture, and then gives the second night only', async () => {
      const { first, second } = nights
      const targets = targetsOf(first)
      const seen = await loadDuring(deployment.base, [first, second], targets, async () => {
        // A flip may take no time at all: both nights have to be seen.
        await setTimeout(500)
        await deployment.flip(second)
        await setTimeout(deployment.lagMs + 500)
      })
      expect(seen.wrong).toEqual([])
      expect(seen.first).toBeGreaterThan(0)
      expect(seen.second).toBeGreaterThan(0)
      const after = await loadDuring(deployment.base, [first, second], targets, 'once each')
      expect({ wrong: after.wrong, first: after.first }).toEqual({ wrong: [], first: 0 })
    })
  })
}
