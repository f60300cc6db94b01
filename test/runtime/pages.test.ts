/** Pages for people on every platform: the headers that say what a browser may do with them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startCloudFront, whyNoCloudFront } from '../support/cloudfront.ts'
import { startNginx, whyNoNginx } from '../support/nginx.ts'
import { startServing } from '../support/product.ts'
import { bucketArgs, credentials, publish } from '../support/publishing.ts'
import { headerOf, rawRequest } from '../support/request.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'
import { buildDemoSite, type Site } from '../support/site.ts'
import { startWorker } from '../support/worker.ts'

const htmlHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

let site: Site
let s3: S3Server

beforeAll(async () => {
  site = await buildDemoSite()
  s3 = await startS3({ buckets: ['fund-data'] })
  await publish(s3.endpoint, 'fund-data', site.out)
  // A page that nginx sends itself.
  writeFileSync(join(site.out, 'docs/large.html'), ' '.repeat(2 * 1024 * 1024))
  s3.put('fund-data', 'blue/docs/large.html', ' '.repeat(2 * 1024 * 1024), { 'content-type': 'text/html' })
  return async () => {
    await s3.stop()
    await site.stop()
  }
})

interface Platform {
  readonly base: string
  readonly stop: () => Promise<unknown>
}

const platforms: Readonly<Record<string, readonly [string | undefined, () => Promise<Platform>]>> = {
  'serve from a folder': [undefined, () => startServing(['--out', site.out])],
  'serve from a bucket': [
    undefined,
    () => startServing(bucketArgs(s3.endpoint, 'fund-data'), { env: credentials }),
  ],
  'nginx with files': [whyNoNginx, () => startNginx({ args: ['--out', site.out, '--hsts', '600'] })],
  'nginx with a bucket': [
    whyNoNginx,
    () => startNginx({ args: [...bucketArgs(s3.endpoint, 'fund-data'), '--hsts', '600'], credentials }),
  ],
  'the Worker': [
    undefined,
    async () => {
      const worker = await startWorker()
      await worker.publish(site.out)
      return worker
    },
  ],
  CloudFront: [
    whyNoCloudFront,
    async () => {
      const cloudFront = await startCloudFront({ s3, bucket: 'fund-data' })
      const live = s3.objects('fund-data').get('live.json')?.body.toString() ?? ''
      const { folder } = (JSON.parse(live) as { readonly downloads: { readonly folder: string } }).downloads
      for (const { keys } of cloudFront.edges) {
        keys['live'] = live
        // As publish --flip-kvs writes it: the folders of a month, without the month.
        keys[`downloads/${folder.slice(0, 7)}`] = folder.slice(8)
      }
      return cloudFront
    },
  ],
}

describe.each(Object.entries(platforms))('%s', (name, [missing, start]) => {
  if (missing !== undefined && process.env['CI'] !== 'true') {
    it.skip(missing, () => undefined)
    return
  }
  let platform: Platform

  beforeAll(async () => {
    platform = await start()
    return () => platform.stop()
  })

  const headersOf = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await rawRequest(platform.base, { target, headers })
    const names = [...Object.keys(htmlHeaders), 'x-content-type-options', 'strict-transport-security']
    return [answer.status, Object.fromEntries(names.map((each) => [each, headerOf(answer, each)]))] as const
  }
  const always = {
    'x-content-type-options': 'nosniff',
    'strict-transport-security': name.startsWith('nginx') ? 'max-age=600' : undefined,
  }
  const none = Object.fromEntries(Object.keys(htmlHeaders).map((each) => [each, undefined]))

  const inManifest = ['/docs/', '/docs/de/explorer/', '/funds/']
  const besides = ['/status/de.html', '/downloads/latest/']

  // The bucket of the Worker's tests holds what the manifest lists.
  it.each(name === 'the Worker' ? inManifest : [...inManifest, ...besides])(
    'tells what a browser may do with %s',
    async (target) => {
      expect(await headersOf(target)).toEqual([200, { ...htmlHeaders, ...always }])
    },
  )

  it.each([
    ['/docs/assets/style.css', 200],
    ['/openapi.json', 200],
    ['/api/v1/prices-current-all/', 200],
    ['/nothing/', 404],
  ])('says nothing of that about %s', async (target, status) => {
    expect(await headersOf(target)).toEqual([status, { ...none, ...always }])
  })

  it.runIf(name.startsWith('nginx'))(
    'does so where nginx sends the file itself, or asks itself',
    async () => {
      const [status, headers] = await headersOf('/docs/large.html')
      expect([status, headers]).toEqual([200, { ...htmlHeaders, ...always }])
      expect(await headersOf('/docs/', { 'if-match': '"x"' })).toEqual([200, { ...htmlHeaders, ...always }])
    },
  )
})
