import { createServer, type ServerResponse } from 'node:http'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { download } from '../../src/core/bucket/store/read.ts'
import type { FetchedObject } from '../../src/core/bucket/store/store.ts'
import { credentials } from '../support/publishing.ts'
import { tempFolder } from '../support/product.ts'
import { listen } from '../support/request.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'
import { expectFailure } from './outcome.ts'
import { run } from './run.ts'

const folder = tempFolder()
const file = folder.file('funds.sqlite')
let server: S3Server

beforeAll(async () => {
  server = await startS3({ buckets: ['fund-in'] })
})
beforeEach(() => {
  server.reset()
  server.put('fund-in', 'in/funds.sqlite', 'a database')
  writeFileSync(file, 'an older one')
})
afterAll(() => server.stop())

const fetchFrom = (address: string, to = 'funds.sqlite', more: Readonly<Record<string, string>> = {}) => {
  const env = {
    ...credentials,
    FUNDPRESS_BUCKET_ENDPOINT: server.endpoint,
    FUNDPRESS_BUCKET_REGION: 'us-east-1',
    FUNDPRESS_BUCKET_PATH_STYLE: 'true',
    // Has no say here.
    FUNDPRESS_BUCKET_NAME: 'fund-data',
    FUNDPRESS_BUCKET_PREFIX: 'nights',
    ...more,
  }
  return run(['fetch', address, to], { cwd: folder.path, env })
}

it('replaces a file by an object of any bucket', async () => {
  expect(await fetchFrom('s3://fund-in/in/funds.sqlite')).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('a database')
  expect(readdirSync(folder.path)).toEqual(['funds.sqlite'])
})

it('writes where a link leads, removes the logs of the older database there, and leaves the link', async () => {
  // SQLite would apply them to the new one.
  for (const log of ['-wal', '-shm', '-journal']) writeFileSync(file + log, 'of a program that was killed')
  symlinkSync('funds.sqlite', folder.file('link'))
  expect(await fetchFrom('s3://fund-in/in/funds.sqlite', 'link')).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('a database')
  expect(lstatSync(folder.file('link')).isSymbolicLink()).toBe(true)
  rmSync(folder.file('link'))
  expect(readdirSync(folder.path)).toEqual(['funds.sqlite'])
})

it('begins again if the download breaks off', async () => {
  server.faults([{ kind: 'truncate', times: 1 }])
  expect(await fetchFrom('s3://fund-in/in/funds.sqlite')).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toBe('a database')
})

it('does not disturb another one that writes the same file, in a container where both are process 1', async () => {
  const waiting: ServerResponse[] = []
  const store = createServer((_, response) => {
    response.writeHead(200, { 'content-length': 4, etag: '"1"' }).write('on')
    waiting.push(response)
  })
  const { base, stop } = await listen(store)
  const isFirst = `Object.defineProperty(process,'pid',{value:1})`
  const env = {
    FUNDPRESS_BUCKET_ENDPOINT: base,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(isFirst)}`,
  }
  const fetches: ReturnType<typeof run>[] = []
  for (const count of [1, 2]) {
    fetches.push(fetchFrom('s3://fund-in/in/funds.sqlite', 'funds.sqlite', env))
    await expect.poll(() => waiting.length).toBe(count)
  }
  const [one, other] = waiting
  other?.end('ly')
  expect(await fetches[1]).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('only')
  one?.end('ce')
  expect(await fetches[0]).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('once')
  await stop()
})

it('leaves nothing on the disk if it fails after the download', async () => {
  mkdirSync(folder.file('funds.sqlite-wal'))
  await expectFailure(fetchFrom('s3://fund-in/in/funds.sqlite'), 'funds.sqlite-wal')
  expect(readdirSync(folder.path)).toEqual(['funds.sqlite', 'funds.sqlite-wal'])
  rmdirSync(folder.file('funds.sqlite-wal'))
})

it('takes a database of more than 2 GiB', async () => {
  const chunk = Buffer.alloc(2 ** 26)
  const times = 33
  const chunks = Array<Buffer>(times).fill(chunk)
  const object = { body: Readable.from(chunks), bytes: chunk.length * times, cancel: () => undefined }
  const store = { name: 's3://fund-in', get: () => Promise.resolve(object as unknown as FetchedObject) }
  expect(await download(store, 'funds.sqlite', '/dev/null')).toEqual({ signal: undefined })
})

it('leaves the old file if there is no such object, or if it may not be read', async () => {
  await expectFailure(fetchFrom('s3://fund-in/funds.sqlite'), 's3://fund-in/funds.sqlite does not exist')
  server.faults([{ kind: 'status', status: 403 }])
  await expectFailure(fetchFrom('s3://fund-in/in/funds.sqlite'), 's3://fund-in')
  expect(readFileSync(file, 'utf8')).toBe('an older one')
})

it.each(['fund-in/funds.sqlite', 's3://fund-in/', 'https://example.com/funds.sqlite'])(
  'refuses the address %s',
  async (address) => {
    await expectFailure(fetchFrom(address), 'it must be s3://bucket/key', 2)
  },
)
