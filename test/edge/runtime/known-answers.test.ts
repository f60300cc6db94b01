/** Answers that `serve` keeps: they are those that it makes anew, and they take a bounded part of its memory. */
import fc from 'fast-check'
import { beforeAll, expect, it, vi } from 'vitest'
import { answerCache } from '../../../src/core/edge/node/answers.ts'
import { rawRequest, type RawResponse } from '../../support/request.ts'
import { times } from '../../support/rounds.ts'
import { buildDemo, isinsOf, serve, type Served } from '../../support/snapshots.ts'

let served: Served

beforeAll(async () => {
  served = await serve(buildDemo)
  return served.stop
})

const day = fc.constantFrom('2023-05-02', '2023-05-31', '2024-02-29', '2025-01-01')
const path = fc.oneof(
  fc.constantFrom('prices-current', 'figures', 'profile', 'nothing').map((name) => `/api/v1/${name}/ISIN/`),
  fc.tuple(day, day).map(([from, to]) => `/api/v1/prices-historic/ISIN/${from}/${to}/`),
  fc.constantFrom('/api/v1/prices-current-all/', '/', '/docs/', '/status/', '/status/staged.json', '/x/'),
)
const query = fc.constantFrom('', '?format=xml', '?format=csv', '?language=en', '?format=json&language=de')
const header = (name: string, ...values: string[]) =>
  fc
    .option(fc.constantFrom(...values), { nil: undefined })
    .map((value) => ({ ...(value && { [name]: value }) }))
const headers = fc
  .tuple(
    header('accept', '*/*', 'application/xml', 'text/html,*/*;q=0.8', 'text/csv'),
    header('accept-language', 'de', 'en;q=0.8, de;q=0.2'),
    header('accept-encoding', 'gzip', 'br, gzip;q=0.5', 'identity'),
    header('if-modified-since', 'Mon, 23 Nov 2099 05:00:00 GMT', 'Mon, 23 Nov 1998 05:00:00 GMT'),
    header('if-none-match', '*', '"another"'),
    header('if-match', '*', '"another"'),
    header('if-unmodified-since', 'Mon, 23 Nov 2099 05:00:00 GMT', 'Mon, 23 Nov 1998 05:00:00 GMT'),
  )
  .map((all): Readonly<Record<string, string>> => Object.assign({}, ...all) as Record<string, string>)
const fund = fc.nat({ max: 1 })

/** Without what depends on the moment, or on the requests before on the connection. */
const shown = ({ status, headers: given, body }: RawResponse) => ({
  status,
  headers: given.filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)),
  body: body.toString('latin1'),
})

it('answers a request that comes again with the bytes of an answer that is made anew', async () => {
  const statuses = new Set<number>()
  const clients = fc.array(headers, { minLength: 12, maxLength: 12 })
  const asks = fc.asyncProperty(path, query, clients, fund, async (asked, parameters, each, index) => {
    const target = asked.replace('ISIN', isinsOf(served)[index] ?? '') + parameters
    const ask = async (sent: Readonly<Record<string, string>>) =>
      shown(await rawRequest(served.base, { target, headers: sent }))
    for (const given of each) {
      // Nothing is kept of a request with this header, and its unit is none that counts.
      const anew = await ask({ ...given, range: 'lines=1-2' })
      statuses.add(anew.status)
      for (let time = 0; time < 3; time++) expect(await ask(given)).toEqual(anew)
    }
  })
  await fc.assert(asks, { seed: 18, numRuns: times(200, 60) })
  expect([...statuses].sort()).toEqual([200, 304, 400, 404, 412])
})

const answerOf = (bytes: number) => ({ status: 200, headers: {}, length: bytes, body: Buffer.alloc(bytes) })

it('keeps the answers that were asked for last, in 8 MiB, and none that was asked for once', () => {
  const answers = answerCache()
  const keys = Array.from({ length: 3000 }, (_, at) => `key ${at}`)
  for (const key of keys) for (let time = 0; time < 2; time++) answers.keep(key, answerOf(20_000))
  answers.keep('once', answerOf(1))
  answers.keep('large', answerOf(20_000_000))
  answers.keep('large', answerOf(20_000_000))
  const kept = keys.filter((key) => answers.get(key) !== undefined)
  expect(kept).toEqual(keys.slice(-kept.length))
  expect(kept.length * 20_000).toBeGreaterThan(5 * 1024 * 1024)
  expect(kept.length * 20_000).toBeLessThan(8 * 1024 * 1024)
  expect(answers.get('once')).toBeUndefined()
  expect(answers.get('large')).toBeUndefined()
})

it('keeps a refusal for five seconds: what is missing may come', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const clock = vi.spyOn(performance, 'now')
  const setClock = (ms: number) => {
    clock.mockReturnValue(ms)
    // The cache asks for the time at most once in a millisecond.
    vi.advanceTimersByTime(1)
  }
  try {
    setClock(1000)
    const answers = answerCache()
    const statusOf = (key: string) => answers.get(key)?.status
    for (let time = 0; time < 2; time++) {
      answers.keep('found', answerOf(1))
      answers.keep('missing', { ...answerOf(1), status: 404 })
    }
    setClock(5900)
    expect(statusOf('found')).toBe(200)
    expect(statusOf('missing')).toBe(404)
    setClock(6100)
    expect(statusOf('found')).toBe(200)
    expect(statusOf('missing')).toBeUndefined()
  } finally {
    vi.useRealTimers()
    clock.mockRestore()
  }
})
