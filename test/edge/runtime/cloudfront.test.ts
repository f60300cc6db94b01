/** What is CloudFront's own: its cache, the bucket's failures, pages and files, what a client cannot reach. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startCloudFront, type CloudFront } from '../../support/cloudfront.ts'
import { buildNights, type Nights } from '../../support/nights.ts'
import { whyNoNjs } from '../../support/nginx.ts'
import { isMissing } from '../../support/programs.ts'
import { publish } from '../../support/publishing.ts'
import { headerOf, rawRequest, type RawRequest, type RawResponse } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { serveHere } from '../../support/serve-here.ts'
import { firstIsin } from './deployments.ts'

const bucket = 'fund-data'
const csv = `isin;name\n${'DE000FP06UX9;Fonds\n'.repeat(100)}`
const type = { 'content-type': 'text/csv; charset=utf-8' }

describe.skipIf(isMissing(whyNoNjs === undefined))('CloudFront', () => {
  let nights: Nights
  let s3: S3Server
  let cloudFront: CloudFront
  /** The same snapshot through `serve`: what all answers are compared with. */
  let served: Awaited<ReturnType<typeof serveHere>>
  let isin: string
  let live: { slot: string; snapshot: string; liveSince: string; docsUrl: string; folder?: string }

  const ask = (request: RawRequest) => rawRequest(cloudFront.base, request)
  const expectAsServed = async (request: RawRequest) => {
    const answer = await ask(request)
    expect(comparable(answer)).toEqual(comparable(await rawRequest(served.base, request)))
    return answer
  }
  const figures = (query = '') => ({ target: `/api/v1/figures/${isin}/${query}` })
  const range = () => ({ target: `/api/v1/prices-historic/${isin}/2025-01-10/2026-11-05/` })
  const edge = () => cloudFront.edges[0] ?? expect.unreachable('there is no edge')
  const goLive = (liveSince = live.liveSince): void => {
    edge().keys['live'] = JSON.stringify({ ...live, liveSince })
  }
  /** A moment of its own is a cache of its own. */
  const freshly = (seconds: number): void =>
    goLive(new Date(Date.parse(live.liveSince) + seconds * 1000).toISOString())

  beforeAll(async () => {
    nights = await buildNights(1, 2)
    s3 = await startS3({ buckets: [bucket] })
    await publish(s3.endpoint, bucket, nights.outs[0] ?? '')
    const file = JSON.parse(s3.objects(bucket).get('live.json')?.body.toString() ?? '') as typeof live
    live = { ...file, folder: file.snapshot }
    isin = firstIsin(nights.outs[0] ?? '')
    s3.put(bucket, 'blue/docs/index.html', '<h1>Docs</h1>', { 'content-type': 'text/html; charset=utf-8' })
    s3.put(bucket, `downloads/${live.snapshot}/funds.csv`, csv, type)
    cloudFront = await startCloudFront({ s3, bucket })
    served = await serveHere(nights.outs[0] ?? '')
    goLive()
    return async () => {
      for (const each of [served, cloudFront, s3]) await each.stop()
      nights.remove()
    }
  })

  describe('the cache', () => {
    it('asks the bucket once for two equal requests, whatever else a client adds', async () => {
      freshly(1)
      const before = { ...edge().counts }
      const first = await ask(figures('?format=json&language=en'))
      const target = `/api/v1/figures/${isin.toLowerCase()}/?x=1&language=en&live=green.x.1.y&format=json`
      const ours = { 'x-fundpress-note': '{}', 'x-fundpress-target': '/docs/' }
      const second = await ask({ target, headers: { cookie: 'a=b', 'user-agent': 'other', ...ours } })
      expect(comparable(second)).toEqual(comparable(first))
      for (const name of ['etag', 'last-modified', 'content-length'])
        expect(headerOf(second, name)).toBe(headerOf(first, name))
      expect(edge().counts).toEqual({ hits: before.hits + 1, misses: before.misses + 1 })
    })

    it('keeps date ranges and refusals', async () => {
      freshly(2)
      const asked = { ...edge().asked }
      for (const request of [range(), range(), { target: '/nothing/' }, { target: '/nothing/' }])
        await ask(request)
      expect(edge().asked).toEqual({ ...asked, lambda: (asked['lambda'] ?? 0) + 2 })
    })

    it('gets a month of prices from a part of the window', async () => {
      freshly(5)
      const before = s3.log.length
      const answer = await expectAsServed({
        target: `/api/v1/prices-historic/${isin}/2026-03-01/2026-03-31/`,
      })
      expect(answer.body.length).toBeGreaterThan(1000)
      const windows = s3.log.slice(before).filter(({ key }) => key.endsWith(`${isin}/2026.json`))
      expect(windows.map(({ status }) => status)).toEqual([206])
    })

    it('gives no answer from before the snapshot went live again', async () => {
      freshly(3)
      await ask(figures())
      const misses = edge().counts.misses
      freshly(4)
      await ask(figures())
      expect(edge().counts.misses).toBe(misses + 1)
    })

    it('sends browsers the Cache-Control of the settings, and not how long it keeps an answer itself', async () => {
      const answer = await ask(figures())
      expect(headerOf(answer, 'cache-control')).toBe(
        'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
      )
    })
  })

  describe('when the bucket', () => {
    const unknown = { target: '/api/v1/figures/DE0008471400/?format=xml' }

    it.each([403, 404, 500, 503])('answers %i, the Lambda gives the same answer', async (status) => {
      freshly(10 * status)
      // The first request, that of the distribution, fails; those of the Lambda do not.
      s3.faults([{ kind: 'status', operation: 'GetObject', status, times: 1 }])
      const lambda = edge().asked['lambda'] ?? 0
      await expectAsServed(figures('?format=json&language=de'))
      s3.faults([])
      expect(edge().asked['lambda']).toBe(lambda + 1)
    })

    it('fails for the Lambda, too, CloudFront answers 503, and asks again the next time', async () => {
      freshly(13)
      s3.settings.deny = [{ operation: /^GetObject$/ }]
      const failed = await ask(range())
      expect(failed.status).toBe(503)
      expect(headerOf(failed, 'retry-after')).toBe('5')
      expect(failed.body.toString()).toBe(
        '{"title":"The service cannot answer just now","type":"about:blank","status":503}',
      )
      s3.settings.deny = []
      expect((await ask(range())).status).toBe(200)
    })

    it('goes silent, the Lambda answers 503 without waiting for it', async () => {
      const released = Promise.withResolvers<undefined>()
      freshly(500)
      s3.faults([{ kind: 'call', when: 'before', operation: 'GetObject', run: () => released.promise }])
      const { status } = await ask({ target: `/api/v1/prices-historic/${isin}/2026-03-01/2026-05-02/` })
      s3.faults([])
      released.resolve(undefined)
      expect(status).toBe(503)
    })

    it('was never published to, CloudFront answers 503', async () => {
      delete edge().keys['live']
      const answer = await ask(unknown)
      goLive()
      expect(answer.status).toBe(503)
      expect(headerOf(answer, 'cache-control')).toBe('no-store')
    })
  })

  describe('pages and files', () => {
    const day = () => live.snapshot.slice(0, 10)

    it('come from the slot, or from beside the slots', async () => {
      const page = await ask({ target: '/docs/' })
      expect(page.status).toBe(200)
      expect(page.body.toString()).toBe('<h1>Docs</h1>')
      expect(headerOf(page, 'content-type')).toBe('text/html; charset=utf-8')
      for (const folder of ['latest', day()]) {
        const file = await ask({ target: `/downloads/${folder}/funds.csv` })
        expect(file.status, folder).toBe(200)
        expect(file.body.toString(), folder).toBe(csv)
      }
    })

    it('come from the folder that the KeyValueStore names for their day, and from no other', async () => {
      const before = '2026-01-05'
      const folder = '2026-01-05-3f9c2ab4d1e0'
      s3.put(bucket, `downloads/${folder}/old.csv`, 'named', type)
      s3.put(bucket, `downloads/${before}/old.csv`, 'foreign', type)
      const text = async (name: string) => {
        const { status, body } = await ask({ target: `/downloads/${name}/old.csv` })
        return status === 200 ? body.toString() : status
      }
      const key = 'downloads/2026-01'
      freshly(19)
      for (const name of [folder, before]) expect(await text(name), name).toBe(404)
      edge().keys[key] = `04-aaaaaaaaaaaa ${folder.slice(8)}`
      freshly(22)
      expect(await text(before)).toBe('named')
      for (const name of [folder, '-']) expect(await text(name), name).toBe(404)
      // A day whose downloads are withdrawn has a name that no folder has.
      for (const [at, folders] of [
        [23, '05-0'],
        [24, '-'],
        [25, '04-aaaaaaaaaaaa'],
      ] as const) {
        edge().keys[key] = folders
        freshly(at)
        expect(await text(before), folders).toBe(404)
      }
    })

    it('are unknown if the live snapshot has no downloads', async () => {
      edge().keys['live'] = JSON.stringify({ ...live, folder: undefined })
      for (const folder of ['latest', day()])
        expect((await ask({ target: `/downloads/${folder}/funds.csv` })).status).toBe(404)
      goLive()
    })

    it('come in parts, which documents do not', async () => {
      const target = `/downloads/${day()}/funds.csv`
      const headers = { range: 'bytes=0-8' }
      for (const attempt of ['from the bucket', 'from the cache']) {
        const part = await ask({ target, headers })
        expect(part.status, attempt).toBe(206)
        expect(part.body.toString(), attempt).toBe('isin;name')
        expect(headerOf(part, 'content-range')).toBe(`bytes 0-8/${csv.length}`)
        const head = await ask({ method: 'HEAD', target, headers })
        expect(head.status).toBe(200)
        expect(headerOf(head, 'content-range')).toBeUndefined()
        expect(headerOf(head, 'content-length')).toBe(String(csv.length))
        await ask({ target })
      }
      freshly(20)
      const whole = await ask({ ...figures(), headers })
      expect(whole.status).toBe(200)
      expect(headerOf(whole, 'accept-ranges')).toBeUndefined()
    })

    it('are answered with 416 beyond their end, and with 404 if they are missing', async () => {
      freshly(21)
      const target = `/downloads/${day()}/funds.csv`
      const answer = await ask({ target, headers: { range: 'bytes=99999-' } })
      expect(answer.status).toBe(416)
      expect(headerOf(answer, 'content-range')).toBe(`bytes */${csv.length}`)
      expect(headerOf(answer, 'access-control-allow-origin')).toBe('*')
      const missing = ['/docs/none/', '/docs/none.html?format=xml', `/docs/${'x'.repeat(1100)}.html`]
      for (const target of [...missing, '/downloads/latest/no.csv'])
        expect((await expectAsServed({ target })).status).toBe(404)
    })
  })

  it('gives a client that has a later copy the whole answer after a rollback', async () => {
    freshly(3600)
    const later = headerOf(await ask(figures()), 'last-modified') ?? ''
    expect(Date.parse(later)).toBe(Math.floor(Date.parse(live.liveSince) / 1000) * 1000 + 3_600_000)
    const known = { 'if-modified-since': later }
    expect((await ask({ ...figures(), headers: known })).status).toBe(304)
    freshly(7200)
    await ask(figures())
    expect((await ask({ ...figures(), headers: known })).status).toBe(200)
  })

  it('tells CloudWatch how old the live snapshot is', async () => {
    const ageNow = () => (Date.now() - Date.parse(live.liveSince)) / 1000
    const youngest = ageNow()
    await cloudFront.watch()
    const oldest = ageNow()
    const lines = cloudFront.lambdaLog().split('\n')
    const line = lines.find((text) => text.startsWith('{"_aws"')) ?? ''
    const metric = JSON.parse(line) as Record<string, unknown>
    const Metrics = [{ Name: 'LiveSnapshotAge', Unit: 'Seconds' }]
    const CloudWatchMetrics = [{ Namespace: 'Fundpress', Dimensions: [['Stack']], Metrics }]
    const named = { Stack: 'fundpress-test', snapshot: live.snapshot }
    expect(metric).toMatchObject({ ...named, _aws: { CloudWatchMetrics } })
    const age = metric['LiveSnapshotAge'] as number
    expect(age).toBeGreaterThanOrEqual(Math.round(youngest))
    expect(age).toBeLessThanOrEqual(Math.round(oldest))
  })
})

/** Without headers of the way and the time. What the Lambda streams has no length: to the response function it may be compressed. */
function comparable({ status, headers, body }: RawResponse) {
  const way =
    /^(x-cache|x-amz.*|date|connection|keep-alive|content-length|transfer-encoding|last-modified|etag)$/
  const kept = headers
    .filter(([name, value]) => !way.test(name) && !(name === 'vary' && value === 'Accept-Encoding'))
    .map(([name, value]) => `${name}: ${value}`)
  return { status, headers: kept.sort(), body: body.toString() }
}
