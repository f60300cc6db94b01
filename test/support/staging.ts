/**
 * A bucket with one night live and the next one staged, and each edge that reads it: what `publish --stage`, `flip` and the removal
 * of what is staged leave in the bucket.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { startCloudFront } from './cloudfront.ts'
import { withLocalNames } from './local-names.ts'
import { startKeyValueStore } from './key-value-store.ts'
import { firstIsin } from '../edge/runtime/deployments.ts'
import type { Nights } from './nights.ts'
import { startBehindNginx, whyNoNginx, whyNoNjs } from './nginx.ts'
import { forced, makeTempFolder, mustRun, startServing, liveTtl } from './product.ts'
import { bucketArgs, credentials, publishArgs } from './publishing.ts'
import { startS3 } from './s3/server.ts'
import { manifestOf } from './tree.ts'
import { startWorker } from './worker.ts'

export const previewToken = 'look-at-the-staged-night'
/** Links of errors lead there in the staged night. */
export const stagedDocsUrl = 'https://staged.example.org/docs'

const bucket = 'fund-data'

/** What `live.json` and `staged.json` say, as far as the tests change it. */
interface Saying {
  readonly slot: string
  readonly snapshot: string
  readonly docsUrl: string
  readonly liveSince: string
  readonly downloads: ReturnType<typeof downloadsIn>
  readonly previous: { readonly liveSince: string } | null
}

type SmallFile = 'live.json' | 'staged.json'

/** What one edge reads. A file that is null is removed. */
interface Place {
  readonly base: string
  readonly set: (live: Saying, staged: Saying | null) => unknown
  /** Writes any text into a file; for CloudFront, what a publish would make of it. */
  readonly write: (file: SmallFile, text: string) => unknown
  /** Absent where the bucket of the tests knows no removal. */
  readonly remove?: (file: SmallFile) => unknown
  /** How long a flip may take to show, in milliseconds. */
  readonly lagMs: number
  /** How often the edge has read `staged.json`; absent where requests are not counted. */
  readonly readsOfStaged?: () => number
  readonly stop: () => Promise<unknown>
}

/** The two nights as they went live, and the objects of both. */
async function publishBoth({ outs }: Nights, more: readonly string[] = [], env = {}) {
  const s3 = await startS3({ buckets: [bucket] })
  const prefix = more[0] === '--prefix' ? `${more[1] ?? ''}/` : ''
  const sayings: Saying[] = []
  for (const out of outs.slice(0, 2)) {
    const args = publishArgs(s3.endpoint, bucket, out, ...more, ...forced)
    await mustRun(args, { env: { ...credentials, ...env } })
    const saying = JSON.parse(String(s3.objects(bucket).get(`${prefix}live.json`)?.body)) as Saying
    sayings.push({ ...saying, downloads: downloadsIn(out) })
    for (const { name, body } of downloadsOf(out))
      s3.put(bucket, `${prefix}downloads/${folderIn(out)}/${name}`, body)
  }
  const put = (key: string, value: Saying | null) =>
    value === null
      ? s3.remove(bucket, `${prefix}${key}`)
      : s3.put(bucket, `${prefix}${key}`, JSON.stringify(value), { 'content-type': 'application/json' })
  const readsOfStaged = () =>
    s3.log.filter(({ operation, key }) => operation === 'GetObject' && key === `${prefix}staged.json`).length
  const [one, two] = sayings as [Saying, Saying]
  return { s3, one, two: { ...two, docsUrl: stagedDocsUrl }, put, readsOfStaged }
}

const headOf = (out: string) =>
  manifestOf(out).head as unknown as { readonly docsUrl: string; readonly asOf: string }
/** A small file, and one that is read in parts. */
const downloadsOf = (out: string) => [
  { name: 'a.csv', body: `of ${headOf(out).asOf}` },
  { name: 'large.csv', body: `of ${headOf(out).asOf}`.padEnd(1_200_000, '\n') },
]
/** Their folder is that of the snapshot: no day alone leads there. */
const folderIn = (out: string) => manifestOf(out).head.snapshot
const downloadsIn = (out: string) => {
  return { folder: folderIn(out), files: 2, bytes: 20, sums: '0'.repeat(64) }
}

/** The content of `secret/`, which no edge may serve: beside slots and downloads, and for a folder also outside of the bucket. */
export const canary = 'canary-4711'
const secrets = ({ outs }: Nights) =>
  ['a.csv', 'index.html', `api/v1/figures/${firstIsin(outs[0] ?? '')}/index.de.json`].map(
    (name) => `secret/${name}`,
  )

interface Started {
  readonly base: string
  readonly stop: () => Promise<unknown>
}

async function onBucket(nights: Nights, start: (args: string[]) => Promise<Started>) {
  const { s3, one, two, put, readsOfStaged } = await publishBoth(nights)
  put('live.json', one)
  for (const key of secrets(nights)) s3.put(bucket, key, canary)
  const { base, stop } = await start(bucketArgs(s3.endpoint, bucket))
  const place: Place = {
    base,
    set: (live, staged) => {
      put('live.json', live)
      put('staged.json', staged)
    },
    write: (file, text) => s3.put(bucket, file, text),
    remove: (file) => s3.remove(bucket, file),
    lagMs: 1200,
    readsOfStaged,
    stop: async () => {
      await stop()
      await s3.stop()
    },
  }
  return { ...place, one, two }
}

/** The same in a folder. A file is replaced as a publish does it: with the next rename. */
async function inFolder(nights: Nights, start: (args: string[]) => Promise<Started>) {
  const { s3, one, two } = await publishBoth(nights)
  const folder = makeTempFolder()
  const put = (key: string, body: string | Buffer) => {
    const file = folder.file(`bucket/${key}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.next`, body)
    renameSync(`${file}.next`, file)
  }
  for (const [key, { body }] of s3.objects(bucket)) put(key, body)
  await s3.stop()
  put('live.json', JSON.stringify(one))
  for (const key of secrets(nights)) [key, `../${key}`].forEach((place) => put(place, canary))
  const { base, stop } = await start(['--bucket', `file://${folder.file('bucket')}`])
  const place: Place = {
    base,
    set: (live, staged) => {
      put('live.json', JSON.stringify(live))
      if (staged === null) rmSync(folder.file('bucket/staged.json'), { force: true })
      else put('staged.json', JSON.stringify(staged))
    },
    write: put,
    remove: (file) => rmSync(folder.file(`bucket/${file}`)),
    lagMs: 1200,
    stop: async () => {
      await stop()
      folder.remove()
    },
  }
  return { ...place, one, two }
}

const environment = (liveTtlSeconds: number) => ({
  ...credentials,
  FUNDPRESS_EDGE_PREVIEW_TOKEN: previewToken,
  ...liveTtl(liveTtlSeconds),
})

const serve = (nights: Nights, liveTtlSeconds: number) =>
  onBucket(nights, (args) => startServing(args, { env: environment(liveTtlSeconds) }))

const serveFolder = (nights: Nights, liveTtlSeconds: number) =>
  inFolder(nights, (args) => startServing(args, { env: environment(liveTtlSeconds) }))

/** nginx, which keeps no preview. */
const nginx = (nights: Nights, liveTtlSeconds: number) =>
  onBucket(nights, (args) => startBehindNginx(args, { env: environment(liveTtlSeconds) }))

async function workerd(nights: Nights, liveTtlSeconds: number) {
  const { outs } = nights
  const worker = await startWorker({ previewToken, liveTtlSeconds })
  await worker.put(secrets(nights).map((key) => ({ ...text, key, body: canary })))
  const sayings: Saying[] = []
  for (const [index, out] of outs.slice(0, 2).entries()) {
    const head = headOf(out)
    const slot = index === 0 ? 'blue' : 'green'
    await worker.fill(slot, out)
    for (const { name, body } of downloadsOf(out))
      await worker.put([{ ...text, key: `downloads/${folderIn(out)}/${name}`, body }])
    const before = sayings[index - 1] ?? null
    const docsUrl = index === 0 ? head.docsUrl : stagedDocsUrl
    const liveSince = new Date(Date.now() + index * 1000).toISOString()
    const saying = {
      ...head,
      format: 1,
      slot,
      docsUrl,
      liveSince,
      earlierDownloads: {},
      previous: before,
      downloads: downloadsIn(out),
    }
    sayings.push(saying as unknown as Saying)
  }
  const [one, two] = sayings as [Saying, Saying]
  const place: Place = {
    base: worker.base,
    set: (live, staged) =>
      worker.put([
        { ...text, key: 'live.json', body: JSON.stringify(live) },
        // R2 has no removal here. A file of a bygone day does not count either.
        { ...text, key: 'staged.json', body: JSON.stringify(staged ?? { ...two, previous: null }) },
      ]),
    write: (key, body) => worker.put([{ ...text, key, body }]),
    lagMs: 1600,
    stop: worker.stop,
  }
  return { ...place, one, two }
}

const text = { type: 'text/plain', sha256: '' }

async function cloudFront(nights: Nights) {
  const store = await startKeyValueStore()
  const env = { ...withLocalNames, AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: store.endpoint }
  const made = await publishBoth(nights, ['--prefix', 'nights', '--flip-kvs', store.arn], env)
  const { s3, one, two, put, readsOfStaged } = made
  await store.stop()
  for (const key of secrets(nights)) [key, `nights/${key}`].forEach((place) => s3.put(bucket, place, canary))
  const local = await startCloudFront({ s3, bucket, prefix: 'nights' })
  const place: Place = {
    base: local.base,
    set: (live, staged) => {
      put('live.json', live)
      put('staged.json', staged)
      for (const { keys } of local.edges) {
        keys['live'] = valueOf(live)
        if (staged === null) Reflect.deleteProperty(keys, `preview-${previewToken}`)
        else keys[`preview-${previewToken}`] = valueOf(staged)
      }
    },
    write: (file, text) => {
      s3.put(bucket, `nights/${file}`, text)
      for (const { keys } of local.edges) {
        const { live, months } = pointedBy(text)
        keys[file === 'live.json' ? 'live' : `preview-${previewToken}`] = live
        for (const [month, folders] of months) keys[`downloads/${month}`] = folders
      }
    },
    lagMs: 0,
    readsOfStaged,
    stop: async () => {
      await local.stop()
      await s3.stop()
    },
  }
  return { ...place, one, two }
}

/** As the publisher writes it. */
const valueOf = ({ slot, snapshot, liveSince, docsUrl, downloads: { folder } }: Saying) =>
  JSON.stringify({ slot, snapshot, liveSince, docsUrl, folder })

/** The same of any text. */
function pointedBy(text: string) {
  try {
    const live = JSON.parse(text) as Saying & {
      readonly earlierDownloads?: Readonly<Record<string, unknown>>
    }
    const months = Object.entries(live.earlierDownloads ?? {})
    return {
      live: valueOf(live),
      months: months.map(([month, folders]) => [month, String(folders)] as const),
    }
  } catch {
    return { live: text, months: [] }
  }
}

export interface StagingPlatform {
  readonly name: string
  /** @param liveTtlSeconds how long a file counts after it was read; CloudFront ignores it */
  readonly start: (nights: Nights, liveTtlSeconds: number) => ReturnType<typeof serve>
  /** Why the platform is not there. */
  readonly skip: string | undefined
}

export const stagingPlatforms: readonly StagingPlatform[] = [
  { name: 'serve from a bucket', start: serve, skip: undefined },
  { name: 'serve from a bucket that is a folder', start: serveFolder, skip: undefined },
  { name: 'serve behind nginx', start: nginx, skip: whyNoNginx },
  { name: 'the Worker in workerd', start: workerd, skip: undefined },
  { name: 'CloudFront', start: cloudFront, skip: whyNoNjs },
]
