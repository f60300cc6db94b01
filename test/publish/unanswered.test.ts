/** Which writes a store may still carry out: those that it never answered itself. */
import { createHash } from 'node:crypto'
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

it.each([
  [502, 1],
  [504, 1],
  [503, 0],
])(
  'counts a write that was answered with %d, by a proxy that gave up, %d times',
  async (status, unanswered) => {
    const place = { bucket: 'funds', prefix: '', region: 'us-east-1', pathStyle: true, concurrency: 4 }
    const store = openS3({ ...place, endpoint: server.endpoint })
    server.faults([{ kind: 'status', status, operation: 'PutObject', times: 1 }])
    const body = Buffer.from('{}')
    const sha256 = createHash('sha256').update(body).digest('hex')
    await store.put({
      key: `answer-${status}`,
      body,
      type: 'application/json',
      cacheControl: 'no-cache',
      sha256,
    })
    expect(store.unanswered()).toBe(unanswered)
    store.close()
  },
)
