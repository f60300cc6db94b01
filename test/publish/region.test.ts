/** A store with an address of its own and no region given: the machine's settings are asked for one once a client. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openS3 } from '../../src/publish/s3-store.ts'
import { credentials } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

let server: S3Server

beforeAll(async () => {
  server = await startS3({ buckets: ['funds'] })
  Object.assign(process.env, credentials, { AWS_CONFIG_FILE: '/dev/null' })
})

afterAll(() => server.stop())

const place = { bucket: 'funds', prefix: '', region: null, pathStyle: true, concurrency: 4 }

it('asks for the region once, not for each request', async () => {
  Object.assign(process.env, { AWS_REGION: 'us-east-1' })
  const store = openS3({ ...place, endpoint: server.endpoint })
  expect(await store.get('one')).toBeNull()
  // Whoever asks again signs for a region that the server refuses.
  Object.assign(process.env, { AWS_REGION: 'eu-central-1' })
  for (const key of ['two', 'three', 'four']) expect(await store.get(key)).toBeNull()
  expect(store.requests()).toEqual({ GetObject: 4 })
  store.close()
})
