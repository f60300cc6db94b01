/**
 * The budget of a deployment: what a single client may cost it, in time and in memory. One report for the command and
 * the tests.
 */

import { type RequestCost, measureCosts } from './costs.ts'
import { type BudgetPlace, hostileRequests, smallSizes, type CostlyRequest } from './hostile.ts'
import { type Load, type LoadPlace, type LoadResult, allLoads, measureLoad } from './loads.ts'
import type { Probe } from './probe.ts'

/** What one hostile request may cost beyond one in good faith, in milliseconds of the probe's time. */
export const costLimits: Readonly<Record<Probe['kind'], number>> = {
  cpu: 20,
  // Networks and other clients take time, too. Only a large difference is the request's fault.
  wall: 500,
}

/** Bytes of request line and headers. Longer requests are refused. */
export const sizeLimit = 16_384

/** 414 and 431 are ours; front servers and CDNs have others. */
const refusalsOfLength = [400, 413, 414, 431, 494]

/** Resident memory of all processes together. */
export const memoryLimitMiB = 300

/** How long nine of ten other clients may wait during a load, in milliseconds of the probe's time. */
export const waitLimitMs = 200

export interface BudgetOptions {
  readonly base: string
  readonly probe: Probe
  readonly place: BudgetPlace
  /** Default: all. */
  readonly requests?: readonly CostlyRequest[]
  /** Default: the small ones. */
  readonly sizes?: readonly number[]
  /** What the clients of a load ask for. Without it there is no load. */
  readonly load?: LoadPlace
  /** Default: all. */
  readonly loads?: readonly Load[]
  /** How often each request is sent in a round. */
  readonly repeats?: number
  /** How often a figure over its limit is measured again. */
  readonly rounds?: number
  /** Silence in milliseconds after which a request counts as unanswered. Default: 10 s. */
  readonly patienceMs?: number
  readonly signal?: AbortSignal | undefined
  readonly onStep?: ((done: number, of: number, name: string) => void) | undefined
}

export interface BudgetReport {
  readonly kind: Probe['kind']
  readonly costLimitMs: number
  readonly costs: readonly RequestCost[]
  readonly loads: readonly LoadResult[]
  /** One sentence for each limit that was exceeded. */
  readonly failures: readonly string[]
}

/** @throws {Error} if the deployment does not answer any more, or the run is aborted */
export async function measureBudget(options: BudgetOptions): Promise<BudgetReport> {
  const { base, probe, place, sizes = smallSizes, load, signal, onStep } = options
  const { kind } = probe
  // Linux counts CPU time in steps of 10 ms, so it is measured over several requests.
  const { repeats = kind === 'cpu' ? 4 : 1, rounds = 4, patienceMs = 10_000 } = options
  const { requests = hostileRequests(place) } = options
  const { loads = allLoads } = options
  const kinds = load === undefined ? [] : loads.filter(({ targets }) => targets(load, 0).length > 0)
  const steps = requests.length + kinds.length
  const costs = await measureCosts({
    ...{ base, probe, requests, sizes, repeats, rounds, patienceMs, signal },
    concurrency: kind === 'cpu' ? 1 : 4,
    limitMs: costLimits[kind],
    onRequest: (at, name) => onStep?.(at, steps, name),
  })
  const held: LoadResult[] = []
  for (const [done, one] of kinds.entries()) {
    if (load === undefined) break
    onStep?.(requests.length + done, steps, one.name)
    held.push(await measureLoadInRounds(one, { base, probe, place: load, holdMs: 2000, signal }, rounds))
  }
  const failures = [...costs.flatMap((cost) => costFailures(cost, kind)), ...held.flatMap(loadFailures)]
  return { kind, costLimitMs: costLimits[kind], costs, loads: held, failures }
}

async function measureLoadInRounds(
  ...[load, options, rounds]: [...Parameters<typeof measureLoad>, number]
): Promise<LoadResult> {
  let best = await measureLoad(load, options)
  for (let round = 1; round < rounds && isOnlySlow(best); round++) {
    const again = await measureLoad(load, options)
    if (again.meanwhile.work < best.meanwhile.work) best = again
  }
  return best
}

/** Only waits are measured again: they depend a little on what else the machine does. */
const isOnlySlow = (result: LoadResult) => !isTooLarge(result) && isTooSlow(result)

const isTooLarge = ({ peakMiB }: LoadResult) => peakMiB !== null && peakMiB > memoryLimitMiB

const isTooSlow = ({ meanwhile }: LoadResult) => meanwhile.work > waitLimitMs

function costFailures(
  { name, bytes, status, beyondMs, isSilent, mayShrink }: RequestCost,
  kind: Probe['kind'],
): string[] {
  const request = `${name}, ${bytes.toLocaleString('en')} bytes`
  const unit = kind === 'cpu' ? 'ms of CPU' : 'ms'
  if (isSilent) return [`${request}: not answered in time`]
  if (beyondMs > costLimits[kind]) {
    return [`${request}: ${Math.round(beyondMs)} ${unit} beyond a plain request (limit ${costLimits[kind]})`]
  }
  if (status === null) return []
  if (status >= 500) return [`${request}: answered with ${status}`]
  if (bytes > sizeLimit && !mayShrink && !refusalsOfLength.includes(status)) {
    return [
      `${request}: answered with ${status}, although it is longer than ${sizeLimit.toLocaleString('en')} bytes`,
    ]
  }
  return []
}

function loadFailures(result: LoadResult): string[] {
  const { name, peakMiB, idle, meanwhile } = result
  return [
    ...(isTooLarge(result)
      ? [`${name}: ${Math.round(peakMiB ?? 0)} MiB of memory (limit ${memoryLimitMiB})`]
      : []),
    ...(isTooSlow(result)
      ? [
          `${name}: one of ten others waits until the server has worked for ${Math.round(meanwhile.work)} ms ` +
            `(limit ${waitLimitMs}), which took ${Math.round(meanwhile.ninetieth)} ms`,
        ]
      : []),
    ...(meanwhile.failed > idle.failed
      ? [`${name}: ${meanwhile.failed} of ${meanwhile.requests} requests of others failed`]
      : []),
  ]
}
