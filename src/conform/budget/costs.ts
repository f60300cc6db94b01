/** What each hostile request costs the server beyond a request in good faith of the same length. */

import { exchange } from '../connection.ts'
import type { Probe } from './probe.ts'
import type { HostileRequest, RawRequest } from './hostile-request.ts'
import { plainRequest } from './requests.ts'

export interface CostOptions {
  readonly base: string
  readonly probe: Probe
  readonly requests: readonly HostileRequest[]
  /** Bytes of request line and headers, ascending. */
  readonly sizes: readonly number[]
  /** How often each request is sent a round. */
  readonly repeats: number
  /** How often a cost that is over the limit is measured anew: the lowest counts. */
  readonly rounds: number
  /** Milliseconds of the probe's time. */
  readonly limitMs: number
  /** How long an answer may be silent before the request counts as unanswered. In milliseconds. */
  readonly patienceMs: number
  readonly signal: AbortSignal | undefined
  /** How many requests are measured at a time; with CPU time one, since all of it counts. */
  readonly concurrency: number
  readonly onRequest: (at: number, name: string) => void
}

export interface Cost extends Pick<HostileRequest, 'name' | 'why'> {
  readonly mayShrink: boolean
  readonly bytes: number
  /** Of the answer; null if there was none, or nothing that is HTTP. */
  readonly status: number | null
  /** Whether the body is an error document with that status. */
  readonly hasDocument: boolean
  readonly plainMs: number
  /** One request more costs this; negative where it costs less. */
  readonly beyondMs: number
  /** The server had not answered when the patience ended: it costs more. */
  readonly isSilent: boolean
}

/** How long the server may take to come back to itself after a request that was not answered. */
const recoveryMs = 60_000

/** @throws {Error} if nothing answers any more */
export async function measureCosts(options: CostOptions): Promise<Cost[]> {
  const { requests, concurrency, onRequest } = options
  const plainCosts = new Map<string, number>()
  const costs: Cost[][] = requests.map(() => [])
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

/** A longer request is not sent if a shorter one of its kind was over the limit. */
async function costsOf(
  options: CostOptions,
  request: HostileRequest,
  plainCosts: Map<string, number>,
): Promise<Cost[]> {
  const { sizes, limitMs, signal } = options
  const costs: Cost[] = []
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
  request: HostileRequest,
  bytes: number,
  plainCosts: Map<string, number>,
): Promise<Cost> {
  const { base, rounds, limitMs } = options
  const { name, why, plain, mayShrink = false } = request
  const hostile = textOf(base, request.make(bytes))
  const plainText = textOf(base, plainRequest(plain, bytes))
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

interface Timed extends Pick<Cost, 'status' | 'hasDocument' | 'isSilent'> {
  /** Of one request. */
  readonly ms: number
}

/** Sends the request again and again; not any more, once it is clear that it is too much. */
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
  { name, plain }: HostileRequest,
): Promise<void> {
  for (let waited = 0; waited < recoveryMs; waited += patienceMs) {
    signal?.throwIfAborted()
    const { text } = await exchange(base, textOf(base, plainRequest(plain, 200)), patienceMs)
    if (text !== '') return
  }
  throw new Error(`${base} does not answer any more after a hostile request (${name})`)
}

/** @param base its path goes before the target */
export function textOf(base: string, { target, headers }: RawRequest, connection = 'close'): string {
  const { host, pathname } = new URL(base)
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  const line = `GET ${pathname.replace(/\/$/, '')}${target} HTTP/1.1\r\n`
  return `${line}Host: ${host}\r\nConnection: ${connection}\r\n${lines.join('')}\r\n`
}
