/** A store that refuses connections, resets them or goes silent: what is cached is answered, everything else soon is a 503. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../../support/nights.ts'
import { openLine, type Line, type LineState } from '../../support/line.ts'
import { startNginx, whyNoNginx } from '../../support/nginx.ts'
import { mustRun, startServing } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { headerOf, rawRequest } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { firstIsin } from './deployments.ts'

let nights: Nights
let s3: S3Server
let isin: string
beforeAll(async () => {
  nights = await buildNights(2, 2)
  s3 = await startS3({ buckets: ['fund-data'] })
  isin = firstIsin(nights.outs[0] ?? '')
  await publish(0)
  return async () => {
    await s3.stop()
    nights.remove()
  }
})

const publish = (night: number) =>
  mustRun([...publishArgs(s3.endpoint, 'fund-data', nights.outs[night] ?? '')], { env: credentials })

const platforms = [
  {
    name: 'serve --bucket',
    start: (args: readonly string[]) => startServing(args, { env: credentials }),
    isMissing: false,
  },
  {
    name: 'nginx-bucket',
    start: async (args: readonly string[]) => startNginx({ args, credentials }),
    isMissing: isMissing(whyNoNginx === undefined),
  },
]

describe.each(platforms.filter((platform) => !platform.isMissing))('$name', ({ start }) => {
  let line: Line
  let edge: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    line = await openLine(s3.endpoint)
    edge = await start([...bucketArgs(line.endpoint, 'fund-data'), '--live-ttl', '1'])
  })
  afterAll(async () => {
    await edge.stop()
    await line.stop()
  })

  const ask = (path: string) => rawRequest(edge.base, { target: `/api/v1/${path.replace('ISIN', isin)}` })
  const cached = [
    'prices-current/ISIN/',
    'prices-historic/ISIN/2026-02-01/2026-10-15/',
    'performance-years/ISIN/',
    'prices-current/XX0000000000/',
  ]
  const answers = () => Promise.all(cached.map(ask))

  it.each<LineState>(['refusing', 'silent', 'resetting'])(
    'answers what it has in its cache while the store is %s, 503 to the rest, and follows the store when it is back',
    async (state) => {
      const before = await answers()
      await line.set(state)
      for (const end = Date.now() + 4000; Date.now() < end; await setTimeout(50)) {
        const now = await answers()
        expect(now.map(({ status, body }) => `${status} ${body.toString()}`)).toEqual(
          before.map(({ status, body }) => `${status} ${body.toString()}`),
        )
        expect(now.map((one) => headerOf(one, 'warning'))).toEqual(now.map(() => undefined))
      }
      const missing = await ask(`profile/ISIN/?language=${state === 'silent' ? 'de' : 'en'}`)
      expect(missing.status).toBe(503)
      await line.set('open')
      await expect.poll(async () => (await ask('figures/ISIN/')).status, { timeout: 10_000 }).toBe(200)
    },
    60_000,
  )
})
