/** What each hostile request costs the server beyond a request in good faith of the same length. */

import { setTimeout as pause } from 'node:timers/promises'
import { exchange } from '../../../src/extensions/conform/client.ts'
import { type RawRequest, plainRequest, type CostlyRequest } from './hostile.ts'
import { type Probe, sumOf } from './probe.ts'

/** Milliseconds of CPU that a hostile request may cost beyond one in good faith, on a machine of usual speed. */
export const costLimitMs = 20

export interface CostOptions {
  readonly base: string
  readonly probe: Probe
  readonly requests: readonly CostlyRequest[]
  /** Bytes of request line and headers, ascending. */
  readonly sizes: readonly number[]
  /** How often each request is sent in a round: Linux counts CPU time in steps of 10 ms. */
  readonly repeats: number
  /** How often a figure over its limit is measured at most. The lowest counts. */
  readonly rounds: number
  /** Silence in milliseconds after which a request counts as unanswered. */
  readonly patienceMs: number
}

export interface RequestCost extends Pick<CostlyRequest, 'name'> {
  readonly mayShrink: boolean
  readonly bytes: number
  /** Status of the answer; null if there was no answer, or it was not HTTP. */
  readonly status: number | null
  /** Whether the body is an error document with that status. */
  readonly hasDocument: boolean
  readonly plainMs: number
  /** The difference of the two costs; negative if the hostile request costs less. */
  readonly beyondMs: number
  /** How high `beyondMs` may be, higher on a slow machine. */
  readonly limitMs: number
  /** Whether the server had not answered in time: the cost is higher than `beyondMs`. */
  readonly isSilent: boolean
}

/** How long the server may take to recover after a request that it did not answer. */
const recoveryMs = 60_000

/** @throws {Error} if nothing answers any more */
export async function measureCosts(options: CostOptions): Promise<RequestCost[]> {
  const plainCosts = new Map<string, number>()
  const costs: RequestCost[] = []
  // All CPU time of the server counts, so only one request is measured at a time.
  for (const request of options.requests) costs.push(...(await costsOf(options, request, plainCosts)))
  return costs
}

/** Sends no longer request if a shorter one of its kind was over the limit. */
async function costsOf(
  options: CostOptions,
  request: CostlyRequest,
  plainCosts: Map<string, number>,
): Promise<RequestCost[]> {
  const { base, probe, sizes, rounds } = options
  const { name, plain, mayShrink = false } = request
  const costs: RequestCost[] = []
  for (const bytes of sizes) {
    const hostile = requestText(base, request.make(bytes))
    const plainText = requestText(base, plainRequest(plain, bytes))
    const measurePlain = async () => {
      const { ms } = await measureText(options, plainText)
      plainCosts.set(plainText, Math.min(ms, plainCosts.get(plainText) ?? Infinity))
    }
    const beyond = (ms: number) => ms - (plainCosts.get(plainText) ?? 0)
    if (!plainCosts.has(plainText)) await measurePlain()
    let lowest = await measureText(options, hostile)
    let limitMs = costLimitMs
    for (let round = 1; round < rounds && !lowest.isSilent && beyond(lowest.ms) > limitMs; round++) {
      // What else the machine does comes in bursts of seconds.
      await pause(250 * 2 ** round)
      limitMs = Math.max(limitMs, costLimitMs * probe.slowness())
      await measurePlain()
      const again = await measureText(options, hostile)
      if (again.ms < lowest.ms) lowest = again
    }
    const { ms, ...answered } = lowest
    const plainMs = plainCosts.get(plainText) ?? 0
    costs.push({ name, mayShrink, bytes, ...answered, plainMs, beyondMs: beyond(ms), limitMs })
    if (answered.isSilent) await recover(options, request)
    if (answered.isSilent || beyond(ms) > limitMs) break
  }
  return costs
}

/** The CPU time of one request. Repeats it until the limit is clearly exceeded. */
async function measureText({ base, probe, repeats, patienceMs }: CostOptions, text: string) {
  const start = sumOf(probe.cpuMs())
  let answer = ''
  for (let sent = 1; ; sent++) {
    const { text: received, isSilent } = await exchange(base, text, patienceMs)
    // A server that refuses a request before its end may close the connection before its answer gets through.
    if (received !== '') answer = received
    const spent = sumOf(probe.cpuMs()) - start
    if (!isSilent && sent < repeats && spent < 2 * repeats * costLimitMs) continue
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer) ?? []
    const [, json, xml] = /"status":(\d{3})\}$|<status>(\d{3})<\/status><\/root>$/.exec(answer) ?? []
    const hasDocument = status !== undefined && (json ?? xml) === status
    return { ms: spent / sent, status: status === undefined ? null : Number(status), hasDocument, isSilent }
  }
}

async function recover({ base, patienceMs }: CostOptions, { name, plain }: CostlyRequest) {
  for (let waited = 0; waited < recoveryMs; waited += patienceMs) {
    const { text } = await exchange(base, requestText(base, plainRequest(plain, 200)), patienceMs)
    if (text !== '') return
  }
  throw new Error(`${base} does not answer any more after a hostile request (${name})`)
}

/** @param base its path goes before the target */
export function requestText(base: string, { target, headers }: RawRequest, connection = 'close'): string {
  const { host, pathname } = new URL(base)
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  const line = `GET ${pathname.replace(/\/$/, '')}${target} HTTP/1.1\r\n`
  return `${line}Host: ${host}\r\nConnection: ${connection}\r\n${lines.join('')}\r\n`
}
