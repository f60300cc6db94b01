/**
 * What readers of an edge notice while its store does not answer. The store is the S3 server of the tests, behind a line that breaks.
 *
 * Options: --seconds 60 (of the outage; a sixth of it before and after) --edge serve|nginx (both) --line refusing|silent (both)
 *
 * `wrk` asks for cached documents, ranges and refusals in turn over 16 connections. One answer that is not what it was before ends the
 * benchmark. Beside it, one client asks for what is not cached.
 */

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { firstIsin } from '../edge/runtime/deployments.ts'
import { openLine, type LineState } from '../support/line.ts'
import { startBehindNginx } from '../support/nginx.ts'
import { mustRun, startServing } from '../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../support/publishing.ts'
import { startS3 } from '../support/s3/server.ts'
import { bench, isThere, Missing, type Measures, type Table } from './bench.ts'

const bucket = 'fund-data'
const edges = {
  serve: (args: readonly string[]) => startServing(args, { env: credentials }),
  nginx: (args: readonly string[]) => startBehindNginx(args, { env: credentials }),
}
const lines: readonly LineState[] = ['refusing', 'silent']

const options = {
  seconds: { type: 'string', default: '60' },
  edge: { type: 'string' },
  line: { type: 'string' },
} as const

export const run = bench(options, async (folder, { seconds, edge: onlyEdge, line: onlyLine }) => {
  if (!isThere('wrk')) throw new Missing('wrk makes the load: apt-get install wrk')
  const out = join(folder, 'out')
  const db = join(folder, 'funds.sqlite')
  await mustRun([
    'init',
    '--demo',
    '--db',
    db,
    '--funds',
    '20',
    '--years',
    '3',
    '--until',
    '2026-11-18',
    '--quiet',
  ])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', '2026-11-19', '--no-pages', '--quiet'])
  const isin = firstIsin(out)
  const cached = [
    `prices-current/${isin}/`,
    `prices-historic/${isin}/2026-09-15/2026-10-14/`,
    `prices-current/${isin}/?format=xml`,
    `prices-historic/${isin}/2024-09-15/2026-10-14/?format=xml`,
  ].map((path) => `/api/v1/${path}`)
  const script = join(folder, 'cached.lua')
  writeFileSync(
    script,
    `local paths = { ${cached.map((path) => `"${path}"`).join(', ')} }
     local turn = 0
     request = function() turn = turn + 1; return wrk.format("GET", paths[turn % #paths + 1]) end`,
  )
  const tables: Table[] = []
  for (const [name, start] of Object.entries(edges)) {
    if ((onlyEdge ?? name) !== name) continue
    for (const state of lines) {
      if ((onlyLine ?? state) !== state) continue
      const s3 = await startS3({ buckets: [bucket] })
      await mustRun(publishArgs(s3.endpoint, bucket, out), { env: credentials })
      const line = await openLine(s3.endpoint)
      const edge = await start(bucketArgs(line.endpoint, bucket))
      try {
        const rows: Record<string, Measures> = {}
        const spell = Math.max(1, Math.round(Number(seconds) / 6))
        for (const path of cached) await timeTo(200, edge.base + path)
        rows['before'] = await wrk(edge.base, script, spell)
        const during = wrk(edge.base, script, Number(seconds))
        await setTimeout(200)
        await line.set(state)
        const refusals: number[] = []
        for (const end = Date.now() + Number(seconds) * 900; Date.now() < end;) {
          refusals.push(await timeTo(503, `${edge.base}/api/v1/prices-current-all/`))
          await setTimeout(500)
        }
        rows['during'] = { ...(await during), 'longest 503, ms': Math.max(...refusals) }
        await line.set('open')
        const back = performance.now()
        while ((await ask(`${edge.base}/api/v1/prices-current-all/`)) !== 200) await setTimeout(20)
        rows['after'] = {
          'back after, ms': performance.now() - back,
          ...(await wrk(edge.base, script, spell)),
        }
        const about = `${seconds} s under load, of what is cached`
        tables.push({ name: `${name}, its store ${state}`, about, rows })
      } finally {
        await edge.stop()
        await line.stop()
        await s3.stop()
      }
    }
  }
  return tables
})

/** @returns the status; no connection is kept */
const ask = (url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })

/** @returns in milliseconds @throws {Error} for another status */
async function timeTo(wanted: number, url: string): Promise<number> {
  const began = performance.now()
  const status = await ask(url)
  if (status !== wanted) throw new Error(`${url} is answered with ${status}, not ${wanted}`)
  return performance.now() - began
}

/** @throws {Error} if one answer was no success */
async function wrk(base: string, script: string, seconds: number) {
  const args = ['-t1', '-c16', `-d${seconds}s`, '--timeout', '10s', '--latency', '-s', script, base]
  const { stdout } = await promisify(execFile)('wrk', args)
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  const toMs = { us: 0.001, ms: 1, s: 1000, m: 60_000 }
  const time = (pattern: string) => {
    const [, value, unit] = new RegExp(`${pattern}\\s+([\\d.]+)(us|ms|s|m)\\b`, 'm').exec(stdout) ?? []
    return Number(value) * toMs[unit as keyof typeof toMs]
  }
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  return {
    'requests/s': perSecond,
    'p50, ms': time('^\\s+50%'),
    'p99, ms': time('^\\s+99%'),
    'longest, ms': time('Latency\\s+\\S+\\s+\\S+'),
  }
}
