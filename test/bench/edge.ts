/**
 * What the edge can take on each platform, beside a dynamic server of the kind that users run today, on this machine.
 *
 * Options: --seconds 1 (of load, for each figure and round) --rounds 2 --connections 16
 *
 * The load comes from `wrk` (a Debian package), one thread of it, over connections that stay open, from the same
 * machine: it takes a part of one core away from what is measured. Nothing is compressed: wrk asks for nothing else.
 * Every answer that is measured is compared first: all platforms give the same bytes.
 */

import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { mustRun, startServer } from '../support/product.ts'
import { startBehindNginx, whyNoNginx } from '../support/nginx.ts'
import { startWorker } from '../support/worker.ts'
import { alternate, bench, isThere, Missing, type Measures, type Table } from './bench.ts'

const options = {
  seconds: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '16' },
} as const

const rawNginx = 'raw nginx, a plain file'
const dynamic = 'a dynamic server'

export const run = bench(options, async (folder, { rounds, ...load }) => {
  if (!isThere('wrk')) throw new Missing('wrk makes the load: apt-get install wrk')
  const db = join(folder, 'funds.sqlite')
  const out = join(folder, 'out')
  await mustRun([
    'init',
    '--demo',
    '--db',
    db,
    '--funds',
    '20',
    '--years',
    '11',
    '--until',
    '2026-11-18',
    '--quiet',
  ])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', '2026-11-19', '--quiet'])
  const isin = fundWithLongHistory(db)
  const targets = {
    'a document': `/api/v1/prices-current/${isin}/`,
    'one month': `/api/v1/prices-historic/${isin}/2026-09-15/2026-10-14/`,
    'ten years': `/api/v1/prices-historic/${isin}/2016-10-15/2026-10-14/`,
  }
  const bases: Record<string, string> = {}
  const stops: (() => unknown)[] = []
  try {
    for (const [platform, start] of Object.entries(subjects)) {
      if (platform.startsWith('nginx') && whyNoNginx !== undefined) {
        process.stderr.write(`without nginx: ${whyNoNginx}\n`)
        continue
      }
      const { base, stop } = await start({ folder, out, db })
      stops.push(stop)
      bases[platform] = base
    }
    const tables: Table[] = []
    for (const [name, target] of Object.entries(targets)) {
      const urls = Object.entries(bases).map(([platform, base]) => [platform, base + target] as const)
      const bytes = await bytesOf(urls.map(([, url]) => url))
      const { nginx } = bases
      // The limit, whatever is asked.
      if (nginx !== undefined) urls.unshift([rawNginx, `${nginx}/plain/v1/prices-current/${isin}/`])
      // In the first round compilers and caches get warm: the median leaves it out.
      const rows = await alternate(
        Number(rounds),
        Object.fromEntries(urls.map(([platform, url]) => [platform, () => wrk(url, load)])),
      )
      const by = 'requests/s'
      tables.push({
        name,
        about: `${bytes.toLocaleString('en')} bytes; ${load.connections} connections, medians of ${rounds} rounds of ${load.seconds} s`,
        rows,
        ratios: {
          ...(nginx === undefined ? {} : { 'of raw nginx': { by, of: rawNginx } }),
          'of dynamic': { by, of: dynamic },
        },
        goals: goals[name] ?? {},
      })
    }
    const { 'fundpress serve': served = '', [dynamic]: other = '' } = bases
    const script = join(folder, 'months.lua')
    writeFileSync(script, otherMonths(isin))
    const more: Readonly<Record<string, readonly [target: string, ...args: string[]]>> = {
      'one year': [`/api/v1/prices-historic/${isin}/2025-10-15/2026-10-14/`],
      'a month, each time another one': ['/', '-s', script],
      'a document, gzip': [targets['a document'], '-H', 'Accept-Encoding: gzip'],
      'an unknown fund': ['/api/v1/profile/DE0008471400/'],
    }
    const rows: Record<string, Measures> = {}
    for (const [name, [target, ...args]] of Object.entries(more)) {
      const speed = (base: string) => wrk(base + target, { ...load, args, mayRefuse: true })['requests/s']
      const rounded = await alternate(Number(rounds), {
        [name]: () => {
          const [serve, usual] = [speed(served), speed(other)]
          return { 'of dynamic': serve / usual, 'serve, requests/s': serve, 'dynamic, requests/s': usual }
        },
      })
      Object.assign(rows, rounded)
    }
    tables.push({
      name: 'other requests to fundpress serve',
      about: `the dynamic server answers all of them in uncompressed JSON; ${load.connections} connections, medians of ${rounds} rounds of ${load.seconds} s`,
      rows,
      goals: Object.fromEntries(Object.keys(more).map((name) => [name, { 'of dynamic': 'at least 1' }])),
    })
    return tables
  } finally {
    for (const stop of stops) await stop()
  }
})

const goals: Readonly<Record<string, Table['goals']>> = {
  'a document': {
    nginx: { 'of raw nginx': 'at least 0.6' },
    'fundpress serve': { 'of dynamic': 'at least 2' },
  },
  'one month': {
    nginx: { 'of raw nginx': 'at least 0.1' },
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

interface Place {
  readonly folder: string
  readonly out: string
  readonly db: string
}

/** Each gives its address. */
const subjects = {
  nginx: ({ out }: Place) => {
    // A file without `serve`: the limit.
    const plain = `    location /plain/ { alias ${out}/api/; index index.json; }\n    location / {`
    return startBehindNginx(['--out', out], { settings: { '    location / {': plain }, workers: 1 })
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

/** The first fund that was there ten years ago. */
function fundWithLongHistory(file: string): string {
  const db = new Database(file, { readonly: true })
  const permitted = 'data_permitted AND prices_permitted'
  const isin = db
    .prepare<[], string>(
      `SELECT isin FROM price JOIN fund USING (isin) WHERE date < '2016-10-15' AND ${permitted} LIMIT 1`,
    )
    .pluck()
    .get()
  db.close()
  if (isin === undefined) throw new Error('no fund of the demo is ten years old')
  return isin
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

interface Load extends Readonly<Record<'seconds' | 'connections', string>> {
  readonly args?: readonly string[]
  readonly mayRefuse?: boolean
}

/** @throws {Error} if one answer was no success */
function wrk(url: string, { seconds, connections, args: more = [], mayRefuse = false }: Load) {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...more, url]
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' })
  if (stdout.includes('Socket errors') || (!mayRefuse && stdout.includes('Non-2xx')))
    throw new Error(`${url}: ${stdout}`)
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  const milliseconds = { us: 0.001, ms: 1, s: 1000, m: 60_000 }
  const percentile = (of: number) => {
    const [, value, unit] = new RegExp(`^\\s+${of}%\\s+([\\d.]+)(us|ms|s|m)$`, 'm').exec(stdout) ?? []
    return Number(value) * milliseconds[unit as keyof typeof milliseconds]
  }
  return { 'requests/s': perSecond, 'p50, ms': percentile(50), 'p99, ms': percentile(99) }
}
