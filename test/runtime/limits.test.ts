/** What is too long for every platform is refused alike by every platform, and nothing that is long takes much of a CPU. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startCloudFront, whyNoCloudFront } from '../support/cloudfront.ts'
import { startNginx, whyNoNginx } from '../support/nginx.ts'
import { docsUrl, startServing } from '../support/product.ts'
import { bucketArgs, credentials, publish } from '../support/publishing.ts'
import { headerOf, rawRequest, type RawRequest } from '../support/request.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'
import { buildDemo, fundWithEverything, type Snapshot } from '../support/snapshots.ts'
import { startFront } from '../support/worker-front.ts'
import { startWorker } from '../support/worker.ts'

interface Platform {
  readonly base: string
  /** The process that answers, where its CPU time can be read. */
  readonly pid?: number
  /** The requests that the store got since the last call, where they can be counted. */
  readonly asked?: () => Promise<readonly string[]>
  readonly stop: () => Promise<unknown>
}

/** The keys that were asked for; the pointer to the live slot aside. */
function askedOf(s3: S3Server): () => Promise<readonly string[]> {
  let seen = 0
  return () => {
    const since = s3.log.slice(seen)
    seen = s3.log.length
    return Promise.resolve(since.map(({ key }) => key).filter((key) => key !== 'live.json'))
  }
}

async function filledS3({ out }: Snapshot): Promise<S3Server> {
  const s3 = await startS3({ buckets: ['fund-data'] })
  await publish(s3.endpoint, 'fund-data', out)
  return s3
}

const platforms: Readonly<
  Record<string, readonly [string | undefined, (of: Snapshot) => Promise<Platform>]>
> = {
  'serve from a folder': [
    undefined,
    async ({ out }) => {
      const server = await startServing(['--out', out])
      return { base: server.base, pid: server.pid, stop: server.stop }
    },
  ],
  'serve from a bucket': [
    undefined,
    async (snapshot) => {
      const s3 = await filledS3(snapshot)
      const server = await startServing(bucketArgs(s3.endpoint, 'fund-data'), { env: credentials })
      const stop = () => Promise.all([server.stop(), s3.stop()])
      return { base: server.base, asked: askedOf(s3), stop }
    },
  ],
  'nginx with files': [
    whyNoNginx,
    async ({ out }) => {
      const nginx = await startNginx({ args: ['--out', out] })
      return { base: nginx.base, pid: nginx.pid, stop: nginx.stop }
    },
  ],
  'nginx with a bucket': [
    whyNoNginx,
    async (snapshot) => {
      const s3 = await filledS3(snapshot)
      const nginx = await startNginx({ args: bucketArgs(s3.endpoint, 'fund-data'), credentials })
      const stop = () => Promise.all([nginx.stop(), s3.stop()])
      return { base: nginx.base, pid: nginx.pid, asked: askedOf(s3), stop }
    },
  ],
  'the Worker': [
    undefined,
    async ({ out }) => {
      const worker = await startWorker()
      const front = await startFront(worker.base)
      await worker.publish(out)
      const asked = async () =>
        (await worker.calls()).map((call) => call.split(' ')[1] ?? '').filter((key) => key !== 'live.json')
      return { base: front.base, asked, stop: () => Promise.all([front.stop(), worker.stop()]) }
    },
  ],
  CloudFront: [
    whyNoCloudFront,
    async (snapshot) => {
      const s3 = await filledS3(snapshot)
      const cloudFront = await startCloudFront({ s3, bucket: 'fund-data' })
      const [edge] = cloudFront.edges
      if (edge !== undefined)
        edge.keys['live'] = s3.objects('fund-data').get('live.json')?.body.toString() ?? ''
      const stop = () => Promise.all([cloudFront.stop(), s3.stop()])
      return { base: cloudFront.base, asked: askedOf(s3), stop }
    },
  ],
}

const kilobytes = (count: number, text = 'a'): string => text.repeat((count * 1024) / text.length)

describe.each(Object.entries(platforms))('%s', (name, [missing, start]) => {
  if (missing !== undefined && process.env['CI'] !== 'true') {
    it.skip(missing, () => undefined)
    return
  }
  let snapshot: Snapshot
  let platform: Platform
  let isin: string

  beforeAll(async () => {
    snapshot = await buildDemo()
    platform = await start(snapshot)
    isin = fundWithEverything(snapshot)
    return async () => {
      await platform.stop()
      snapshot.remove()
    }
  })

  const ask = (request: RawRequest) => rawRequest(platform.base, request)

  // CloudFront itself refuses a URL of more than 8,192 bytes.
  it.skipIf(name === 'CloudFront')(
    'refuses an address of more than 16 KB with 414, as a document',
    async () => {
      for (const size of [17, 20, 60]) {
        for (const target of [`/${kilobytes(size)}`, `/docs/?${kilobytes(size, '%&')}`]) {
          const answer = await ask({ target })
          expect([size, answer.status]).toEqual([size, 414])
          expect(JSON.parse(answer.body.toString())).toEqual({
            title: 'The URL is longer than 16 KB',
            type: 'about:blank',
            status: 414,
          })
          expect(headerOf(answer, 'content-type')).toBe('application/json; charset=utf-8')
          expect(headerOf(answer, 'access-control-allow-origin')).toBe('*')
          expect(headerOf(answer, 'cache-control')).toBe('no-store')
        }
      }
    },
  )

  it('refuses headers of more than 16 KB with 431, as a document', async () => {
    const filler = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`x-${at}`, 'b'.repeat(200)]))
    const large = [{ 'x-large': kilobytes(18) }, filler]
    // Of more than 20,480 bytes CloudFront itself refuses.
    if (name !== 'CloudFront')
      large.push({ accept: kilobytes(60) }, { range: `bytes=${kilobytes(40, ' ')}x` })
    for (const headers of large) {
      const answer = await ask({ target: `/api/v1/figures/${isin}/`, headers })
      expect(answer.status).toBe(431)
      expect(JSON.parse(answer.body.toString())).toEqual({
        title: 'The headers are longer than 16 KB',
        type: 'about:blank',
        status: 431,
      })
      expect(headerOf(answer, 'content-type')).toBe('application/json; charset=utf-8')
    }
  })

  it('answers what is almost that long as ever', async () => {
    const target = `/api/v1/figures/${isin}/`
    const expected = snapshot.oracle.answer({ target })
    const size = name === 'CloudFront' ? 7 : 15
    for (const request of [
      { target: `${target}?${kilobytes(size, '%&')}` },
      { target, headers: { 'x-large': kilobytes(15) } },
      { target, headers: { range: `bytes=${kilobytes(15, ' ')}x` } },
    ]) {
      const { status, body } = await ask(request)
      expect([status, body.toString()]).toEqual([200, expected.body])
    }
  })

  it('answers 404 to a path that nothing can lie at, without asking the store', async () => {
    await platform.asked?.()
    for (const path of [
      `/docs/${'a'.repeat(256)}`,
      `/docs/${'a'.repeat(256)}/index.html`,
      `/docs${'/aaaaaaa'.repeat(120)}/`,
      `/docs${'/aaaaaaa'.repeat(700)}.html`,
      `/api/v1/investment_structure-${'a'.repeat(256)}/${isin}/`,
      `/api/v1/prices-historic/${isin}/${'9'.repeat(300)}/2024-01-01/`,
      `/${'%C3%A4&'.repeat(1000)}`,
    ]) {
      const title = `There is no such endpoint: ${decodeURIComponent(path)}`
      const { status, body } = await ask({ target: `${path}?format=json` })
      const type = `${docsUrl}/v1/endpoints/index/#error-404-noendpoint`
      expect([status, JSON.parse(body.toString())]).toEqual([404, { title, type, status: 404 }])
      const inXml = await ask({ target: `${path}?format=xml` })
      const escaped = title.replaceAll('&', '&amp;')
      expect(inXml.body.toString()).toBe(
        `<?xml version="1.0" encoding="UTF-8"?>\n<root><title>${escaped}</title><type>${type}</type><status>404</status></root>`,
      )
    }
    const asked = (await platform.asked?.()) ?? []
    // The error that nginx reads tells it where the documentation is.
    expect(asked.filter((key) => key.includes('docs/') || key.includes('api/'))).toEqual([])
  })

  it('asks the store for the longest path that something can lie at, and finds nothing', async () => {
    const answer = await ask({ target: `/docs/${'a'.repeat(250)}.html` })
    expect(answer.status).toBe(404)
  })

  it('takes a parameter for another one whose name is percent-encoded', async () => {
    const target = `/api/v1/figures/${isin}/?%66ormat=xml&l%61nguage=fr`
    const { status, body } = await ask({ target })
    expect([status, body.toString()]).toEqual([
      200,
      snapshot.oracle.answer({ target: `/api/v1/figures/${isin}/` }).body,
    ])
  })

  it.each([
    ['broken', '%zz%C3%A4', '%zz%C3%A4'],
    ['short', '%C3%A4+%2B', 'ä +'],
    ['of 253 bytes', `+${'%C3%A4'.repeat(42)}`, ` ${'ä'.repeat(42)}`],
    ['of 259 bytes', `+${'%C3%A4'.repeat(43)}`, `+${'%C3%A4'.repeat(43)}`],
    ['of 6,000 bytes', '%'.repeat(6000), '%'.repeat(6000)],
  ])('shows an unsupported format that is %s', async (_, sent, shown) => {
    const { status, body } = await ask({ target: `/api/v1/figures/${isin}/?format=${sent}` })
    expect([status, (JSON.parse(body.toString()) as { title: string }).title]).toEqual([
      400,
      `Unsupported format: ${shown}`,
    ])
  })

  it('spends little of its CPU on requests that are long, whatever is in them', async (context) => {
    const { pid } = platform
    if (pid === undefined) {
      context.skip()
      return
    }
    const paths = [`/docs/`, `/api/v1/figures/${isin}/`]
    const hostile: RawRequest[] = [
      ...['%&', 'format=%&', '%C3%A4%&', '+&', 'a=b&', '&', '%'].flatMap((text) =>
        paths.map((path) => ({ target: `${path}?${kilobytes(15, text)}` })),
      ),
      ...['%', '%/', '/', '%C3%A4&', '%C3%A4%', '&%C3%A4%3C', '%00', 'a/', '%C3%A4%01', '{}', '%25'].flatMap(
        (text) => ['json', 'xml'].map((format) => ({ target: `/${kilobytes(15, text)}?format=${format}` })),
      ),
      ...[
        'if-none-match',
        'accept',
        'accept-language',
        'accept-encoding',
        'range',
        'if-modified-since',
      ].flatMap((header) =>
        [
          ' ',
          '"',
          '"a",',
          ',',
          ';',
          ' ;',
          ';q=',
          'gzip',
          ' gzip',
          'en;q=0.1,',
          'bytes=',
          '9',
          '-',
          'W/"',
        ].map((text) => ({
          target: '/docs/',
          headers: { [header]: `bytes=${kilobytes(15, text)}x` },
        })),
      ),
    ]
    await ask({ target: '/docs/' })
    for (const request of hostile) {
      const before = cpuMs(pid)
      const { status } = await ask(request)
      expect(status).toBeLessThan(500)
      const label = `${request.target.slice(0, 30)} ${JSON.stringify(request.headers ?? {}).slice(0, 40)}`
      expect([label, Math.max(cpuMs(pid) - before, 500)]).toEqual([label, 500])
    }
  })
})

/** User and system time of a process and its children so far, in milliseconds. Linux counts hundredths of a second. */
function cpuMs(pid: number): number {
  const read = (name: string) => readFileSync(join('/proc', String(pid), name), 'utf8')
  // What stands before is the name of the program, in brackets.
  const fields = read('stat')
    .replace(/^.*\) /, '')
    .split(' ')
  const children = read(`task/${pid}/children`)
    .trim()
    .split(' ')
    .filter((child) => child !== '')
  const own = (Number(fields[11]) + Number(fields[12])) * 10
  return children.reduce((sum, child) => sum + cpuMs(Number(child)), own)
}
