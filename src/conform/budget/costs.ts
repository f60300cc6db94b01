/** What each hostile request costs the server beyond a request in good faith of the same length. */

import { type RawRequest, plainRequest, type CostlyRequest } from './hostile.ts'
import type { Probe } from './probe.ts'
import { exchange } from '../client.ts'

export interface CostOptions {
  readonly base: string
  readonly probe: Probe
  readonly requests: readonly CostlyRequest[]
  /** Bytes of request line and headers, ascending. */
  readonly sizes: readonly number[]
  /** How often each request is sent in a round. */
  readonly repeats: number
  /** How often a cost over the limit is measured again. The lowest result counts. */
  readonly rounds: number
  /** Milliseconds of the probe's time. */
  readonly limitMs: number
  /** Silence in milliseconds after which a request counts as unanswered. */
  readonly patienceMs: number
  readonly signal: AbortSignal | undefined
  /** Requests that are measured at the same time. With CPU time only one, since all CPU time counts. */
  readonly concurrency: number
  readonly onRequest: (at: number, name: string) => void
}

export interface RequestCost extends Pick<CostlyRequest, 'name' | 'why'> {
  readonly mayShrink: boolean
  readonly bytes: number
  /** Status of the answer; null if there was no answer, or it was not HTTP. */
  readonly status: number | null
  /** Whether the body is an error document with that status. */
  readonly hasDocument: boolean
  readonly plainMs: number
  /** The difference of the two costs; negative if the hostile request costs less. */
  readonly beyondMs: number
  /** Whether the server had not answered in time: the cost is higher than `beyondMs`. */
  readonly isSilent: boolean
}

/** How long the server may take to recover after a request that it did not answer. */
const recoveryMs = 60_000

/** @throws {Error} if nothing answers any more */
export async function measureCosts(options: CostOptions): Promise<RequestCost[]> {
  const { requests, concurrency, onRequest } = options
  const plainCosts = new Map<string, number>()
  const costs: RequestCost[][] = requests.map(() => [])
  const waiting = requests.entries()
  const work = async (): Promise<void> => {
    for (const [at, request] of waiting) {
      onRequest(at, request.name)
      costs[at] = await costsOf(options, request, plainCosts)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return costs.flat()
}

/** Sends no longer request if a shorter one of its kind was over the limit. */
async function costsOf(
  options: CostOptions,
  request: CostlyRequest,
  plainCosts: Map<string, number>,
): Promise<RequestCost[]> {
  const { sizes, limitMs, signal } = options
  const costs: RequestCost[] = []
  for (const bytes of sizes) {
    signal?.throwIfAborted()
    const cost = await measureCost(options, request, bytes, plainCosts)
    costs.push(cost)
    if (cost.isSilent) await recover(options, request)
    if (cost.isSilent || cost.beyondMs > limitMs) break
  }
  return costs
}

async function measureCost(
  options: CostOptions,
  request: CostlyRequest,
  bytes: number,
  plainCosts: Map<string, number>,
): Promise<RequestCost> {
  const { base, rounds, limitMs } = options
  const { name, why, plain, mayShrink = false } = request
  const hostile = requestText(base, request.make(bytes))
  const plainText = requestText(base, plainRequest(plain, bytes))
  const lowerPlain = async (): Promise<number> => {
    const { ms } = await timeOf(options, plainText)
    const lowest = Math.min(ms, plainCosts.get(plainText) ?? Infinity)
    plainCosts.set(plainText, lowest)
    return lowest
  }
  let plainMs = plainCosts.get(plainText) ?? (await lowerPlain())
  let lowest = await timeOf(options, hostile)
  for (let round = 1; round < rounds && !lowest.isSilent && lowest.ms - plainMs > limitMs; round++) {
    plainMs = await lowerPlain()
    const again = await timeOf(options, hostile)
    if (again.ms < lowest.ms) lowest = again
  }
  const { ms, ...answered } = lowest
  return { name, why, mayShrink, bytes, ...answered, plainMs, beyondMs: ms - plainMs }
}

interface Timed extends Pick<RequestCost, 'status' | 'hasDocument' | 'isSilent'> {
  /** Time of one request. */
  readonly ms: number
}

/** Repeats the request until the limit is clearly exceeded. */
async function timeOf(
  { base, probe, repeats, limitMs, patienceMs }: CostOptions,
  text: string,
): Promise<Timed> {
  const start = probe.timeMs()
  for (let sent = 1; ; sent++) {
    const { text: answer, isSilent } = await exchange(base, text, patienceMs)
    const spent = probe.timeMs() - start
    if (!isSilent && sent < repeats && spent < 2 * repeats * limitMs) continue
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer) ?? []
    const [, json, xml] = /"status":(\d{3})\}$|<status>(\d{3})<\/status><\/root>$/.exec(answer) ?? []
    const hasDocument = status !== undefined && (json ?? xml) === status
    return { ms: spent / sent, status: status === undefined ? null : Number(status), hasDocument, isSilent }
  }
}

async function recover(
  { base, patienceMs, signal }: CostOptions,
  { name, plain }: CostlyRequest,
): Promise<void> {
  for (let waited = 0; waited < recoveryMs; waited += patienceMs) {
    signal?.throwIfAborted()
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
