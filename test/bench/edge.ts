/**
 * What the edge can take on each platform, beside a dynamic server of the kind that users run today, on this machine.
 *
 * Options: --seconds 5 (of load, for each figure) --connections 16
 *
 * The load comes from `wrk` (a Debian package), one thread of it, over connections that stay open, from the same
 * machine: it takes a part of one core away from what is measured. Nothing is compressed: wrk asks for nothing else.
 * Every answer that is measured is compared first: all platforms give the same bytes.
 */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { mustRun, repository, startServer } from '../support/product.ts'
import { startNginx, whyNoNginx } from '../support/nginx.ts'
import { startWorker } from '../support/worker.ts'
import { bench, printTable } from './bench.ts'

interface Subject {
  readonly name: string
  readonly base: string
  /** What it is asked for; others of the list it has not. */
  readonly targets: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

const options = {
  seconds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '16' },
} as const

export const run = bench(options, async (folder, load) => {
  if (spawnSync('wrk', ['-v']).error !== undefined) throw new Error('wrk makes the load: apt-get install wrk')
  const db = join(folder, 'funds.sqlite')
  const out = join(folder, 'out')
  await mustRun(['demo', '--db', db, '--funds', '20', '--years', '11', '--until', '2026-11-18', '--quiet'])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', '2026-11-19', '--quiet'])
  const isin = fundWithLongHistory(db)
  const targets = {
    'a document': `/api/v1/prices-current/${isin}/`,
    'one month': `/api/v1/prices-historic/${isin}/2026-09-15/2026-10-14/`,
    'ten years': `/api/v1/prices-historic/${isin}/2016-10-15/2026-10-14/`,
  }
  const rows = [['', 'answer', 'bytes', 'requests/s', 'p50', 'p99']]
  const expected = new Map<string, string>()
  for (const start of [nginx, worker, serve, dynamicServer]) {
    const subject = await start({ folder, out, db, targets })
    if (subject === null) continue
    try {
      for (const [name, target] of Object.entries(subject.targets)) {
        const body = await bodyOf(subject.base + target)
        const wanted = expected.get(name) ?? body
        expected.set(name, wanted)
        if (body !== wanted) throw new Error(`${subject.name} answers ${target} otherwise`)
        const { perSecond, p50, p99 } = wrk(subject.base + target, load)
        const figure = perSecond.toLocaleString('en', { maximumFractionDigits: 0 })
        rows.push([subject.name, name, String(Buffer.byteLength(body)), figure, p50, p99])
      }
    } finally {
      await subject.stop()
    }
  }
  process.stdout.write(`${load.connections} connections, ${load.seconds} s each\n\n`)
  printTable(rows)
})

interface Place {
  readonly folder: string
  readonly out: string
  readonly db: string
  readonly targets: Readonly<Record<string, string>>
}

async function nginx({ folder, out, targets }: Place): Promise<Subject | null> {
  if (whyNoNginx !== undefined) {
    process.stderr.write(`without nginx: ${whyNoNginx}\n`)
    return null
  }
  const live = join(folder, 'live')
  symlinkSync(out, live)
  const plain = targets['a document']?.replace('/api/', '/plain/') ?? ''
  const { base, stop } = await startNginx({
    args: ['--out', live],
    workers: 1,
    // The same file, without njs: the limit.
    locations: `location /plain/ { alias ${out}/api/; index index.json; }`,
  })
  return { name: 'nginx, 1 worker', base, targets: { ...targets, 'the file without njs': plain }, stop }
}

async function worker({ out, targets }: Place): Promise<Subject> {
  const { base, publish, stop } = await startWorker({ isWatched: false, liveTtlSeconds: 5 })
  await publish(out)
  return { name: 'workerd', base, targets, stop }
}

async function serve({ out, targets }: Place): Promise<Subject> {
  return { name: 'fundpress serve', targets, ...(await startServer(out)) }
}

async function dynamicServer({ db, targets }: Place): Promise<Subject> {
  const child = spawn(process.execPath, [new URL('dynamic-server.ts', import.meta.url).pathname, db], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
  }
  return { name: 'a dynamic server', base: await addressOf(child), targets, stop }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let said = ''
  for await (const chunk of child.stdout ?? []) {
    said += String(chunk)
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`it does not start: ${said}`)
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
  const row = db
    .prepare<[], { isin: string }>(
      "SELECT isin FROM price JOIN fund USING (isin) WHERE date < '2016-10-15' AND data_permitted AND prices_permitted LIMIT 1",
    )
    .get()
  db.close()
  if (row === undefined) throw new Error('no fund of the demo is ten years old')
  return row.isin
}

/** @throws {Error} if one answer was no success */
function wrk(url: string, { seconds, connections }: Record<keyof typeof options, string>) {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', url]
  // Compilers and caches get warm first.
  spawnSync('wrk', ['-t1', `-c${connections}`, '-d1s', url])
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' })
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`)
  const of = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? '?'
  return {
    perSecond: Number(of(/Requests\/sec:\s+([\d.]+)/)),
    p50: of(/^\s+50%\s+(\S+)/m),
    p99: of(/^\s+99%\s+(\S+)/m),
  }
}
