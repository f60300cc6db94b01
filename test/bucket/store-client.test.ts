/** The S3 client: its errors keep secrets, it asks once for the region, and it counts the writes that had no answer. */
import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bareCause, explained } from '../../src/bucket/store/errors.ts'
import { openS3 } from '../../src/bucket/store/s3.ts'
import { credentials } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

let server: S3Server
beforeAll(async () => {
  server = await startS3({ buckets: ['funds'] })
  Object.assign(process.env, credentials, { AWS_CONFIG_FILE: '/dev/null', AWS_REGION: 'us-east-1' })
})
afterAll(() => server.stop())

// A store with an address of its own and no region: the settings of the machine name one.
const open = () => {
  const place = { bucket: 'funds', prefix: '', region: null, pathStyle: true, concurrency: 4 }
  return openS3({ ...place, endpoint: server.endpoint })
}

const token = 'FwoGZXIvYXdzEXAMPLETOKEN'
const place = { name: 's3://funds', bucket: 'funds', endpoint: null, region: null }

it.each([`The token ${token} is not known`, `The provided token\n    at once: ${token}\nhas expired`, token])(
  'an error shows its stack, and nothing of the answer of the store (%#)',
  (message) => {
    const error = Object.assign(new Error(message), { name: 'InvalidToken', Token: token })
    expect(inspect(bareCause(error))).not.toContain(token)
    expect(inspect(bareCause(error))).toMatch(/InvalidToken\n {4}at .*store-client\.test\.ts:\d+:\d+/)
    expect(inspect(explained(error, place, 'read', 'key'))).not.toContain(token)
    // The SDK sets the message after the stack was made.
    const later = Object.assign(new Error(''), { name: 'InvalidToken' })
    later.stack = error.stack ?? ''
    expect(inspect(bareCause(later))).not.toContain(token)
  },
)

it('asks for the region once, not for each request', async () => {
  const store = open()
  expect(await store.get('one')).toBeNull()
  // A client that asks again signs for a region that the server refuses.
  Object.assign(process.env, { AWS_REGION: 'eu-central-1' })
  for (const key of ['two', 'three', 'four']) expect(await store.get(key)).toBeNull()
  expect(store.requests()).toEqual({ GetObject: 4 })
  store.close()
  Object.assign(process.env, { AWS_REGION: 'us-east-1' })
})

it.each([
  [502, 1],
  [504, 1],
  [503, 0],
])(
  'after an answer %d, %d writes count as unanswered: the first two are of proxies that gave up',
  async (status, unanswered) => {
    const store = open()
    server.faults([{ kind: 'status', status, operation: 'PutObject', times: 1 }])
    const body = Buffer.from('{}')
    const sha256 = createHash('sha256').update(body).digest('hex')
    await store.put({ key: `${status}`, body, type: 'application/json', cacheControl: 'no-cache', sha256 })
    expect(store.unanswered()).toBe(unanswered)
    store.close()
  },
)
