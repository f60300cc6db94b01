/**
 * What the edge can take on each platform, beside a dynamic server of the kind that users run today, on this machine.
 *
 * Options: --seconds 1 (of load, for each figure and round) --rounds 2 --connections 16
 *
 * The load comes from `wrk` (a Debian package), one thread of it, over connections that stay open, from the same
 * machine: it takes a part of one core away from what is measured. Nothing is compressed: wrk asks for nothing else.
 * Every answer that is measured is compared first: all platforms give the same bytes. Raw nginx is as fast as it can be: one small file,
 * named itself, which stays open (`open_file_cache`).
 */

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startServer } from '../support/product.ts'
import { startBehindNginx, whyNoNginx } from '../support/nginx.ts'
import { startWorker } from '../support/worker.ts'
import { alternate, assertWrk, bench, demoSnapshot, wrk, type Measures, type Table } from './bench.ts'

const options = {
  seconds: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '16' },
} as const

const rawNginx = 'raw nginx, a plain file'
/** What nginx reaches with none of our rules: no key but the address, nothing compared. */
const cacheAlone = 'nginx, its cache alone'
const dynamic = 'a dynamic server'

interface Load {
  readonly seconds: number
  readonly connections: number
}

export const run = bench(options, async (folder, { rounds: given, seconds, connections }) => {
  assertWrk()
  const demo = await demoSnapshot(folder, 20, 11)
  const rounds = Number(given)
  const load = { seconds: Number(seconds), connections: Number(connections) }
  const stops: (() => unknown)[] = []
  try {
    const bases: Record<string, string> = {}
    for (const [platform, start] of Object.entries(subjects)) {
      if (platform === 'nginx' && whyNoNginx !== undefined) {
        process.stderr.write(`without nginx: ${whyNoNginx}\n`)
        continue
      }
      const { base, stop } = await start(demo)
      stops.push(stop)
      bases[platform] = base
    }
    const tables: Table[] = []
    for (const [name, target] of Object.entries(targetsOf(demo.isin)))
      tables.push(await besideOthers(name, target, bases, rounds, load))
    return [...tables, await ofServe(folder, demo.isin, bases, rounds, load)]
  } finally {
    for (const stop of stops) await stop()
  }
})

const targetsOf = (isin: string) => ({
  'a document': documentOf(isin),
  'one month': `/api/v1/prices-historic/${isin}/2026-09-15/2026-10-14/`,
  'ten years': `/api/v1/prices-historic/${isin}/2016-10-15/2026-10-14/`,
})

const documentOf = (isin: string) => `/api/v1/prices-current/${isin}/`

const describe = ({ connections, seconds }: Load, rounds: number) =>
  `${connections} connections, medians of ${rounds} rounds of ${seconds} s`

/** One target on all platforms. */
async function besideOthers(
  name: string,
  target: string,
  bases: Readonly<Record<string, string>>,
  rounds: number,
  load: Load,
): Promise<Table> {
  const urls = Object.entries(bases).map(([platform, base]) => [platform, base + target] as const)
  const bytes = await bytesOf(urls.map(([, url]) => url))
  const { nginx } = bases
  // The limits: a file of a document, whatever is asked, and the same answer in a cache.
  if (nginx !== undefined)
    urls.unshift([rawNginx, `${nginx}/plain/index.json`], [cacheAlone, `${nginx}/cached${target}`])
  // In the first round compilers and caches get warm: the median leaves it out.
  const rows = await alternate(
    rounds,
    Object.fromEntries(urls.map(([platform, url]) => [platform, () => wrk(url, load)])),
  )
  const by = 'requests/s'
  const ofNginx = nginx === undefined ? {} : { 'of raw nginx': { by, of: rawNginx } }
  return {
    name,
    about: `${bytes.toLocaleString('en')} bytes; ${describe(load, rounds)}`,
    rows,
    ratios: { ...ofNginx, 'of dynamic': { by, of: dynamic } },
    goals: goals[name] ?? {},
  }
}

/** Requests that only `serve` and the dynamic server are asked. */
async function ofServe(
  folder: string,
  isin: string,
  { 'fundpress serve': served = '', [dynamic]: other = '' }: Readonly<Record<string, string>>,
  rounds: number,
  load: Load,
): Promise<Table> {
  const script = join(folder, 'months.lua')
  writeFileSync(script, otherMonths(isin))
  const targets: Readonly<Record<string, readonly [target: string, ...args: string[]]>> = {
    'one year': [`/api/v1/prices-historic/${isin}/2025-10-15/2026-10-14/`],
    'a month, each time another one': ['/', '-s', script],
    'a document, gzip': [documentOf(isin), '-H', 'Accept-Encoding: gzip'],
    'an unknown fund': ['/api/v1/profile/DE0008471400/'],
  }
  const rows: Record<string, Measures> = {}
  for (const [name, [target, ...args]] of Object.entries(targets)) {
    const speed = async (base: string) =>
      (await wrk(base + target, { ...load, args, mayRefuse: true }))['requests/s']
    const measure = async () => {
      const serve = await speed(served)
      const usual = await speed(other)
      return { 'of dynamic': serve / usual, 'serve, requests/s': serve, 'dynamic, requests/s': usual }
    }
    Object.assign(rows, await alternate(rounds, { [name]: measure }))
  }
  return {
    name: 'other requests to fundpress serve',
    about: `the dynamic server answers all of them in uncompressed JSON; ${describe(load, rounds)}`,
    rows,
    goals: Object.fromEntries(Object.keys(targets).map((name) => [name, { 'of dynamic': 'at least 1' }])),
  }
}

const goals: Readonly<Record<string, Table['goals']>> = {
  'a document': {
    nginx: { 'of raw nginx': 'at least 0.75' },
    'fundpress serve': { 'of dynamic': 'at least 2' },
  },
  'one month': {
    nginx: { 'of raw nginx': 'at least 0.65' },
    'fundpress serve': { 'of dynamic': 'at least 1' },
  },
  'ten years': { 'fundpress serve': { 'of dynamic': 'at least 1' } },
}

/** @returns the size of the answer @throws {Error} if not all platforms give the same */
async function bytesOf(urls: readonly string[]): Promise<number> {
  const [first = '', ...others] = await Promise.all(urls.map(bodyOf))
  const index = others.findIndex((body) => body !== first)
  if (index >= 0) throw new Error(`${urls[index + 1] ?? ''} answers otherwise than ${urls[0] ?? ''}`)
  return Buffer.byteLength(first)
}

type Place = Awaited<ReturnType<typeof demoSnapshot>>

/** Each gives its address. */
const subjects = {
  nginx: ({ out, isin }: Place) => {
    // The document's file without `serve`: the limit. The server's `open_file_cache` holds here, too.
    const plain = `    location /plain/ { alias ${out}${documentOf(isin)}; }\n`
    const cached =
      '    location /cached/ { proxy_pass http://fundpress/; proxy_cache fundpress_documents; ' +
      'proxy_cache_key $request_uri; proxy_no_cache 0; proxy_set_header Connection ""; }\n'
    const settings = { '    location / {': `${plain}${cached}    location / {` }
    return startBehindNginx(['--out', out], { settings, workers: 1 })
  },
  workerd: async ({ out }: Place) => {
    const worker = await startWorker({ isWatched: false, liveTtlSeconds: 5 })
    await worker.publish(out)
    return worker
  },
  'fundpress serve': ({ out }: Place) => startServer(out),
  [dynamic]: async ({ db }: Place) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'dynamic-server.ts'), db], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [address] = (await once(child.stdout, 'data')) as [Buffer]
    const stop = async () => {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    }
    return { base: address.toString(), stop }
  },
}

async function bodyOf(url: string): Promise<string> {
  // No connection is kept: nobody looks after it while wrk runs.
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode ?? 0}`)
  return text(response)
}

/** For wrk: date ranges of a month, of which none comes again in a minute. */
const otherMonths = (isin: string) => `
  local count = 0
  request = function()
    count = count + 1
    local path = '/api/v1/prices-historic/${isin}/%d-%02d-%02d/%d-%02d-%02d/?%d'
    local year, month, day = 2016 + count % 10, 1 + count % 11, 10 + count % 17
    return wrk.format('GET', string.format(path, year, month, day, year, month + 1, day, count))
  end`
