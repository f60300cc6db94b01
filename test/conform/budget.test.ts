/** The budget reports what costs too much, and nothing else, of a server that does what a hostile client hopes for. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BudgetOptions, measureBudget } from '../../src/conform/budget/budget.ts'
import { requestText } from '../../src/conform/budget/costs.ts'
import { hostileRequests, largeSizes, plainRequest, smallSizes } from '../../src/conform/budget/hostile.ts'
import { allLoads } from '../../src/conform/budget/loads.ts'
import { type Probe, processProbe, wallProbe } from '../../src/conform/budget/probe.ts'

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
  base = String(await once(child.stdout ?? child, 'data'))
})

afterAll(async () => {
  const closed = once(child, 'close')
  child.kill()
  await closed
})

/** Measures only the requests of these names. What the costly server works is fixed, so the limits are, too. */
function budgetOf(names: readonly string[], more: Partial<BudgetOptions> = {}) {
  const asked = requests.filter(({ name }) => names.includes(name))
  expect(asked.map(({ name }) => name).sort()).toEqual([...names].sort())
  const probe = { ...processProbe([child.pid ?? 0]), slowness: () => 1 }
  return measureBudget({ base, place, probe, requests: asked, sizes: [1_000, 4_000], ...more })
}

describe('the cost of hostile requests', () => {
  it('is CPU time, not waiting; what exceeds the limit or fails is reported, and no longer request is sent', async () => {
    const { costs, failures } = await budgetOf(all, { sizes: [1_000, 4_000, 15_500], repeats: 1 })
    expect(failures).toEqual([
      expect.stringMatching(
        /^query: names that cannot be decoded, 4,000 bytes: \d+ ms of CPU beyond a plain request \(limit 20\)$/,
      ),
      ...['1,000', '4,000', '15,500'].map((bytes) => `flood: cookies, ${bytes} bytes: answered with 502`),
    ])
    const found = costs.find(({ name, bytes }) => name === all[0] && bytes === 4_000)
    expect(found?.beyondMs).toBeGreaterThan(60)
    expect(costs).toHaveLength(2 + 3 * 3)
  })

  it('may be higher on a slow machine, by the factor that it is slower', async () => {
    const probe = { ...processProbe([child.pid ?? 0]), slowness: () => 100 }
    const { costs, failures } = await budgetOf(all.slice(0, 1), { probe, sizes: [4_000], repeats: 1 })
    expect(costs).toMatchObject([{ limitMs: 2000 }])
    expect(failures).toEqual([])
  })

  it('is the time to answer if the process is elsewhere', async () => {
    const names = ['Accept-Language: commas', 'Accept: commas']
    const { failures } = await budgetOf(names, { probe: wallProbe(), sizes: [1_000], rounds: 2 })
    expect(failures).toEqual([
      expect.stringMatching(
        /^Accept-Language: commas, 1,000 bytes: \d+ ms beyond a plain request \(limit 500\)$/,
      ),
    ])
  })

  it('is unknown if there is no answer; the other requests are measured', async () => {
    const names = ['If-Match: ETags', 'Accept: commas']
    const { costs, failures } = await budgetOf(names, { patienceMs: 2000 })
    expect(failures).toEqual(['If-Match: ETags, 1,000 bytes: not answered in time'])
    expect(costs.filter(({ status }) => status === 200)).toHaveLength(2)
  })

  it('is irrelevant for a request of more than 16 KB: it must be refused', async () => {
    const { failures } = await budgetOf(['Accept: commas'], { sizes: [15_500, 64_000] })
    expect(failures).toEqual([
      'Accept: commas, 64,000 bytes: answered with 200, although it is longer than 16,384 bytes',
    ])
  })
})

it.each([...smallSizes, ...largeSizes])('hostile requests of %i bytes are about as long', (bytes) => {
  for (const { name, plain, make } of requests) {
    for (const request of [make(bytes), plainRequest(plain, bytes)]) {
      const { length } = requestText('http://127.0.0.1:41234', request)
      expect(`${name}: ${length >= bytes && length < bytes + 120}`).toBe(`${name}: true`)
    }
  }
  // With the line that a client writes around it.
  if (smallSizes.includes(bytes)) expect(bytes + 120).toBeLessThan(16_384)
})

it('each hostile request has a name of its own and a reason', () => {
  expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length)
  expect(requests.every(({ why }) => why.length > 10)).toBe(true)
})

describe('clients that hold connections', () => {
  const load = { document: '/document/', range: '/range/', file: null }

  it('are reported if they take too much memory, or others wait too long', async () => {
    const loads = allLoads.filter(({ connections }) => connections > 1)
    const { loads: held, failures } = await budgetOf([], { load, loads, rounds: 1, holdMs: 1200 })
    expect(held.map(({ name }) => name)).toEqual([
      '200 clients that send a header byte by byte',
      '200 clients that do not read the longest range',
    ])
    expect(failures[0]).toMatch(
      /^200 clients that do not read the longest range: \d{3,4} MiB of memory \(limit 200\)$/,
    )
    expect(failures.some((failure) => failure.includes('one of ten others waits'))).toBe(true)
    expect(failures.filter((failure) => failure.includes('byte by byte'))).toEqual([])
  })

  it('are measured again if only waits are too long, whatever the memory; the limit depends on the machine', async () => {
    let time = 0
    // Before and after each load.
    const slowness = [0.0001, 0.0001, 1, 10, 20]
    const probe: Probe = {
      kind: 'cpu',
      timesMs: () => new Map([[1, (time += 1000)]]),
      memoryMiB: () => 400,
      slowness: () => slowness.shift() ?? NaN,
    }
    const loads = allLoads.slice(0, 1)
    const { loads: held, failures } = await budgetOf([], { probe, load, loads, holdMs: 100 })
    expect(failures).toEqual([`${loads[0]?.name ?? ''}: 400 MiB of memory (limit 200)`])
    expect(held).toMatchObject([{ waitLimitMs: 2000, peakMiB: 400 }])
    expect(slowness).toEqual([20])
  })
})

describe('a process', () => {
  it('that has ended cannot be measured', () => {
    expect(() => processProbe([2 ** 30])).toThrow('process 1073741824 cannot be measured: it has ended')
  })

  it('is never on a machine that is faster than usual, so limits only grow', () => {
    expect(processProbe([process.pid]).slowness()).toBeGreaterThanOrEqual(1)
  })

  it('may have children that end while it is measured', async () => {
    const script = 'for turn in $(seq 200); do /bin/true; done'
    const parent = spawn('sh', ['-c', script], { stdio: 'ignore' })
    const { pid = 0 } = parent
    const probe = processProbe([pid])
    while (parent.exitCode === null) {
      expect(probe.timesMs().has(pid)).toBe(true)
      await setImmediate()
    }
  })
})
