/**
 * What readers of an edge notice while its store does not answer. The store is the S3 server of the tests, behind a line that breaks.
 *
 * Options: --seconds 60 (of the outage; a sixth of it before and after) --edge serve|nginx (both) --line refusing|silent (both)
 *
 * `wrk` asks for cached documents, ranges and refusals in turn over 16 connections. One answer that is not what it was before ends the
 * benchmark. Beside it, one client asks for what is not cached.
 */

import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openLine, type LineState } from '../support/line.ts'
import { startBehindNginx } from '../support/nginx.ts'
import { mustRun, startServing } from '../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../support/publishing.ts'
import { startS3 } from '../support/s3/server.ts'
import { assertWrk, bench, demoSnapshot, wrk, type Measures, type Table } from './bench.ts'

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

export const run = bench(options, async (folder, { seconds: given, edge: onlyEdge, line: onlyLine }) => {
  assertWrk()
  const { out, isin } = await demoSnapshot(folder, 20, 3)
  const seconds = Number(given)
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
  const load = (base: string, lasts: number) =>
    wrk(base, { seconds: lasts, connections: 16, args: ['-s', script] })
  const tables: Table[] = []
  for (const [name, start] of Object.entries(edges)) {
    for (const state of lines) {
      if ((onlyEdge ?? name) !== name || (onlyLine ?? state) !== state) continue
      const s3 = await startS3({ buckets: [bucket] })
      await mustRun(publishArgs(s3.endpoint, bucket, out), { env: credentials })
      const line = await openLine(s3.endpoint)
      const edge = await start(bucketArgs(line.endpoint, bucket))
      const breakLine = () => line.set(state)
      const mendLine = () => line.set('open')
      try {
        for (const path of cached) await timeTo(200, edge.base + path)
        const rows = await measure(edge.base, seconds, load, breakLine, mendLine)
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

type LoadOf = (base: string, seconds: number) => ReturnType<typeof wrk>

async function measure(
  base: string,
  seconds: number,
  load: LoadOf,
  breakLine: () => Promise<void>,
  mendLine: () => Promise<void>,
): Promise<Record<string, Measures>> {
  const spell = Math.max(1, Math.round(seconds / 6))
  const uncached = `${base}/api/v1/prices-current-all/`
  const before = await load(base, spell)
  const during = load(base, seconds)
  await setTimeout(200)
  await breakLine()
  const refusals: number[] = []
  for (const end = Date.now() + seconds * 900; Date.now() < end;) {
    refusals.push(await timeTo(503, uncached))
    await setTimeout(500)
  }
  const underway = { ...(await during), 'longest 503, ms': Math.max(...refusals) }
  await mendLine()
  const back = performance.now()
  while ((await ask(uncached)) !== 200) await setTimeout(20)
  const backAfter = performance.now() - back
  return { before, during: underway, after: { 'back after, ms': backAfter, ...(await load(base, spell)) } }
}

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
