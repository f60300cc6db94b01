/** Publishes to each store through a network that fails. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights, type Nights } from '../support/nights.ts'
import { runFundpress } from '../support/product.ts'
import { bucketArgs, publishArgs } from '../support/publishing.ts'
import { startFaultProxy } from '../support/s3/fault-proxy.ts'
import { forEachStore } from '../support/s3/stores.ts'
import { sample } from '../support/rounds.ts'

let nights: Nights

beforeAll(async () => {
  nights = await buildNights(3, 1, { years: 1 })
})

afterAll(() => {
  nights.remove()
})

forEachStore((store) => {
  const env = () => ({
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    // Nothing is later than the proxy makes it.
    FUNDPRESS_BUCKET_LATE_SECONDS: '1',
  })
  const run = (command: string, ...flags: readonly string[]) =>
    runFundpress([command, ...bucketArgs(store.endpoint, store.bucket), ...flags], { env: env() })
  const verify = () => run('verify', '--deep', '--json')
  const status = async () =>
    JSON.parse((await run('status', '--json')).stdout) as { live: { snapshot: string } | null }
  const publish = (endpoint: string, night: number) =>
    runFundpress(publishArgs(endpoint, store.bucket, nights.outs[night] ?? '', '--force'), { env: env() })

  it(`publishes whole snapshots to ${store.name} through a network that fails, or says what failed`, async () => {
    expect(await publish(store.endpoint, 0)).toMatchObject({ code: 0, stderr: '' })
    for (const [index, seed] of sample([11, 12]).entries()) {
      const proxy = await startFaultProxy(store.endpoint, seed)
      const cuts = { cutBefore: 0.02, cutRequest: 0.02, cutAfter: 0.02, cutAnswer: 0.02, truncate: 0.02 }
      proxy.set({ ...cuts, status: 0.03, delay: 0.05 })
      const before = await status()
      const published = await publish(proxy.endpoint, index + 1)
      await proxy.stop()
      const after = await status()
      if (published.code === 0) expect(after.live?.snapshot).not.toBe(before.live?.snapshot)
      else expect(published.stderr).toMatch(/^fundpress: .+\n$/)
      expect(await verify()).toMatchObject({ code: 0 })

      expect(await publish(store.endpoint, index + 1)).toMatchObject({ code: 0, stderr: '' })
      expect(await verify()).toMatchObject({ code: 0 })
    }
  })

  it(`rolls back and forth on ${store.name}`, async () => {
    const { live } = await status()
    expect(await run('rollback')).toMatchObject({ code: 0, stderr: '' })
    expect((await status()).live?.snapshot).not.toBe(live?.snapshot)
    expect(await verify()).toMatchObject({ code: 0 })
    expect(await run('rollback')).toMatchObject({ code: 0 })
    expect((await status()).live?.snapshot).toBe(live?.snapshot)
  })
})
