/**
 * The budget of a deployment on this machine: what a single client may cost it, in CPU time and in memory.
 *
 * Options: --base http://127.0.0.1:8080 --pid <its process> (without them `serve` with a demo snapshot)
 *
 * Ends with exit code 1, and a line on stderr for each limit that was exceeded. It opens hundreds of slow connections: not for a
 * service in use.
 */

import { bench, demoSnapshot, type Table } from '../bench.ts'
import { startServer } from '../../support/product.ts'
import { costLimitMs, type CostOptions, type RequestCost, measureCosts } from './costs.ts'
import { hostileRequests, largeSizes, type Place, smallSizes } from './hostile.ts'
import { type Load, type LoadResult, allLoads, measureLoad } from './loads.ts'
import { processProbe } from './probe.ts'

/** Bytes of request line and headers. Longer requests are refused. */
export const sizeLimit = 16_384
/** 414 and 431 are ours; front servers and CDNs have others. */
const refusalsOfLength = [400, 413, 414, 431, 494]
/** Resident memory of all processes together. */
const memoryLimitMiB = 224

const options = { base: { type: 'string' }, pid: { type: 'string' } } as const

export const run = bench(options, async (folder, { base, pid }) => {
  if ((base === undefined) !== (pid === undefined)) throw new Error('--base and --pid belong together')
  const own = base === undefined ? await serveDemo(folder) : undefined
  const server = { base: base?.replace(/\/+$/, '') ?? own?.base ?? '', pid: Number(pid ?? own?.pid) }
  try {
    const place = await findPlace(server.base)
    const report = await measureBudget({ base: server.base, probe: processProbe([server.pid]), place })
    for (const failure of report.failures) process.stderr.write(`failed: ${failure}\n`)
    if (report.failures.length > 0) process.exitCode = 1
    return tablesOf(report)
  } finally {
    await own?.stop()
  }
})

async function serveDemo(folder: string) {
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
  return startServer((await demoSnapshot(folder, 20, 11, env)).out)
}

/** A fund with a long history, and the largest download. @throws {Error} if the deployment lacks prices or downloads */
async function findPlace(base: string): Promise<Place> {
  const read = async <T>(path: string) => {
    const answer = await fetch(base + path)
    if (!answer.ok) throw new Error(`${base}${path} answers ${answer.status}`)
    return (await answer.json()) as T
  }
  type Funds = Readonly<Record<string, { fund: { fund_inception_date: string } }>>
  const { funds } = await read<{ funds: Funds }>('/api/v1/prices-current-all/')
  const byAge = Object.entries(funds).map(([isin, { fund }]) => ({ isin, since: fund.fund_inception_date }))
  const [{ isin } = { isin: '' }] = byAge.sort((one, other) => (one.since < other.since ? -1 : 1))
  const downloads = '/downloads/latest/'
  interface Package {
    resources: { path: string; bytes: number }[]
  }
  const { resources } = await read<Package>(`${downloads}datapackage.json`)
  const [largest] = resources.sort((one, other) => other.bytes - one.bytes)
  return { ...placeOf(isin), file: downloads + (largest?.path ?? '') }
}

/** What a client asks for of a fund. */
export const placeOf = (isin: string): Omit<Place, 'file'> => ({
  isin,
  document: `/api/v1/figures/${isin}/`,
  range: `/api/v1/prices-historic/${isin}/1900-01-01/9999-12-31/`,
  page: '/docs/',
})

/** Default: all requests in all sizes, and all loads. */
export interface BudgetOptions
  extends Pick<CostOptions, 'base' | 'probe'>, Partial<Omit<CostOptions, 'base' | 'probe'>> {
  readonly place: Place
  readonly loads?: readonly Load[]
  readonly holdMs?: number
  /** Whether a long wait of others is a failure. Default: true. */
  readonly judgesWaits?: boolean
}

export type BudgetReport = Awaited<ReturnType<typeof measureBudget>>

/**
 * @returns `failures`: one sentence for each limit that was exceeded
 * @throws {Error} if the deployment does not answer any more, or its process ends
 */
export async function measureBudget(options: BudgetOptions) {
  const { place, loads = allLoads, rounds = 4, holdMs = 2000, judgesWaits = true } = options
  const costs = await measureCosts({
    requests: hostileRequests(place),
    sizes: [...smallSizes, ...largeSizes],
    repeats: 4,
    patienceMs: 10_000,
    ...options,
    rounds,
  })
  const held: LoadResult[] = []
  for (const load of loads) held.push(await measureInRounds(load, { ...options, holdMs }, rounds))
  const failures = [...costs.flatMap(costFailures), ...held.flatMap((one) => loadFailures(one, judgesWaits))]
  return { costs, loads: held, failures }
}

/**
 * Only waits are measured again: they depend a little on what else the machine does. Memory is that of the first round, in
 * which the server is fresh.
 */
async function measureInRounds(
  load: Load,
  options: Parameters<typeof measureLoad>[1],
  rounds: number,
): Promise<LoadResult> {
  const first = await measureLoad(load, options)
  let best = first
  for (let round = 1; round < rounds && waitShare(best) > 1; round++) {
    const again = await measureLoad(load, options)
    if (waitShare(again) < waitShare(best)) best = again
  }
  return { ...best, idleMiB: first.idleMiB, peakMiB: first.peakMiB }
}

/** The part of the allowed wait that is used up. */
const waitShare = ({ meanwhile, waitLimitMs }: LoadResult) => meanwhile.work / waitLimitMs

function costFailures({
  name,
  bytes,
  status,
  beyondMs,
  limitMs,
  isSilent,
  mayShrink,
}: RequestCost): string[] {
  const request = `${name}, ${bytes.toLocaleString('en')} bytes`
  if (isSilent) return [`${request}: not answered in time`]
  const [beyond, limit] = [beyondMs, limitMs].map(Math.round)
  if (beyondMs > limitMs) return [`${request}: ${beyond} ms of CPU beyond a plain request (limit ${limit})`]
  if (status === null) return []
  const answered = `${request}: answered with ${status}`
  if (status >= 500) return [answered]
  const isTaken = bytes > sizeLimit && !mayShrink && !refusalsOfLength.includes(status)
  return isTaken ? [`${answered}, although it is longer than ${sizeLimit.toLocaleString('en')} bytes`] : []
}

function loadFailures(result: LoadResult, judgesWaits: boolean): string[] {
  const { name, peakMiB, idle, meanwhile, waitLimitMs } = result
  const failures: string[] = []
  if (peakMiB > memoryLimitMiB)
    failures.push(`${Math.round(peakMiB)} MiB of memory (limit ${memoryLimitMiB})`)
  if (judgesWaits && waitShare(result) > 1) {
    const [work, limit, took] = [meanwhile.work, waitLimitMs, meanwhile.ninetieth].map(Math.round)
    failures.push(
      `one of ten others waits until the server has worked for ${work} ms (limit ${limit}), which took ${took} ms`,
    )
  }
  if (meanwhile.failed > idle.failed)
    failures.push(`${meanwhile.failed} of ${meanwhile.requests} requests of others failed`)
  return failures.map((failure) => `${name}: ${failure}`)
}

/** The three most expensive requests, and the loads. */
export function tablesOf({ costs, loads }: BudgetReport): Table[] {
  const worst = costs.toSorted((one, other) => other.beyondMs - one.beyondMs).slice(0, 3)
  const costRows = worst.map(({ name, bytes, plainMs, beyondMs }) => {
    const row = `${name}, ${bytes.toLocaleString('en')} bytes`
    return [row, { 'CPU ms beyond a plain request': beyondMs, 'of a plain request': plainMs }] as const
  })
  const loadRows = loads.map(
    ({ name, idleMiB, peakMiB, meanwhile: { median, ninetieth, worst: longest } }) => {
      const waits = { 'others wait, ms': median, 'one of ten': ninetieth, worst: longest }
      return [name, { 'peak MiB': peakMiB, 'MiB before': idleMiB, ...waits }] as const
    },
  )
  const goals = (rows: readonly (readonly [string, object])[], column: string, limit: number) =>
    Object.fromEntries(rows.map(([row]) => [row, { [column]: `at most ${limit}` }]))
  return [
    {
      name: 'hostile requests',
      about: `the most expensive of ${costs.length}`,
      rows: Object.fromEntries(costRows),
      goals: goals(costRows, 'CPU ms beyond a plain request', costLimitMs),
    },
    {
      name: 'clients that hold connections',
      about: `resident memory of all processes, and what another client waits for a document`,
      rows: Object.fromEntries(loadRows),
      goals: goals(loadRows, 'peak MiB', memoryLimitMiB),
    },
  ]
}
