/**
 * The budget of a deployment: what a single client may cost it, in time and in memory. One report for the command and
 * the tests.
 */

import { costLimits, type CostOptions, type RequestCost, measureCosts } from './costs.ts'
import { type BudgetPlace, hostileRequests, smallSizes } from './hostile.ts'
import {
  type Load,
  type LoadOptions,
  type LoadPlace,
  type LoadResult,
  allLoads,
  measureLoad,
} from './loads.ts'
import type { Probe } from './probe.ts'

/** Bytes of request line and headers. Longer requests are refused. */
export const sizeLimit = 16_384
/** 414 and 431 are ours; front servers and CDNs have others. */
const refusalsOfLength = [400, 413, 414, 431, 494]
/** Resident memory of all processes together. */
const memoryLimitMiB = 200

/** Default: all requests in small sizes, each measured at most four times, with 10 s to answer. */
export interface BudgetOptions extends Partial<Omit<CostOptions, 'base' | 'probe' | 'onRequest'>> {
  readonly base: string
  readonly probe: Probe
  readonly place: BudgetPlace
  /** What the clients of a load ask for. Without it there is no load. */
  readonly load?: LoadPlace
  /** Default: all. */
  readonly loads?: readonly Load[]
  /** Default: 2 s. */
  readonly holdMs?: number
  /** Whether a long wait of others is a failure. Default: true. */
  readonly judgesWaits?: boolean
  readonly onStep?: ((done: number, of: number, name: string) => void) | undefined
}

export type BudgetReport = Awaited<ReturnType<typeof measureBudget>>

/**
 * @returns `failures`: one sentence for each limit that was exceeded
 * @throws {Error} if the deployment does not answer any more, or the run is aborted
 */
export async function measureBudget(options: BudgetOptions) {
  const { probe, place, load, loads = allLoads, holdMs = 2000, rounds = 4, signal, onStep } = options
  const { requests = hostileRequests(place), sizes = smallSizes, patienceMs = 10_000 } = options
  const { kind } = probe
  const { judgesWaits = true } = options
  // Linux counts CPU time in steps of 10 ms, so it is measured over several requests.
  const { repeats = kind === 'cpu' ? 4 : 1 } = options
  const held =
    load === undefined
      ? []
      : loads.filter(({ targets }) => targets(load, 0).length > 0).map((one) => ({ one, place: load }))
  const steps = requests.length + held.length
  const onRequest = (at: number, name: string) => onStep?.(at, steps, name)
  const more = { requests, sizes, repeats, rounds, patienceMs, signal, onRequest }
  const costs = await measureCosts({ ...options, ...more })
  const results: LoadResult[] = []
  for (const { one, place } of held) {
    onStep?.(requests.length + results.length, steps, one.name)
    results.push(await measureInRounds(one, { ...options, place, holdMs, signal }, rounds))
  }
  const failures = [
    ...costs.flatMap((cost) => costFailures(cost, kind)),
    ...results.flatMap((result) => loadFailures(result, judgesWaits)),
  ]
  return { kind, costLimitMs: costLimits[kind], costs, loads: results, failures }
}

/**
 * Only waits are measured again: they depend a little on what else the machine does. Memory is that of the first round, in
 * which the server is fresh.
 */
async function measureInRounds(load: Load, options: LoadOptions, rounds: number): Promise<LoadResult> {
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

function costFailures(cost: RequestCost, kind: Probe['kind']): string[] {
  const { bytes, status, beyondMs, limitMs } = cost
  const request = `${cost.name}, ${bytes.toLocaleString('en')} bytes`
  const unit = kind === 'cpu' ? 'ms of CPU' : 'ms'
  if (cost.isSilent) return [`${request}: not answered in time`]
  if (beyondMs > limitMs)
    return [
      `${request}: ${Math.round(beyondMs)} ${unit} beyond a plain request (limit ${Math.round(limitMs)})`,
    ]
  if (status === null) return []
  const answered = `${request}: answered with ${status}`
  if (status >= 500) return [answered]
  const isTaken = bytes > sizeLimit && !cost.mayShrink && !refusalsOfLength.includes(status)
  return isTaken ? [`${answered}, although it is longer than ${sizeLimit.toLocaleString('en')} bytes`] : []
}

function loadFailures(result: LoadResult, judgesWaits: boolean): string[] {
  const { name, peakMiB, idle, meanwhile, waitLimitMs } = result
  const failures: string[] = []
  if (peakMiB !== null && peakMiB > memoryLimitMiB)
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
