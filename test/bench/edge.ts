/**
 * What the edge can take on each platform, beside a dynamic server of the kind that users run today, on this machine.
 *
 * Options: --seconds 5 (of load, for each figure) --connections 16
 *
 * The load comes from `wrk` (a Debian package), one thread of it, over connections that stay open, from the same
 * machine: it takes a part of one core away from what is measured. Nothing is compressed: wrk asks for nothing else.
 * Every answer that is measured is compared first: all platforms give the same bytes.
 */

import { spawn, spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { mustRun, startServer } from '../support/product.ts'
import { startNginx, whyNoNginx } from '../support/nginx.ts'
import { startWorker } from '../support/worker.ts'
import { bench, printTable } from './bench.ts'

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
  const plain = { 'the file without njs': `/plain/v1/prices-current/${isin}/` }
  const rows = [['', 'answer', 'bytes', 'requests/s', 'p50', 'p99']]
  const expected = new Map<string, string>()
  for (const [platform, start] of Object.entries(subjects)) {
    if (platform.startsWith('nginx') && whyNoNginx !== undefined) {
      process.stderr.write(`without nginx: ${whyNoNginx}\n`)
      continue
    }
    const subject = await start({ folder, out, db })
    try {
      const asked = { ...targets, ...('hasPlain' in subject ? plain : {}) }
      for (const [name, target] of Object.entries(asked)) {
        const body = await bodyOf(subject.base + target)
        const wanted = expected.get(name) ?? body
        expected.set(name, wanted)
        if (body !== wanted) throw new Error(`${platform} answers ${target} otherwise`)
        rows.push([platform, name, String(Buffer.byteLength(body)), ...wrk(subject.base + target, load)])
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
}

/** Each gives its address, and may have a target of its own. */
const subjects = {
  'nginx, 1 worker': async ({ folder, out }: Place) => {
    const live = join(folder, 'live')
    symlinkSync(out, live)
    // The same file, without njs: the limit.
    const locations = `location /plain/ { alias ${out}/api/; index index.json; }`
    return { ...(await startNginx({ args: ['--out', live], locations })), hasPlain: true }
  },
  workerd: async ({ out }: Place) => {
    const worker = await startWorker({ isWatched: false, liveTtlSeconds: 5 })
    await worker.publish(out)
    return worker
  },
  'fundpress serve': ({ out }: Place) => startServer(out),
  'a dynamic server': async ({ db }: Place) => {
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

/** @returns requests per second, p50, p99 @throws {Error} if one answer was no success */
function wrk(url: string, { seconds, connections }: Record<keyof typeof options, string>) {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', url]
  // Compilers and caches get warm first.
  spawnSync('wrk', ['-t1', `-c${connections}`, '-d1s', url])
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' })
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`)
  const of = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? '?'
  const perSecond = Math.round(Number(of(/Requests\/sec:\s+([\d.]+)/))).toLocaleString('en')
  return [perSecond, of(/^\s+50%\s+(\S+)/m), of(/^\s+99%\s+(\S+)/m)]
}
