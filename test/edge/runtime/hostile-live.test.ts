/** Whatever `live.json` and `staged.json` say, an edge gives out nothing but the nights of its bucket, and goes on with the last one. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileLiveText } from '../../support/hostile-live.ts'
import { liveExamples } from '../../support/live-examples.ts'
import { buildNights, type Nights } from '../../support/nights.ts'
import { isMissing } from '../../support/programs.ts'
import { rawRequest } from '../../support/request.ts'
import { sample, times } from '../../support/rounds.ts'
import { canary, previewToken, stagingPlatforms, type StagingPlatform } from '../../support/staging.ts'
import { firstIsin } from './deployments.ts'

let nights: Nights
let profile: string

beforeAll(async () => {
  nights = await buildNights(2, 1, { years: 5, isSmall: true })
  profile = `/api/v1/profile/${firstIsin(nights.outs[0] ?? '')}/`
  return nights.remove
})

const withToken = { 'X-Fundpress-Preview': previewToken }
const unavailable = '{"title":"The service cannot answer just now","type":"about:blank","status":503}'

describe.each(stagingPlatforms.map((platform) => [platform.name, platform] as const))('%s', (_, platform) => {
  describe.skipIf(isMissing(platform.skip === undefined))('gives out nothing from elsewhere', () => {
    let place: Awaited<ReturnType<StagingPlatform['start']>>
    /** What the two nights answer to each target. */
    const right = new Map<string, string[]>()

    const targets = () => [profile, '/downloads/latest/a.csv', '/downloads/2026-11-11/a.csv', '/index.html']
    const ask = async (target: string, headers = {}) => {
      const { status, body } = await rawRequest(place.base, { target, headers })
      return { status, body: body.toString() }
    }
    const expectHarmless = async (headers = {}) => {
      for (const target of targets()) {
        const { status, body } = await ask(target, headers)
        expect([200, 404, 503], body).toContain(status)
        expect(body).not.toContain(canary)
        if (status === 200) expect(right.get(target)).toContain(body)
        if (status === 503) expect(body).toBe(unavailable)
      }
    }

    beforeAll(async () => {
      place = await platform.start(nights, 0)
      for (const night of [place.one, place.two]) {
        await place.set(night, null)
        for (const target of targets()) {
          const { status, body } = await ask(target)
          if (status === 200) right.set(target, [...(right.get(target) ?? []), body])
        }
      }
      expect([...right.keys()]).toEqual(expect.arrayContaining(targets().slice(0, 2)))
    })
    afterAll(() => place.stop())

    const bad = sample(
      liveExamples.filter(({ verdict }) => verdict === 'bad'),
      { least: 20 },
    )
    const waysOut: readonly object[] = [
      { slot: '../secret' },
      { slot: 'secret' },
      { downloads: { folder: '../secret' } },
      { downloads: { folder: { toString: null } } },
      { downloads: { folder: '../../secret' } },
      { earlierDownloads: { '2026-11': '11/../../secret' } },
      { earlierDownloads: { '2026-11': '11/../../../secret' } },
    ]

    it('if live.json is damaged or hostile', async () => {
      const hostile = waysOut.map((way) => JSON.stringify({ ...place.one, ...way }))
      for (const text of [...hostile, ...bad.map(({ text }) => text)]) {
        await place.write('live.json', text)
        await expectHarmless()
        // CloudFront knows only the fields that a publish repeats in its KeyValueStore.
        if (platform.name !== 'CloudFront')
          expect(await ask(profile)).toEqual({ status: 200, body: right.get(profile)?.[1] })
      }
    })

    it('if staged.json is', async () => {
      await place.set(place.one, place.two)
      expect((await ask(profile, withToken)).body).toBe(right.get(profile)?.[1])
      for (const way of waysOut) {
        await place.write('staged.json', JSON.stringify({ ...place.two, ...way }))
        await expectHarmless(withToken)
        expect((await ask(profile)).body).toBe(right.get(profile)?.[0])
      }
    })

    it('if either is any text', async () => {
      const files = fc.constantFrom('live.json' as const, 'staged.json' as const)
      await fc.assert(
        fc.asyncProperty(files, hostileLiveText, async (file, text) => {
          await place.set(place.one, place.two)
          await place.write(file, text)
          await expectHarmless(file === 'live.json' ? {} : withToken)
        }),
        { numRuns: times(80) },
      )
      await place.set(place.two, null)
      expect((await ask(profile)).body).toBe(right.get(profile)?.[1])
    })
  })
})
