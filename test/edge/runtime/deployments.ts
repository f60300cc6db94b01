/** The platforms that CI has, each as it is deployed: for the conformance suite, the budget, and other tests of all platforms. */
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { describe } from 'vitest'
import { startProxy, type ProxyOptions } from '../../conform/broken-proxy.ts'
import { startCloudFront } from '../../support/cloudfront.ts'
import { startKeyValueStore } from '../../support/key-value-store.ts'
import { withLocalNames } from '../../support/local-names.ts'
import { startBehindNginx, whyNoNginx, whyNoNjs } from '../../support/nginx.ts'
import { once } from '../../support/once.ts'
import {
  forced,
  makeTempFolder,
  mustRun,
  startServing,
  type TempFolder,
  liveTtl,
} from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import type { RawResponse } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { startWorker } from '../../support/worker.ts'

/** The folder of a snapshot, and what it was made from; `asOf` is YYYY-MM-DD. */
export type Night = Readonly<Record<'out' | 'db' | 'asOf' | 'docsUrl', string>>

export interface Deployment {
  /** http://127.0.0.1:port */
  readonly base: string
  /** The processes that answer, without what stands for a cloud around them. Their children belong to them. */
  readonly pids: readonly number[]
  /** Makes another night live, as that platform does it. Resolves when the switch has been made; readers may lag by `lagMs`. */
  readonly flip: (night: Night) => Promise<void>
  readonly lagMs: number
  /** Puts a file beside the downloads that are live. */
  readonly addDownload: (name: string, body: Buffer) => void
  /** The keys that the bucket was asked for since the last call, without `live.json`; none of files. */
  readonly asked: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

export interface Platform {
  readonly name: string
  /** @param liveTtlSeconds 1 unless given, so that a flip shows soon @param flags more of `fundpress edge nginx` */
  readonly deploy: (
    first: Pick<Night, 'out'>,
    liveTtlSeconds?: number,
    flags?: readonly string[],
  ) => Promise<Deployment>
  /** Why the platform is not there: skips locally, fails in CI. */
  readonly skip: string | undefined
}

/** Tests of each platform. @param turn differs between platforms: for `sample` */
export function describePlatforms(tests: (platform: Platform, turn: number) => void): void {
  platforms.forEach((platform, turn) => {
    describe.skipIf(isMissing(platform.skip === undefined))(platform.name, () => tests(platform, turn))
  })
}

/** The first fund of a snapshot, by its ISIN. */
export const firstIsin = (out: string) => readdirSync(join(out, 'api/v1/prices-historic'))[0] ?? ''

const bucket = 'fund-data'

export const serveFolder: Platform = {
  name: 'serve from a folder',
  skip: undefined,
  deploy: async (first) => {
    const folder = makeTempFolder()
    const live = folder.file('live')
    const build = async ({ db, asOf, docsUrl }: Night): Promise<void> => {
      const args = ['build', '--db', db, '--out', live, '--as-of', asOf, '--quiet', ...forced]
      await mustRun(args, { env: { FUNDPRESS_DOCS_URL: docsUrl } })
    }
    cpSync(first.out, live, { recursive: true })
    return { ...onFiles(live, folder, await startServing(['--out', live])), flip: build }
  },
}

const serveBucket: Platform = {
  name: 'serve from a bucket',
  skip: undefined,
  deploy: (first, liveTtlSeconds) =>
    onBucket(first, liveTtlSeconds, (args, env) => startServing(args, { env })),
}

/** What a server of one's own has. */
export const nginx: Platform = {
  name: 'serve behind nginx',
  skip: whyNoNginx,
  deploy: async (first, liveTtlSeconds = 1, flags = []) => {
    const start: Start = async (args, env) => {
      const { serve, ...started } = await startBehindNginx(args, { env, args: flags })
      return { ...started, more: [serve.pid] }
    }
    const deployment = await onBucket(first, liveTtlSeconds, start)
    // nginx counts in whole seconds.
    return { ...deployment, lagMs: deployment.lagMs + (liveTtlSeconds + 1) * 1000 }
  },
}

interface Started {
  readonly base: string
  readonly pid: number
  readonly more?: readonly number[]
  readonly stop: () => Promise<unknown>
}

type Start = (args: string[], env: Readonly<Record<string, string>>) => Promise<Started>

async function onBucket(first: Pick<Night, 'out'>, liveTtlSeconds = 1, start: Start): Promise<Deployment> {
  const s3 = await startS3({ buckets: [bucket] })
  s3.restore(bucket, await publishedOnce(first))
  const env = { ...credentials, ...liveTtl(liveTtlSeconds) }
  const { base, pid, more = [], stop } = await start(bucketArgs(s3.endpoint, bucket), env)
  return {
    // While one request looks what is live, the others may go on with what was, for half a time to live.
    base,
    pids: [pid, ...more],
    flip: publishTo(s3),
    lagMs: liveTtlSeconds * 1500 + 200,
    addDownload: addToBucket(s3),
    asked: askedOf(s3),
    stop: async () => {
      await stop()
      await s3.stop()
    },
  }
}

function onFiles(live: string, folder: TempFolder, { base, pid, stop }: Started): Omit<Deployment, 'flip'> {
  return {
    base,
    pids: [pid],
    lagMs: 0,
    asked: () => Promise.resolve([]),
    addDownload: (name, body) => {
      writeFileSync(join(downloadsIn(live), name), body)
    },
    stop: async () => {
      await stop()
      folder.remove()
    },
  }
}

/** The real workerd, with an R2 bucket. */
export const workerd: Platform = {
  name: 'the Worker in workerd',
  skip: undefined,
  deploy: async (first, liveTtlSeconds = 1) => {
    const worker = await startWorker({ liveTtlSeconds })
    const front = await startFront(worker.base)
    await worker.publish(first.out)
    return {
      base: front.base,
      pids: await worker.pids(),
      flip: ({ out }) => worker.publish(out),
      // While one request looks what is live, the others may go on with what was, for half a time to live.
      lagMs: liveTtlSeconds * 1500 + 100,
      addDownload: notHere,
      asked: async () =>
        (await worker.calls()).map((call) => call.split(' ')[1] ?? '').filter((key) => key !== 'live.json'),
      stop: async () => {
        await front.stop()
        await worker.stop()
      },
    }
  },
}

/**
 * As `fundpress edge cloudfront` deploys it, on this machine: flipped by a publish with --flip-kvs, below a folder of the
 * bucket, and with two edges, of which one is late.
 */
export const cloudFront: Platform = {
  name: 'CloudFront',
  // Its functions run in nginx.
  skip: whyNoNjs,
  deploy: async (first) => {
    const s3 = await startS3({ buckets: [bucket] })
    const store = await startKeyValueStore()
    const place = { s3, bucket, prefix: 'nights' }
    const local = await startCloudFront({ ...place, propagationMs: [100, 900] })
    store.onPut = local.propagate
    const env = { ...withLocalNames, AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: store.endpoint }
    const publish = publishTo(s3, ['--prefix', 'nights', '--flip-kvs', store.arn], env)
    await publish(first)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return {
      base: local.base,
      pids: local.pids,
      flip: publish,
      lagMs: 1000,
      addDownload: notHere,
      asked: askedOf(s3),
      stop: async () => {
        await local.stop()
        await store.stop()
        await s3.stop()
      },
    }
  },
}

export const platforms: readonly Platform[] = [serveFolder, serveBucket, nginx, workerd, cloudFront]

function publishTo(s3: S3Server, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  return async ({ out }: Pick<Night, 'out'>): Promise<void> => {
    const args = publishArgs(s3.endpoint, bucket, out, ...more, ...forced)
    await mustRun(args, { env: { ...credentials, ...env } })
  }
}

/** Whatever the folder of the downloads is called: it has their checksums. */
const checksums = 'SHA256SUMS'
function downloadsIn(out: string): string {
  const all = join(out, 'downloads')
  const name = readdirSync(all).find((folder) => existsSync(join(all, folder, checksums)))
  if (name === undefined) throw new Error(`no downloads in ${out}`)
  return join(all, name)
}

/** The objects of a bucket that a snapshot was published to. */
const publishedOnce = (night: Pick<Night, 'out'>) =>
  once(`objects of ${night.out}`, async () => {
    const s3 = await startS3({ buckets: [bucket] })
    await publishTo(s3)(night)
    await s3.stop()
    return s3.objects(bucket)
  })

function addToBucket(s3: S3Server): Deployment['addDownload'] {
  return (name, body) => {
    const sums = [...s3.objects(bucket).keys()].find((key) => /^downloads\/[^/]+\/SHA256SUMS$/.test(key))
    if (sums === undefined) throw new Error('no downloads in the bucket')
    s3.put(bucket, sums.slice(0, -checksums.length) + name, body)
  }
}

function askedOf(s3: S3Server): Deployment['asked'] {
  let seen = 0
  return () => {
    const since = s3.log.slice(seen)
    seen = s3.log.length
    return Promise.resolve(since.map(({ key }) => key).filter((key) => !key.endsWith('live.json')))
  }
}

function notHere(): never {
  throw new Error('this platform has no downloads in the tests')
}

/**
 * Stands for Cloudflare's own servers before a Worker: it refuses what is no HTTP request. workerd alone, which never gets such
 * requests, answers them with a 500. All else passes unchanged.
 */
async function startFront(upstream: string) {
  const refusal: RawResponse = { status: 400, headers: [], body: Buffer.alloc(0) }
  const pass: ProxyOptions['pass'] = async (target, ask) => (target.startsWith('/') ? ask() : refusal)
  const front = await startProxy({ upstream, pass })
  const end = (socket: Duplex, status: string) =>
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
  front.server.on('clientError', (_, socket) => end(socket, '400 Bad Request'))
  front.server.on('connect', (_, socket) => end(socket, '405 Method Not Allowed'))
  return front
}
