import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights, type Nights } from '../support/nights.ts'
import { runFundpress } from '../support/product.ts'
import { bucketArgs, publishArgs } from '../support/publishing.ts'
import { startFaultProxy } from '../support/s3/fault-proxy.ts'
import { forEachStore } from '../support/s3/stores.ts'
import { sample } from '../support/rounds.ts'

let nights: Nights

beforeAll(async () => {
  nights = await buildNights(3, 1)
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
  const verify = () =>
    runFundpress(['verify', '--deep', ...bucketArgs(store.endpoint, store.bucket), '--json'], { env: env() })
  const status = async () => {
    const run = await runFundpress(['status', ...bucketArgs(store.endpoint, store.bucket), '--json'], {
      env: env(),
    })
    return JSON.parse(run.stdout) as { live: { snapshot: string } | null }
  }
  const publish = (endpoint: string, night: number) =>
    runFundpress(publishArgs(endpoint, store.bucket, nights.outs[night] ?? '', '--force'), { env: env() })

  it(`publishes whole snapshots to ${store.name} through a network that fails, or says what failed`, async () => {
    expect(await publish(store.endpoint, 0)).toMatchObject({ code: 0, stderr: '' })
    for (const [index, seed] of sample([11, 12]).entries()) {
      const proxy = await startFaultProxy({ target: store.endpoint, seed })
      proxy.set({
        status: 0.03,
        cutBefore: 0.02,
        cutRequest: 0.02,
        cutAfter: 0.02,
        cutAnswer: 0.02,
        truncate: 0.02,
        delay: 0.05,
        maxDelayMs: 100,
      })
      const before = await status()
      const run = await publish(proxy.endpoint, (index + 1) % 3)
      await proxy.stop()
      const after = await status()
      if (run.code === 0) expect(after.live?.snapshot).not.toBe(before.live?.snapshot)
      else expect(run.stderr).toMatch(/^fundpress: .+\n$/)
      expect(await verify()).toMatchObject({ code: 0 })

      expect(await publish(store.endpoint, (index + 1) % 3)).toMatchObject({ code: 0, stderr: '' })
      expect(await verify()).toMatchObject({ code: 0 })
    }
  })

  it(`takes a night back on ${store.name} and forth again`, async () => {
    const { live } = await status()
    const rollback = () =>
      runFundpress(['rollback', ...bucketArgs(store.endpoint, store.bucket)], { env: env() })
    expect(await rollback()).toMatchObject({ code: 0, stderr: '' })
    expect((await status()).live?.snapshot).not.toBe(live?.snapshot)
    expect(await verify()).toMatchObject({ code: 0 })
    expect(await rollback()).toMatchObject({ code: 0 })
    expect((await status()).live?.snapshot).toBe(live?.snapshot)
  })
})
