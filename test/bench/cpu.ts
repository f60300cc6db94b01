/**
 * CPU time of an answer where CPU time is what a platform bills or limits: the Worker under workerd, beside an empty Worker that
 * answers from the same kind of cache, and CloudFront's viewer-request function under njs, beside an empty function. The code is
 * that of a deployment. workerd's own work, and that of the cache it imitates, counts for both.
 *
 * Options: --seconds 1 (of load, for each figure and round) --requests 2000 (of each function and round) --rounds 3
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import pLimit from 'p-limit'
import { compatibilityDate } from '../../src/extensions/platforms/cloudflare/deploy.ts'
import { startFunctions } from '../support/cloudfront/function-runtime.ts'
import { readDistribution } from '../support/cloudfront/distribution.ts'
import { whyNoNginx } from '../support/nginx.ts'
import { mustRun } from '../support/product.ts'
import { startWorker, workerdPids } from '../support/worker.ts'
import { alternate, assertWrk, bench, demoSnapshot, wrk, type Table } from './bench.ts'
import { processProbe, sumOf } from './budget/probe.ts'

const options = {
  seconds: { type: 'string', default: '1' },
  requests: { type: 'string', default: '2000' },
  rounds: { type: 'string', default: '3' },
} as const

const targetsOf = (isin: string) => ({
  'a document': `/api/v1/prices-current/${isin}/`,
  'one month': `/api/v1/prices-historic/${isin}/2026-09-15/2026-10-14/`,
  'an unknown fund': '/api/v1/profile/DE0008471400/',
})

export const run = bench(options, async (folder, { seconds, requests, rounds }) => {
  assertWrk()
  const place = await demoSnapshot(folder, 3, 11)
  const tables: Table[] = [await ofWorker(place, Number(seconds), Number(rounds))]
  if (whyNoNginx === undefined)
    tables.push(await ofFunction(folder, place.isin, Number(requests), Number(rounds)))
  else process.stderr.write(`without njs: ${whyNoNginx}\n`)
  return tables
})

/** @param work answers requests @returns microseconds of CPU time of these processes, for each */
async function measured(pids: readonly number[], work: () => Promise<number>) {
  const { cpuMs } = processProbe(pids)
  const before = sumOf(cpuMs())
  const requests = await work()
  return { 'CPU µs': ((sumOf(cpuMs()) - before) * 1000) / requests }
}

type Place = Awaited<ReturnType<typeof demoSnapshot>>

const emptyWorker = 'an empty Worker'

/** Keeps a document in the cache, and answers with it. */
const emptyModule = (body: string) => `
  const key = 'https://example.org/document'
  export default {
    fetch: async (request, environment, context) => {
      const cached = await caches.default.match(key)
      if (cached !== undefined) return cached
      const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' }
      const response = new Response(${JSON.stringify(body)}, { headers })
      context.waitUntil(caches.default.put(key, response.clone()))
      return response
    },
  }`

async function ofWorker({ out, isin }: Place, seconds: number, rounds: number): Promise<Table> {
  const worker = await startWorker({ isWatched: false, liveTtlSeconds: 5 })
  await worker.publish(out)
  const [own = 0] = await workerdPids()
  const document = readFileSync(join(out, 'api/v1/prices-current', isin, 'index.json'), 'utf8')
  const contents = emptyModule(document)
  const empty = new Miniflare({
    name: 'empty',
    compatibilityDate,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    modules: [{ type: 'ESModule', path: 'empty.js', contents }],
  })
  try {
    const { origin } = await empty.unsafeGetDirectURL('empty')
    const [other = 0] = (await workerdPids()).filter((pid) => pid !== own)
    const measure = (pid: number, url: string) =>
      measured([pid], async () => {
        const { 'requests/s': speed } = await wrk(url, { seconds, connections: 8, mayRefuse: true })
        return speed * seconds
      })
    const targets = Object.entries(targetsOf(isin))
    const subjects = targets.map(
      ([name, target]) => [name, () => measure(own, worker.base + target)] as const,
    )
    return {
      name: 'an answer of the Worker',
      about: `8 connections to workerd, medians of ${rounds} rounds of ${seconds} s`,
      rows: await alternate(rounds, {
        [emptyWorker]: () => measure(other, `${origin}/`),
        ...Object.fromEntries(subjects),
      }),
      ratios: { 'of the empty Worker': { by: 'CPU µs', of: emptyWorker } },
      goals: { 'a document': { 'of the empty Worker': 'at most 2' } },
    }
  } finally {
    await Promise.all([worker.stop(), empty.dispose()])
  }
}

const emptyFunction = 'an empty function'

async function ofFunction(folder: string, isin: string, requests: number, rounds: number): Promise<Table> {
  const dest = join(folder, 'cloudfront')
  await mustRun([
    'edge',
    'cloudfront',
    '--bucket',
    'funds',
    '--region',
    'eu-central-1',
    '--dest',
    dest,
    '--quiet',
  ])
  const template = JSON.parse(readFileSync(join(dest, 'template.json'), 'utf8')) as Record<string, unknown>
  const { 'viewer-request': own = '' } = readDistribution(template).functions
  const functions = await startFunctions({ own, empty: 'function handler(event) { return event.request }' })
  const live = {
    slot: 'blue',
    snapshot: '2026-11-19-3f9c2ab4d1e0',
    liveSince: '2026-11-19T01:00:00Z',
    docsUrl: '/docs',
  }
  const keys = { live: JSON.stringify(live) }
  const measure = (name: string, uri: string) => {
    const headers = { host: { value: 'api.example.org' }, accept: { value: 'application/json' } }
    const request = { method: 'GET', uri, querystring: {}, headers, cookies: {} }
    const event = { version: '1.0', context: { eventType: 'viewer-request' }, request }
    const limit = pLimit(8)
    const once = () => functions.run(name, { event, keys, rawQueryString: undefined })
    return measured([functions.pid], async () => {
      await Promise.all(Array.from({ length: requests }, () => limit(once)))
      return requests
    })
  }
  try {
    const subjects = Object.entries(targetsOf(isin)).map(
      ([name, target]) => [name, () => measure('own', target)] as const,
    )
    return {
      name: "an answer of CloudFront's viewer-request function",
      about: `In njs of nginx, which parses the event; medians of ${rounds} rounds of ${requests.toLocaleString('en')} requests`,
      rows: await alternate(rounds, {
        [emptyFunction]: () => measure('empty', '/'),
        ...Object.fromEntries(subjects),
      }),
      ratios: { 'of the empty function': { by: 'CPU µs', of: emptyFunction } },
    }
  } finally {
    await functions.stop()
  }
}
