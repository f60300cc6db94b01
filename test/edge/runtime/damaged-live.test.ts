/** Every edge goes on with the last good `live.json`, never mixes snapshots meanwhile, and says what is wrong. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../../support/nights.ts'
import { liveTtl, makeTempFolder, mustRun, startServing, forced } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { rawRequest } from '../../support/request.ts'
import { startS3 } from '../../support/s3/server.ts'
import { stagingPlatforms } from '../../support/staging.ts'
import { firstIsin } from './deployments.ts'

let nights: Nights
let isin: string

beforeAll(async () => {
  nights = await buildNights(3, 1, { years: 5, isSmall: true })
  isin = firstIsin(nights.outs[0] ?? '')
  return nights.remove
})

const profile = () => `/api/v1/profile/${isin}/`
/** What nobody has asked before. */
const other = () => `${profile()}?format=xml`
const askAt = async (base: string, target: string) => {
  const { status, body } = await rawRequest(base, { target })
  return { status, text: body.toString() }
}

/** A page of a portal, a file that broke off, one of a later version, one with a wrong field. */
const damages = [
  '<!doctype html><title>Sign in</title>',
  '{"format":1,"slot":"bl',
  '{"format":2}',
  '{"format":1,"slot":"../x"}',
]

describe.each(stagingPlatforms.map((platform) => [platform.name, platform] as const))(
  '%s',
  (name, platform) => {
    it.skipIf(isMissing(platform.skip === undefined))(
      'goes on with the last good live.json, also for what nobody has asked before, until there is another good one',
      async () => {
        const place = await platform.start(nights, 1)
        try {
          const ask = (target: string) => askAt(place.base, target)
          await place.set(place.one, null)
          await expect
            .poll(() => ask(profile()))
            .toMatchObject({ status: 200, text: expect.stringContaining('night 1') })
          // CloudFront follows its KeyValueStore, where only a publish writes. Its bucket's live.json is for others.
          const damage = name === 'CloudFront' ? [] : damages
          const removals = place.remove === undefined ? [] : [place.remove]
          for (const [turn, spoil] of [
            ...damage.map((text) => () => place.write('live.json', text)),
            ...removals.map((remove) => () => remove('live.json')),
          ].entries()) {
            await spoil()
            // Nobody asks for longer than two times to live.
            await setTimeout(2300)
            const fresh = [
              `/api/v1/prices-historic/${isin}/2023-0${turn + 1}-01/2024-02-01/`,
              `${profile()}?language=en&x=${turn}`,
            ]
            for (const target of [profile(), ...fresh])
              expect({ turn, target, status: (await ask(target)).status }).toEqual({
                turn,
                target,
                status: 200,
              })
            expect((await ask(fresh[1] ?? '')).text).toContain('night 1')
          }
          await place.set(place.two, null)
          await expect.poll(async () => (await ask(profile())).text).toContain('night 2')
        } finally {
          await place.stop()
        }
      },
    )
  },
)

describe('serve', () => {
  const health = async (base: string) => {
    const { status, text } = await askAt(base, '/status/health')
    return { status, ...(JSON.parse(text) as { pointer: { state: string; since: string | null } }) }
  }
  const serving = (bucket: string) =>
    startServing(['--bucket', bucket], { env: { ...credentials, ...liveTtl(1) } })

  it('tells load balancers and the log since when it cannot read live.json, and goes on', async () => {
    const folder = makeTempFolder()
    const bucket = folder.file('bucket')
    const publish = (night: number) =>
      mustRun([
        'publish',
        '--bucket',
        `file://${bucket}`,
        '--out',
        nights.outs[night] ?? '',
        '--quiet',
        ...forced,
      ])
    await publish(0)
    const edge = await serving(`file://${bucket}`)
    const file = `${bucket}/live.json`
    try {
      expect(await health(edge.base)).toMatchObject({ status: 200, pointer: { state: 'read', since: null } })
      renameSync(file, `${file}.good`)
      const missing = {
        status: 200,
        as_of: '2026-11-11',
        pointer: { state: 'missing', since: expect.stringMatching(/^20.*Z$/) },
      }
      await expect.poll(() => health(edge.base)).toMatchObject(missing)
      writeFileSync(file, '{')
      await expect.poll(() => health(edge.base)).toMatchObject({ status: 200, pointer: { state: 'damaged' } })
      rmSync(file)
      renameSync(`${file}.good`, file)
      await expect
        .poll(() => health(edge.base))
        .toMatchObject({ status: 200, pointer: { state: 'read', since: null } })
      for (let time = 0; time < 20; time++) await askAt(edge.base, profile())
      const said = edge
        .errors()
        .split('\n')
        .filter((line) => line !== '')
      expect(said).toEqual([
        expect.stringMatching(
          /live\.json is missing: what it named last is served on\. `fundpress status` says what to do$/,
        ),
        expect.stringMatching(/live\.json is damaged: what it named last is served on\./),
        expect.stringMatching(/live\.json can be read again$/),
      ])
    } finally {
      await edge.stop()
      folder.remove()
    }
  })

  it('answers what is in memory while the folder of its bucket is not mounted', async () => {
    const folder = makeTempFolder()
    const bucket = folder.file('bucket')
    await mustRun([
      'publish',
      '--bucket',
      `file://${bucket}`,
      '--out',
      nights.outs[0] ?? '',
      '--quiet',
      ...forced,
    ])
    const edge = await serving(`file://${bucket}`)
    try {
      const before = await askAt(edge.base, profile())
      expect(before.status).toBe(200)
      renameSync(bucket, `${bucket}.away`)
      await setTimeout(2300)
      expect(await askAt(edge.base, profile())).toEqual(before)
      expect((await askAt(edge.base, other())).status).toBe(503)
      expect(await health(edge.base)).toMatchObject({ status: 200, pointer: { state: 'unreachable' } })
      renameSync(`${bucket}.away`, bucket)
      await expect.poll(async () => (await askAt(edge.base, other())).status).toBe(200)
    } finally {
      await edge.stop()
      folder.remove()
    }
  })

  it('reads nothing from a slot that publishes have overwritten since it looked last', async () => {
    const s3 = await startS3({ buckets: ['fund-data'] })
    const publish = (night: number) =>
      mustRun(publishArgs(s3.endpoint, 'fund-data', nights.outs[night] ?? '', ...forced), {
        env: credentials,
      })
    await publish(0)
    const edge = await startServing(bucketArgs(s3.endpoint, 'fund-data'), {
      env: { ...credentials, ...liveTtl(1) },
    })
    try {
      const before = await askAt(edge.base, profile())
      expect(before.text).toContain('night 1')
      // Nobody asks meanwhile. The second one writes to the slot that this edge knows.
      for (const night of [1, 2]) await publish(night)
      s3.put('fund-data', 'live.json', '{')
      await setTimeout(2300)
      expect(await askAt(edge.base, profile())).toEqual(before)
      expect((await askAt(edge.base, other())).status).toBe(503)
      expect(await health(edge.base)).toMatchObject({ pointer: { state: 'unreachable' } })
    } finally {
      await edge.stop()
      await s3.stop()
    }
  })
})
