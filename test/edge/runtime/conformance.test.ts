/**
 * The conformance suite against every platform: each check a test; then a flip under load: every single answer wholly of
 * one of the two nights, no 5xx, and after lagMs only of the second.
 */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checks, openSuite, type Suite } from '../../../src/conform/suite.ts'
import { conformNights, type Nights } from '../../conform/nights.ts'
import { answersOf, loadDuring, targetsOf, type Answers } from '../../conform/load.ts'
import { openOracle, type Oracle, type OracleAnswer } from '../../../src/conform/oracle/oracle.ts'
import { sample } from '../../support/rounds.ts'
import { platforms, serveFolder, type Deployment, type Night } from './deployments.ts'

let nights: Nights
let answers: Answers
let oracle: Oracle

beforeAll(async () => {
  nights = await conformNights()
  // Not every second or fourth: formats alternate.
  answers = answersOf(nights, sample(targetsOf(nights.first), { least: 85 }))
  oracle = rememberingOracle(nights.first)
})

afterAll(() => {
  nights.release()
})

/** An answer takes longer to find than to ask for, and all platforms are asked the same. */
function rememberingOracle(night: Night): Oracle {
  const known = new Map<string, OracleAnswer>()
  const opened = openOracle(night)
  return {
    ...opened,
    answer: (request) => {
      const key = JSON.stringify(request)
      const answer = known.get(key) ?? opened.answer(request)
      // One suite has too many long answers to keep them all.
      if (answer.body.length < 500_000) known.set(key, answer)
      return answer
    },
    // The next suite goes on with it.
    close: () => undefined,
  }
}

describe.each(platforms)('$name', (platform) => {
  const { deploy, skip } = platform
  if (skip !== undefined) {
    it.skipIf(process.env['CI'] !== 'true')(`is there to be tested (${skip})`, () => {
      expect.unreachable(skip)
    })
    return
  }

  // One runs all checks; the others, with fewer rounds, each another sixth of them.
  const turn = platforms.indexOf(platform)
  const chosen = platform === serveFolder ? checks : sample(checks, { least: checks.length / 6, turn })
  let deployment: Deployment
  let suite: Suite

  beforeAll(async () => {
    deployment = await deploy(nights.first)
    suite = openSuite({ base: deployment.base, ...nights.first, requests: 600, seed: 4711 }, () => oracle)
    return async () => {
      suite.close()
      await deployment.stop()
    }
  })

  it.each(chosen.map((check) => [check.group, check.name, check] as const))(
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
    const seen = await loadDuring(deployment.base, answers, async () => {
      // A flip may take no time at all: both nights have to be seen.
      await setTimeout(500)
      await deployment.flip(nights.second)
      await setTimeout(deployment.lagMs + 500)
    })
    expect(seen.wrong).toEqual([])
    expect(seen.first).toBeGreaterThan(0)
    expect(seen.second).toBeGreaterThan(0)
    const after = await loadDuring(deployment.base, answers, 'once each')
    expect({ wrong: after.wrong, first: after.first }).toEqual({ wrong: [], first: 0 })
  })
})
