/** A store that refuses connections, resets them or goes silent: what is cached is answered, everything else soon is a 503. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../../support/nights.ts'
import { openLine, type Line, type LineState } from '../../support/line.ts'
import { startBehindNginx, whyNoNginx } from '../../support/nginx.ts'
import { isinOf } from '../../support/database.ts'
import { mustRun, startServing, liveTtl } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { rawRequest } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { firstIsin } from './deployments.ts'

let nights: Nights
let isin: string
beforeAll(async () => {
  nights = await buildNights(3, 2)
  isin = firstIsin(nights.outs[0] ?? '')
  return nights.remove
})

const env = { ...credentials, ...liveTtl(1) }
const platforms = [
  {
    name: 'serve --bucket',
    start: (args: readonly string[]) => startServing(args, { env }),
    isMissing: false,
  },
  {
    name: 'serve behind nginx',
    start: async (args: readonly string[]) => {
      const { serve, ...started } = await startBehindNginx(args, { env })
      return { ...started, errors: serve.errors }
    },
    isMissing: isMissing(whyNoNginx === undefined),
  },
]

describe.each(platforms.filter((platform) => !platform.isMissing))('$name', ({ start }) => {
  let s3: S3Server
  let line: Line
  let refused = 0
  let edge: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    s3 = await startS3({ buckets: ['fund-data'] })
    await publish(0)
    line = await openLine(s3.endpoint)
    edge = await start(bucketArgs(line.endpoint, 'fund-data'))
  })
  afterAll(async () => {
    await edge.stop()
    await line.stop()
    await s3.stop()
  })

  // Each night renames all funds.
  const allowed = ['--allow', 'renamed-funds', '--reason', 'test']
  const publish = (night: number) =>
    mustRun(publishArgs(s3.endpoint, 'fund-data', nights.outs[night] ?? '', ...allowed), { env: credentials })

  const ask = async (path: string) => {
    const { status, headers, body } = await rawRequest(edge.base, {
      target: `/api/v1/${path.replace('ISIN', isin)}`,
    })
    const names = headers.map(([name]) => name)
    expect(names).not.toContain('warning')
    if (status === 503) refused++
    return { status, body: body.toString() }
  }
  const cached = [
    'prices-current/ISIN/',
    'prices-historic/ISIN/2026-02-01/2026-10-15/',
    'performance-years/ISIN/?format=xml',
    // There is no such fund, and no such endpoint.
    `prices-current/${isinOf(99)}/`,
    'nothing/',
  ]
  const answers = () => Promise.all(cached.map(ask))
  /** Asks for a time, and often, however slow the machine is. */
  const forAWhile = async (ms: number, check: () => Promise<void>) => {
    for (let [turn, end] = [0, Date.now() + ms]; turn < 30 || Date.now() < end; turn++) {
      await check()
      await setTimeout(20)
    }
  }
  const statuses = async (paths: readonly string[]) =>
    (await Promise.all(paths.map(ask))).map(({ status }) => status)

  it.each<[LineState, string]>([
    ['refusing', 'figures/ISIN/'],
    ['resetting', 'profile/ISIN/'],
    ['silent', 'performance-launch/ISIN/'],
  ])(
    'answers what is cached while the store is %s, 503 to the rest, and all of it when the store is back',
    async (state, other) => {
      const before = await answers()
      expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 404, 404])
      await line.set(state)
      expect(await statuses([other])).toEqual([503])
      await forAWhile(3000, async () => expect(await answers()).toEqual(before))
      expect(await statuses([other])).toEqual([503])
      await line.set('open')
      await expect.poll(() => statuses([other])).toEqual([200])
      expect(await answers()).toEqual(before)
    },
  )

  it('gives out nothing of what breaks off: it asks again, or answers 503, and what is cached all the time', async () => {
    const before = await answers()
    const whole = await ask('performance-years-all/')
    const broken = 'performance-years-all/?format=xml'
    s3.faults([{ kind: 'truncate', keyMatches: /performance-years-all/ }])
    expect(await statuses([broken])).toEqual([503])
    s3.faults([{ kind: 'truncate', keyMatches: /performance-years-all/, times: 1 }])
    expect(await ask(broken)).toEqual({ status: 200, body: expect.stringMatching(/<\/root>$/) as string })
    expect(whole).toEqual({ status: 200, body: expect.stringMatching(/\}$/) as string })
    s3.faults([{ kind: 'truncate', keyMatches: /live\.json$/ }])
    await forAWhile(1800, async () => expect(await answers()).toEqual(before))
    s3.faults([])
    await expect.poll(() => statuses(['figures/ISIN/?format=xml'])).toEqual([200])
  })

  it('does not read from a slot that a publish overwrites meanwhile, and then follows the publishes', async () => {
    const before = await answers()
    const stays = async () => {
      expect(await answers()).toEqual(before)
      expect(await statuses(['performance-legal/ISIN/'])).toEqual([503])
    }
    await line.set('silent')
    expect(await statuses(['performance-legal/ISIN/'])).toEqual([503])
    // The second one writes to the slot that this edge knows.
    await publish(1)
    await publish(2)
    await forAWhile(1500, stays)
    // Objects come through again, what is live does not.
    s3.faults([{ kind: 'status', status: 503, keyMatches: /live\.json$/ }])
    await line.set('open')
    await forAWhile(1500, stays)
    s3.faults([])
    await expect.poll(async () => (await ask('prices-current/ISIN/')).body).toContain('night 3')
    expect(await statuses(['performance-legal/ISIN/'])).toEqual([200])
  })

  it('says in its log that the store does not answer, and that it does again, but not for each request', () => {
    const count = (text: string) => edge.errors().split(text).length - 1
    // Requests that wait for the same look may each say it.
    expect(count('until it answers, only what')).toBeLessThan(refused / 3)
    expect(count('failed: ')).toBeLessThan(refused / 3)
    expect(count('answers again')).toBeGreaterThanOrEqual(1)
  })
})
