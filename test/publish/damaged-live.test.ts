/** `serve --bucket` while `live.json` is damaged: what was live is served on, and what is put right is followed. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { startServing, type Server } from '../support/product.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'

let press: Press
let edge: Server
const liveTtlSeconds = 2

beforeAll(async () => {
  press = await openPress(await buildNights(2, 1))
  expect(await press.publish('night-1')).toMatchObject({ code: 0 })
  const place = bucketArgs(press.server.endpoint, press.bucket.name)
  edge = await startServing([...place, '--live-ttl', String(liveTtlSeconds)], { env: credentials })
})

afterAll(async () => {
  await edge.stop()
  await press.stop()
})

const path = '/api/v1/prices-current-all/'
const status = async () => (await fetch(edge.base + path)).status
const looks = () => press.server.log.filter(({ key }) => key === 'live.json').length

it('is served on from what was live, until live.json is right again', { timeout: 120_000 }, async () => {
  expect(await status()).toBe(200)
  const live = press.bucket.body('live.json').toString()
  press.bucket.put('live.json', live.replace(/"liveSince":"[^"]*"/, '"liveSince":"yesterday"'))
  const before = looks()
  // Several looks at the damaged file, and so longer than any edge may answer from one look.
  while (looks() < before + 4) {
    expect(await status()).toBe(200)
    await setTimeout(50)
  }
  expect((await press.publish('night-2')).code).toBe(1)
  press.bucket.put('live.json', live)
  expect(await press.publish('night-2')).toMatchObject({ code: 0 })
  expect(await status()).toBe(200)
})
