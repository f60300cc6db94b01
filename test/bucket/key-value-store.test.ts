/** The KeyValueStore as a place that says what is live, against its API over HTTP. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { LiveSnapshot } from '../../src/bucket/live/live.ts'
import { keyValueStore } from '../../src/bucket/live/key-value-store.ts'
import { startKeyValueStore, type KeyValueStoreServer } from '../support/key-value-store.ts'
import '../support/local-names.ts'
import { credentials } from '../support/publishing.ts'

const live: LiveSnapshot = {
  slot: 'green',
  snapshot: '2026-11-20-3f9c2ab4d1e0',
  asOf: '2026-11-20',
  funds: 3,
  objects: 360,
  bytes: 1_000_000,
  newestPrice: '2026-11-19',
  docsUrl: 'https://docs.example.org',
  liveSince: '2026-11-21T04:00:00.123Z',
}
const said =
  '{"slot":"green","snapshot":"2026-11-20-3f9c2ab4d1e0","liveSince":"2026-11-21T04:00:00.123Z","docsUrl":"https://docs.example.org"}'

let server: KeyValueStoreServer
const pointer = () => keyValueStore(server.arn, { endpoint: server.endpoint })

beforeAll(() => {
  Object.assign(process.env, credentials)
})
beforeEach(async () => {
  server = await startKeyValueStore()
})
afterEach(() => server.stop())
afterAll(() => {
  delete process.env['AWS_ACCESS_KEY_ID']
  delete process.env['AWS_SECRET_ACCESS_KEY']
})

it('says what is live under one key, for the edge to read', async () => {
  expect(await pointer().set(live)).toBe(true)
  expect(Object.fromEntries(server.keys)).toEqual({ live: said })
})

it('says which folders have downloads, a key a month, before it says what is live', async () => {
  const downloads = { folder: live.snapshot, files: 3, bytes: 10, sums: 'x' }
  const earlierDownloads = { '2026-11': '19-aaaaaaaaaaaa 18-bbbbbbbbbbbb', '2026-10': '31-cccccccccccc' }
  expect(await pointer().set({ ...live, downloads, earlierDownloads })).toBe(true)
  expect(Object.fromEntries(server.keys)).toEqual({
    live: said,
    'downloads/2026-11': '20-3f9c2ab4d1e0 19-aaaaaaaaaaaa 18-bbbbbbbbbbbb',
    'downloads/2026-10': '31-cccccccccccc',
  })
  expect(server.log.filter((request) => request.startsWith('PUT')).at(-1)).toBe('PUT live')

  // A rollback into the month before: the day that it takes back has no folder any more.
  const before = {
    ...live,
    downloads: { ...downloads, folder: '2026-10-31-cccccccccccc' },
    asOf: '2026-10-31',
  }
  await pointer().set({ ...before, earlierDownloads: {}, previous: { ...live, downloads } })
  expect(server.keys.get('downloads/2026-11')).toBe('-')
  expect(server.keys.get('downloads/2026-10')).toBe('31-cccccccccccc')
})

it('writes nothing if the store says so already', async () => {
  server.put('live', said)
  expect(await pointer().set(live)).toBe(false)
  expect(server.log.filter((request) => request.startsWith('PUT'))).toEqual([])
})

it('replaces what was said before', async () => {
  server.put('live', said.replace('green', 'blue'))
  expect(await pointer().set(live)).toBe(true)
  expect(server.keys.get('live')).toBe(said)
})

it('looks again if somebody else has changed the store between look and write', async () => {
  let others = 2
  server.onRequest = (request) => {
    if (request === 'PUT live' && others-- > 0) server.put('other', String(others))
  }
  expect(await pointer().set(live)).toBe(true)
  expect(server.keys.get('live')).toBe(said)
  expect(server.log.filter((request) => request === 'PUT live')).toHaveLength(3)
})

it('gives up if somebody else changes it again and again, and says so', async () => {
  server.onRequest = (request) => {
    if (request === 'PUT live') server.put('other', 'x')
  }
  await expect(pointer().set(live)).rejects.toThrow(
    `${server.arn}: could not say what is live: somebody else changes the store again and again (ConflictException)`,
  )
  expect(server.keys.get('live')).toBeUndefined()
})

it('names the rights that are missing', async () => {
  server.refusal = { status: 403, type: 'AccessDeniedException' }
  await expect(pointer().set(live)).rejects.toThrow(
    'access denied: the credentials need cloudfront-keyvaluestore:DescribeKeyValueStore, ' +
      'cloudfront-keyvaluestore:GetKey, cloudfront-keyvaluestore:PutKey (AccessDeniedException)',
  )
})

it('says that there is no such store', async () => {
  server.refusal = { status: 404, type: 'ResourceNotFoundException' }
  await expect(pointer().set(live)).rejects.toThrow('there is no such KeyValueStore: check --flip-kvs')
})

it('refuses a value that the store would not take', async () => {
  const docsUrl = `https://docs.example.org/${'x'.repeat(1000)}`
  await expect(pointer().set({ ...live, docsUrl })).rejects.toThrow(
    "docsUrl is too long for CloudFront's KeyValueStore (1024 bytes a value)",
  )
  expect(server.log).toEqual([])
})

it('stops when it is asked to', async () => {
  const signal = AbortSignal.abort(new Error('stopped'))
  const stopped = keyValueStore(server.arn, { endpoint: server.endpoint, signal })
  await expect(stopped.set(live)).rejects.toThrow('stopped')
})
