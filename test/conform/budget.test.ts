/** The budget finds what costs too much, and nothing else: on a server that does what a hostile client hopes for. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BudgetOptions, measureBudget } from '../../src/conform/budget/budget.ts'
import { requestText } from '../../src/conform/budget/costs.ts'
import { hostileRequests, largeSizes, plainRequest, smallSizes } from '../../src/conform/budget/hostile.ts'
import { allLoads } from '../../src/conform/budget/loads.ts'
import { processProbe, wallProbe } from '../../src/conform/budget/probe.ts'

const place = { document: '/document/', isin: 'LU000NOSUCH8', page: '/page/' }
const requests = hostileRequests(place)
const all = [
  'query: names that cannot be decoded',
  'flood: cookies',
  'Accept-Language: commas',
  'Accept: commas',
]

let child: ChildProcess
let base: string

beforeAll(async () => {
  const program = fileURLToPath(new URL('costly-server.ts', import.meta.url))
  child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  base = `http://127.0.0.1:${port.toString().trim()}`
})

afterAll(async () => {
  const closed = once(child, 'close')
  child.kill()
  await closed
})

/** Measures only the requests of these names. */
function budgetOf(names: readonly string[], more: Partial<BudgetOptions> = {}) {
  const asked = requests.filter(({ name }) => names.includes(name))
  expect(asked.map(({ name }) => name).sort()).toEqual([...names].sort())
  const probe = processProbe([child.pid ?? 0])
  return measureBudget({ base, place, probe, requests: asked, sizes: [1_000, 4_000], ...more })
}

describe('hostile requests', () => {
  it('counts CPU time, and no waiting, names what is over the limit or an error, and sends no longer one', async () => {
    const { costs, failures } = await budgetOf(all, { sizes: [1_000, 4_000, 15_500], repeats: 1, rounds: 2 })
    expect(failures).toEqual([
      expect.stringMatching(
        /^query: names that cannot be decoded, 4,000 bytes: \d+ ms of CPU beyond a plain request \(limit 20\)$/,
      ),
      ...[1, 4, 15.5].map(
        (kb) => `flood: cookies, ${(kb * 1000).toLocaleString('en')} bytes: answered with 502`,
      ),
    ])
    const found = costs.find(({ name, bytes }) => name === all[0] && bytes === 4_000)
    expect(found?.beyondMs).toBeGreaterThan(60)
    expect(costs).toHaveLength(2 + 3 * 3)
  })

  it('counts the time to answer where the process is elsewhere', async () => {
    const probe = wallProbe()
    const { failures } = await budgetOf(['Accept-Language: commas', 'Accept: commas'], {
      probe,
      sizes: [1_000],
    })
    expect(failures).toEqual([
      expect.stringMatching(
        /^Accept-Language: commas, 1,000 bytes: \d+ ms beyond a plain request \(limit 500\)$/,
      ),
    ])
  })

  it('gives up on an answer that does not come, and goes on', async () => {
    const names = ['If-Match: ETags', 'Accept: commas']
    const { costs, failures } = await budgetOf(names, { patienceMs: 300, rounds: 1 })
    expect(failures).toEqual(['If-Match: ETags, 1,000 bytes: not answered in time'])
    expect(costs.filter(({ status }) => status === 200)).toHaveLength(2)
  })

  it('finds a long request that is not refused', async () => {
    const { failures } = await budgetOf(['Accept: commas'], { sizes: [15_500, 64_000] })
    expect(failures).toEqual([
      'Accept: commas, 64,000 bytes: answered with 200, although it is longer than 16,384 bytes',
    ])
  })

  it.each([...smallSizes, ...largeSizes])('are as long as they are to be: %i bytes', (bytes) => {
    for (const { name, plain, make } of requests) {
      for (const request of [make(bytes), plainRequest(plain, bytes)]) {
        const { length } = requestText('http://127.0.0.1:41234', request)
        expect(`${name}: ${length >= bytes && length < bytes + 120}`).toBe(`${name}: true`)
      }
    }
    // With the line that a client writes around it.
    if (smallSizes.includes(bytes)) expect(bytes + 120).toBeLessThan(16_384)
  })

  it('have a name each, and say why', () => {
    expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length)
    expect(requests.every(({ why }) => why.length > 10)).toBe(true)
  })
})

describe('clients that hold on', () => {
  it('are found out by the memory that they take, and by the time that others wait', async () => {
    const load = { document: '/document/', range: '/range/', file: null }
    const loads = allLoads.filter(({ connections }) => connections > 1)
    const { loads: held, failures } = await budgetOf([], { load, loads, rounds: 1 })
    expect(held.map(({ name }) => name)).toEqual([
      '200 clients that send a header byte by byte',
      '200 clients that do not read the longest range',
    ])
    expect(failures[0]).toMatch(
      /^200 clients that do not read the longest range: \d{3,4} MiB of memory \(limit 300\)$/,
    )
    expect(failures.some((failure) => failure.includes('one of ten others waits'))).toBe(true)
    expect(failures.filter((failure) => failure.includes('byte by byte'))).toEqual([])
  })
})

it('says which process cannot be measured', () => {
  expect(() => processProbe([2 ** 30])).toThrow('process 1073741824 cannot be measured: it has ended')
})
