/** A preview on every edge that reads a bucket: only requests with the token get the staged night. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectList } from '../../support/lists.ts'
import { buildNights, type Nights } from '../../support/nights.ts'
import { isMissing } from '../../support/programs.ts'
import { headerOf, rawRequest, type RawResponse } from '../../support/request.ts'
import { previewToken, stagedDocsUrl, stagingPlatforms, type StagingPlatform } from '../../support/staging.ts'
import { firstIsin } from './deployments.ts'

let nights: Nights
let isin: string

beforeAll(async () => {
  nights = await buildNights(2, 1, { years: 5, isSmall: true })
  isin = firstIsin(nights.outs[0] ?? '')
  return nights.remove
})

const withToken = { 'X-Fundpress-Preview': previewToken }

/** What does not depend on the moment of the answer. */
const comparable = ({ status, headers, body }: RawResponse) => {
  const kept = headers.filter(([name]) => !/^(date|age|x-cache|connection|keep-alive)$/.test(name))
  return { status, headers: kept.toSorted(), body: body.toString() }
}

describe.each(stagingPlatforms.map((platform) => [platform.name, platform] as const))('%s', (_, platform) => {
  describe.skipIf(isMissing(platform.skip === undefined))('a preview', () => {
    let place: Awaited<ReturnType<StagingPlatform['start']>>
    beforeAll(async () => {
      place = await platform.start(nights, 1)
    })
    afterAll(() => place.stop())
    beforeEach(async () => {
      await place.set(place.one, place.two)
      await expect
        .poll(async () => (await ask(`/api/v1/profile/${isin}/`)).body.toString())
        .toContain('night 1')
    })

    const ask = (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      rawRequest(place.base, { method, target, headers })

    const expectStaged = (answer: RawResponse, status: number) => {
      expect(answer.status).toBe(status)
      expect(headerOf(answer, 'cache-control')).toBe('private, no-store')
      expect(headerOf(answer, 'x-fundpress-snapshot')).toBe(place.two.snapshot)
    }
    const expectLive = (answer: RawResponse, status: number) => {
      expect(answer.status).toBe(status)
      expect(headerOf(answer, 'cache-control')).toMatch(/^public, max-age=/)
      expect(headerOf(answer, 'x-fundpress-snapshot')).toBeUndefined()
    }

    /** Each way to make an answer: a document, a joined range, refusals of all kinds, a redirect, a download. */
    const requests = () =>
      [
        [200, `/api/v1/prices-current/${isin}/`],
        [200, `/api/v1/prices-current-all/?format=xml`],
        [200, `/api/v1/prices-historic/${isin}/2022-03-01/2026-02-01/`],
        [200, `/api/v1/prices-historic/${isin}/2025-12-01/2026-02-01/?format=xml`],
        [400, `/api/v1/prices-historic/${isin}/2025-12-01/nonsense/`],
        [404, '/nothing/'],
        [404, '/docs/nothing.html'],
        [308, `/api/v1/prices-current/${isin}`],
      ] as const
    const download = '/downloads/latest/a.csv'

    it('shows the staged night with the token, and leaves all other answers as they are, whichever came first', async () => {
      for (const [index, [status, target]] of requests().entries()) {
        // Every other one asks for the preview first.
        if (index % 2 === 1) expectStaged(await ask(target, withToken), status)
        const before = await ask(target)
        expectLive(before, status)
        const staged = await ask(target, withToken)
        expectStaged(staged, status)
        const wrong = await ask(target, { 'X-Fundpress-Preview': `${previewToken.slice(0, -1)}x` })
        const after = await ask(target)
        for (const answer of [wrong, after]) expect(comparable(answer)).toEqual(comparable(before))
        expect(comparable(await ask(target, withToken))).toEqual(comparable(staged))
        if (status === 200) {
          expect(before.body.toString()).toContain('night 1')
          expect(staged.body.toString()).toContain('night 2')
          expect(staged.body.toString()).not.toContain('night 1')
        }
        if (status >= 400) {
          expect(staged.body.toString()).toContain(stagedDocsUrl)
          expect(before.body.toString()).not.toContain(stagedDocsUrl)
        }
      }
    })

    it('gives the downloads of the staged night, and parts of them', async () => {
      const live = await ask(download)
      expectLive(live, 200)
      const staged = await ask(download, withToken)
      expectStaged(staged, 200)
      expect(live.body.toString()).toBe('of 2026-11-11')
      expect(staged.body.toString()).toBe('of 2026-11-12')
      const part = await ask(download, { ...withToken, Range: 'bytes=3-6' })
      expectStaged(part, 206)
      expect(part.body.toString()).toBe('2026')
      const large = await ask('/downloads/latest/large.csv', withToken)
      expectStaged(large, 200)
      expect(large.body.length).toBe(1_200_000)
      expect(large.body.toString().trim()).toBe('of 2026-11-12')
      // Of the staged day there is nothing in public.
      expectLive(await ask('/downloads/2026-11-12/a.csv'), 404)
      expectStaged(await ask('/downloads/2026-11-12/a.csv', withToken), 200)
    })

    it('compares a copy of a client with the night that it asks for', async () => {
      const target = `/api/v1/prices-current/${isin}/`
      const live = await ask(target)
      const staged = await ask(target, withToken)
      const ifOther = (answer: RawResponse) => ({ 'If-None-Match': headerOf(answer, 'etag') ?? '' })
      expectStaged(await ask(target, { ...withToken, ...ifOther(staged) }), 304)
      expectStaged(await ask(target, { ...withToken, ...ifOther(live) }), 200)
      expectLive(await ask(target, ifOther(live)), 304)
      expectLive(await ask(target, ifOther(staged)), 200)
      expectStaged(await ask(target, { ...withToken, 'If-Match': '"other"' }), 412)
      const head = await ask(target, withToken, 'HEAD')
      expectStaged(head, 200)
      expect(headerOf(head, 'etag')).toBe(headerOf(staged, 'etag'))
    })

    it('answers from what is live if the header is empty, long or no text, and reads nothing of what is staged', async () => {
      const target = `/api/v1/prices-current/${isin}/`
      const live = comparable(await ask(target))
      const wrong = [
        '',
        'x',
        previewToken.toUpperCase(),
        `${previewToken} x`,
        previewToken.slice(1),
        'x'.repeat(8000),
      ]
      const before = place.readsOfStaged?.()
      const notAscii = ['ä'.repeat(previewToken.length), '\xff'.repeat(previewToken.length)]
      for (const token of [...wrong, ...notAscii])
        expect(comparable(await ask(target, { 'X-Fundpress-Preview': token }))).toEqual(live)
      expect(place.readsOfStaged?.()).toBe(before)
    })

    it('refuses a preview while staged.json is damaged, and nothing else', async () => {
      if (platform.name === 'CloudFront') return
      const target = `/api/v1/prices-current/${isin}/`
      await place.set(place.one, { ...place.two, slot: 'red' })
      const refused = await ask(target, withToken)
      expect(refused.status).toBe(503)
      expect(headerOf(refused, 'cache-control')).toBe('no-store')
      expect((await ask('/status/staged.json')).status).toBe(503)
      expectLive(await ask(target), 200)
    })

    it('keeps answers that come without a snapshot to itself, too', async () => {
      const target = `/api/v1/prices-current/${isin}/`
      expectStaged(await ask(target, withToken, 'OPTIONS'), 204)
      expectStaged(await ask(target, withToken, 'POST'), 405)
    })

    it('tells everybody what is staged', async () => {
      const { status, headers, body } = await ask('/status/staged.json')
      expect(status).toBe(200)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=60',
      })
      const { snapshot, liveSince } = place.two
      const staged = { snapshot, as_of: '2026-11-12', staged_since: liveSince }
      expect(JSON.parse(body.toString())).toEqual({ format: 1, staged })
      expectList('staged', JSON.parse(body.toString()))
      const head = await ask('/status/staged.json', {}, 'HEAD')
      expect(head.status).toBe(200)
      expect(head.body).toHaveLength(0)
      expectLive(await ask('/status/staged.json', {}, 'OPTIONS'), 204)
    })

    it('ends with the flip, although the file of what was staged stays, and if nothing is staged', async () => {
      const target = `/api/v1/profile/${isin}/`
      const flipped = { ...place.two, liveSince: new Date(Date.now() + 5000).toISOString() }
      expectStaged(await ask(target, withToken), 200)
      await place.set(place.one, null)
      const none = await ask(target, withToken)
      expectLive(none, 200)
      expect(comparable(none)).toEqual(comparable(await ask(target)))
      await place.set(flipped, platform.name === 'CloudFront' ? null : place.two)
      await setTimeout(place.lagMs)
      for (const headers of [{}, withToken]) {
        // On a slow machine the look at what is live takes longer.
        const isFlipped = async () => {
          const answer = await ask(target, headers)
          return answer.body.includes('night 2') && headerOf(answer, 'x-fundpress-snapshot') === undefined
        }
        await expect.poll(isFlipped).toBe(true)
        expectLive(await ask(target, headers), 200)
      }
      // CloudFront keeps this answer for a minute.
      if (platform.name === 'CloudFront') return
      // nginx keeps it for some seconds.
      const stagedNow = async () => JSON.parse((await ask('/status/staged.json')).body.toString()) as unknown
      await expect.poll(stagedNow).toEqual({ format: 1, staged: null })
    })
  })
})
