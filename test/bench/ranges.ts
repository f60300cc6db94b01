/**
 * What a date range costs the Worker and the Lambda, in CPU time and in bytes read. The code is the edge's own; files stand for R2 and
 * S3. `edge.ts` has nginx and `serve`.
 *
 * Options: --times 200 (a range is answered, each round) --rounds 2
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routeTable } from '../../src/core/api/derive/route-table.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { gather, workerSearch } from '../../src/extensions/platforms/cloudflare/respond.ts'
import { answer, type Store } from '../../src/core/edge/core/answer.ts'
import { joinRange } from '../../src/core/edge/core/join.ts'
import { resolve } from '../../src/core/edge/core/resolve.ts'
import { alternate, bench, demoSnapshot, type Table } from './bench.ts'

const options = {
  times: { type: 'string', default: '200' },
  rounds: { type: 'string', default: '2' },
} as const

const ranges = {
  'one month': '2026-09-15/2026-10-14',
  'one year': '2025-10-15/2026-10-14',
  'ten years': '2016-10-15/2026-10-14',
}
const settings = { cacheControl: 'no-store', errorCacheControl: 'no-store' }
const table = routeTable(endpoints, '/docs')

export const run = bench(options, async (folder, { times, rounds }) => {
  const { out, isin } = await demoSnapshot(folder, 3, 11)
  const tables: Table[] = []
  for (const [name, days] of Object.entries(ranges)) {
    const path = `/api/v1/prices-historic/${isin}/${days}/`
    const subjects = ['json', 'xml', 'csv'].map(
      (format) => [format, () => measured(out, path, format, Number(times))] as const,
    )
    tables.push({
      name: `${name} of the Worker and the Lambda`,
      about: `medians of ${rounds} rounds of ${times} answers`,
      rows: await alternate(Number(rounds), Object.fromEntries(subjects)),
    })
  }
  return tables
})

async function measured(out: string, path: string, format: string, times: number) {
  let bytes = 0
  const counted = (body: Buffer) => {
    bytes += body.length
    return body
  }
  // What a store reads costs it no time here: only the edge's own work counts.
  const known = new Map<string, Buffer>()
  const bodyOf = (key: string) => {
    const body = known.get(key) ?? readFileSync(join(out, key))
    known.set(key, body)
    return body
  }
  const store: Store<Buffer> = {
    get: (key) => Promise.resolve({ body: counted(bodyOf(key)), etag: '"e"', lastModified: 'd' }),
    text: (body) => Promise.resolve(body.toString()),
    slice: (key, first, last) => Promise.resolve(counted(bodyOf(key).subarray(first, last + 1))),
  }
  const resolution = resolve(table, {
    method: 'GET',
    path,
    query: `format=${format}`,
    accept: undefined,
    acceptLanguage: undefined,
  })
  const once = async () => {
    const { body } = await answer({ table, settings, store }, resolution)
    if (body.kind !== 'joined') throw new Error(`${path} is no range`)
    const live = { readsAtATime: () => 6, assertLive: () => Promise.resolve(), search: workerSearch }
    return gather((await joinRange(body, (stored) => Promise.resolve(stored), live)).chunks())
  }
  // Compilers get warm first.
  for (let time = 0; time < times; time++) await once()
  bytes = 0
  const started = process.cpuUsage()
  for (let time = 0; time < times; time++) await once()
  const { user, system } = process.cpuUsage(started)
  return { 'CPU ms': (user + system) / 1000 / times, 'KB read': bytes / 1000 / times }
}
