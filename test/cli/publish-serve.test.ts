/** `serve --bucket`: the same answers as from the folder, after each flip those of the new snapshot. */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Begun, type Press } from '../support/press.ts'
import { startServer, liveTtl } from '../support/product.ts'

const bucket = 'fund-data'
let press: Press
let isins: readonly string[]
/** Servers that are to be stopped. */
const running: { readonly stop: () => unknown }[] = []
beforeAll(async () => {
  press = await openPress(await buildNights(1, 4, { years: 1, until: '2026-11-18' }), { bucket })
  await press.nights.change('b', newBenchmark(1))
  await press.fundpress('publish --out night-1')
  const keys = [...press.nights.sums('night-1').keys()]
  isins = [...new Set(keys.flatMap((key) => /[A-Z0-9]{12}/.exec(key) ?? []))]
})
afterAll(async () => {
  for (const server of running) await server.stop()
  await press.stop()
})

/** @returns the address that it says it serves on */
async function serve(line: string, ttl = 5): Promise<Begun & { base: string; said: string }> {
  const begun = press.begin(line, liveTtl(ttl))
  const { child } = begun
  running.push({ stop: () => child.kill() })
  const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  const [base = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.toString()) ?? []
  return { ...begun, base, said: said.toString() }
}

async function answerTo(base: string, target: string, headers: Record<string, string>) {
  const response = await fetch(base + target, { headers, redirect: 'manual' })
  const kept = [...response.headers].filter(([name]) => !['last-modified', 'date'].includes(name))
  return { status: response.status, headers: kept, body: await response.text() }
}

// The conformance suite compares both with the database; this compares them with each other, byte by byte.
it('serve answers from a bucket as from a folder: statuses, bodies and headers', async () => {
  const fromBucket = await serve('serve --port 0')
  const fromFolder = await startServer(press.nights.outs[0] ?? '')
  running.push(fromFolder)
  expect(fromBucket.said).toMatch(/^serving 2026-11-19-[0-9a-f]{12} from s3:\/\/fund-data on http/)
  const paths = ['prices-current', 'profile', 'performance-years', 'investment_structure-countries']
  const targets = isins.flatMap((isin) => [
    ...paths.map((path) => `/api/v1/${path}/${isin}/`),
    `/api/v1/prices-historic/${isin}/2026-03-01/2026-10-15/`,
  ])
  for (const target of [...targets, '/api/v1/prices-current-all/', '/api/v1/prices-current', '/nowhere/']) {
    for (const accept of ['application/json', 'application/xml']) {
      const headers = { Accept: accept, 'Accept-Encoding': 'identity' }
      const wanted = await answerTo(fromFolder.base, target, headers)
      expect(await answerTo(fromBucket.base, target, headers), target).toEqual(wanted)
    }
  }
  fromBucket.child.kill('SIGINT')
  expect(await fromBucket.end).toMatchObject({ code: null, signal: 'SIGINT', stderr: '' })
})

it('serve follows a publish and a rollback within edge.liveTtlSeconds', async () => {
  const { base } = await serve('serve --port 0', 1)
  const target = `${base}/api/v1/profile/${isins[0] ?? ''}/`
  const benchmark = async () => (await (await fetch(target)).text()).includes('Index 1')
  const modified = async () => Date.parse((await fetch(target)).headers.get('last-modified') ?? '')
  expect(await benchmark()).toBe(false)
  await press.fundpress('publish --out b')
  await expect.poll(benchmark).toBe(true)
  const newer = await modified()
  // Times in headers are whole seconds.
  await setTimeout(1000 - (Date.now() % 1000))
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0 })
  await expect.poll(benchmark).toBe(false)
  expect(await modified()).toBeGreaterThan(newer)
})

it('rollback writes live.json once under the lease, and --to accepts only the other snapshot', async () => {
  const live = async () =>
    (await press.json<{ live: { snapshot: string; slot: string; previous: { snapshot: string } } }>('status'))
      .live
  const before = await live()
  press.server.reset()
  const { code, stdout } = await press.fundpress(
    `rollback --allow hold --reason again --to ${before.previous.snapshot}`,
  )
  expect([code, stdout]).toEqual([0, `${before.previous.snapshot} is live again, in green\n`])
  const written = press.server.log.filter(({ operation }) => operation === 'PutObject').map(({ key }) => key)
  // The lease: acquired, tried, released.
  const lease = ['journal.json', 'journal.json', 'live.json']
  expect(written).toEqual([...lease, 'nightly/history.json', 'journal.json'])
  expect(await live()).toMatchObject({ slot: 'green', previous: { snapshot: before.snapshot } })
  const { stderr } = await press.fundpress(`rollback --to ${before.previous.snapshot}`)
  expect(stderr).toBe(`fundpress: s3://${bucket}: ${before.previous.snapshot} is live already\n`)
  expect(await press.json('rollback --allow hold --reason again')).toMatchObject({
    slot: 'blue',
    snapshot: before.snapshot,
  })
  expect((await press.fundpress('rollback --to yesterday')).code).toBe(2)
})

it('serve reads a body again if its transfer breaks off, and answers 503 if the store refuses', async () => {
  const { base, child } = await serve('serve --port 0', 0)
  press.server.faults([{ kind: 'truncate', operation: 'GetObject', keyMatches: /index/, times: 2 }])
  const wanted = await fetch(`${base}/api/v1/prices-current-all/`)
  expect([wanted.status, (await wanted.text()).endsWith('}')]).toEqual([200, true])
  press.server.faults([{ kind: 'status', status: 403, code: 'AccessDenied', operation: 'GetObject' }])
  const said = once(child.stderr ?? child, 'data') as Promise<[Buffer]>
  const away = await fetch(`${base}/api/v1/prices-current-all/`)
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
  expect(String((await said)[0])).toMatch(
    /^fundpress: "\/api\/v1\/prices-current-all\/" failed: .*access denied/,
  )
  press.server.reset()
})
