/** The KeyValueStore that names the live snapshot, against its API over HTTP. */
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { LiveSnapshot } from '../../src/core/bucket/live/live.ts'
import { keyValueStore } from '../../src/extensions/platforms/cloudfront/key-value-store.ts'
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
  freshness: { fresh: 3, late: 0, stale: 0, suspended: 0, ended: 0, unwatched: 0, unpriced: 0, withheld: 0 },
  liveSince: '2026-11-21T04:00:00.123Z',
}
const said =
  '{"slot":"green","snapshot":"2026-11-20-3f9c2ab4d1e0","liveSince":"2026-11-21T04:00:00.123Z","docsUrl":"https://docs.example.org"}'

let server: KeyValueStoreServer
const writes = () => server.log.filter((request) => request.startsWith('PUT'))
const pointer = () => keyValueStore(server.arn, { endpoint: server.endpoint })

beforeAll(() => {
  Object.assign(process.env, credentials)
})
beforeEach(async () => {
  server = await startKeyValueStore()
})
afterEach(() => server.stop())

it('writes the folders of downloads, one key a month, before the live snapshot', async () => {
  const downloads = { folder: live.snapshot, files: 3, bytes: 10, sums: 'x' }
  const earlierDownloads = { '2026-11': '19-aaaaaaaaaaaa 18-bbbbbbbbbbbb', '2026-10': '31-cccccccccccc' }
  expect(await pointer().set({ ...live, downloads, earlierDownloads })).toBe(true)
  expect(Object.fromEntries(server.keys)).toEqual({
    live: said.replace('}', ',"folder":"2026-11-20-3f9c2ab4d1e0"}'),
    'downloads/2026-11': '20-3f9c2ab4d1e0 19-aaaaaaaaaaaa 18-bbbbbbbbbbbb',
    'downloads/2026-10': '31-cccccccccccc',
  })
  expect(writes().at(-1)).toBe('PUT live')

  // A rollback into the month before: the day that it takes back has no folder any more.
  const before = { ...downloads, folder: '2026-10-31-cccccccccccc' }
  const previous = { ...live, downloads }
  await pointer().set({ ...live, asOf: '2026-10-31', downloads: before, earlierDownloads: {}, previous })
  expect(server.keys.get('downloads/2026-11')).toBe('-')
  expect(server.keys.get('downloads/2026-10')).toBe('31-cccccccccccc')
})

it.each([
  ['nothing if the live snapshot is named already', said, false, 0],
  ['the live snapshot over another one', said.replace('green', 'blue'), true, 1],
])('writes %s', async (_, before, hasChanged, count) => {
  server.put('live', before)
  expect(await pointer().set(live)).toBe(hasChanged)
  expect(writes()).toHaveLength(count)
  expect(server.keys.get('live')).toBe(said)
})

it('reads again if another process changes the store before the write', async () => {
  let others = 2
  server.onRequest = (request) => {
    if (request === 'PUT live' && others-- > 0) server.put('other', String(others))
  }
  expect(await pointer().set(live)).toBe(true)
  expect(server.keys.get('live')).toBe(said)
  expect(server.log.filter((request) => request === 'PUT live')).toHaveLength(3)
})

it.each([
  [
    403,
    'AccessDeniedException',
    'access denied: the credentials need cloudfront-keyvaluestore:DescribeKeyValueStore, ' +
      'cloudfront-keyvaluestore:GetKey, cloudfront-keyvaluestore:PutKey, cloudfront-keyvaluestore:DeleteKey ' +
      '(AccessDeniedException)',
  ],
  [404, 'ResourceNotFoundException', 'there is no such KeyValueStore: check --flip-kvs'],
])('explains an answer %d %s', async (status, type, message) => {
  server.refusal = { status, type }
  await expect(pointer().set(live)).rejects.toThrow(message)
})

it('refuses a value that is too long for the store', async () => {
  const docsUrl = `https://docs.example.org/${'x'.repeat(1000)}`
  await expect(pointer().set({ ...live, docsUrl })).rejects.toThrow(
    "docsUrl is too long for CloudFront's KeyValueStore (1024 bytes a value)",
  )
  expect(server.log).toEqual([])
})
