/**
 * Clients that hold on to a server: they ask for much and read nothing, or send their request slowly. During each load we
 * watch the server's memory, and another client asks for a document. Every load has an end.
 */

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestText } from './costs.ts'
import type { BudgetPlace } from './hostile.ts'
import type { Probe } from './probe.ts'
import { type Client, connectTo, exchange } from '../client.ts'
import type { AnsweredRequest } from '../requests.ts'

export interface LoadPlace {
  /** What other clients ask for during a load. */
  readonly document: string
  /** The longest range of prices without its format; null without prices. */
  readonly range: string | null
  /** The largest file; null without downloads. */
  readonly file: string | null
}

export interface Load {
  readonly name: string
  readonly why: string
  readonly connections: number
  /** What each client asks for, one request after the other; empty if the deployment has no such thing. */
  readonly targets: (place: LoadPlace, connection: number) => readonly string[]
  /** Whether the clients never finish a request, but send a byte of it now and then. */
  readonly isSlow?: boolean
}

export const allLoads: readonly Load[] = [
  {
    name: '200 clients that send a header byte by byte',
    why: 'each holds a connection, and a worker if there is one for each',
    connections: 200,
    targets: ({ document }) => [document],
    isSlow: true,
  },
  {
    name: '200 clients that do not read a large file',
    why: 'what is read ahead for each of them adds up',
    connections: 200,
    targets: ({ file }) => (file === null ? [] : [file]),
  },
  {
    name: '200 clients that do not read the longest range',
    why: 'an answer that is made in memory stays there until it is read',
    connections: 200,
    targets: ({ range }, connection) =>
      range === null ? [] : [`${range}?format=${connection % 2 === 0 ? 'json' : 'xml'}`],
  },
  {
    name: 'one client that asks for 450 ranges at once',
    why: 'requests that wait for those before them may be answered already, in memory',
    connections: 1,
    targets: ({ range }) => (range === null ? [] : Array.from({ length: 450 }, () => `${range}?format=json`)),
  },
]

export interface LoadOptions {
  readonly base: string
  readonly probe: Probe
  readonly place: LoadPlace
  /** The shortest duration of a load in milliseconds. It lasts longer while memory grows. */
  readonly holdMs: number
  readonly signal: AbortSignal | undefined
}

export interface LoadResult extends Pick<Load, 'name' | 'why'> {
  /** Memory before the load and its peak; null if it cannot be measured. */
  readonly idleMiB: number | null
  readonly peakMiB: number | null
  /** How long other clients waited, before the load and during it. */
  readonly idle: Waits
  readonly meanwhile: Waits
}

/** In milliseconds. */
export interface Waits {
  readonly median: number
  /** Nine of ten waited at most that long. */
  readonly ninetieth: number
  readonly worst: number
  /**
   * CPU time that the server worked while nine of ten waited. It does not depend on what else the machine does. Without CPU
   * time it is the same as `ninetieth`.
   */
  readonly work: number
  readonly requests: number
  /** Answers with a status other than 200, and connections that were closed without an answer. */
  readonly failed: number
}

/** How long a load lasts at most. */
const longestMs = 20_000

/** Pause between two new clients. */
const betweenClientsMs = 5

/** Pause between two requests of other clients, however long the earlier ones wait. */
const betweenOthersMs = 25

/** After this time another client gives up. */
const patienceMs = 10_000

/** Opens the load, watches, and closes it. */
export async function measureLoad(load: Load, options: LoadOptions): Promise<LoadResult> {
  const { probe, holdMs, signal } = options
  const others = askOthers(options)
  await sleep(500)
  const idle = await others.stop()
  const memory = watchMemory(probe)
  const othersMeanwhile = askOthers(options)
  const clients = openLoad(load, options)
  try {
    const start = Date.now()
    do {
      await sleep(holdMs / 2, undefined, { signal })
    } while (Date.now() < start + holdMs || (memory.isGrowing() && Date.now() < start + longestMs))
  } finally {
    memory.stop()
    clients.close()
  }
  const { name, why } = load
  const { idleMiB, peakMiB } = memory
  return { name, why, idleMiB, peakMiB: peakMiB(), idle, meanwhile: await othersMeanwhile.stop() }
}

function openLoad({ connections, targets, isSlow = false }: Load, { base, place }: LoadOptions) {
  const sockets = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  const open = (at: number) => {
    const socket = connectTo(base)
    // The server may defend itself by closing the connection: that is not a failure.
    socket.on('error', () => undefined)
    socket.pause()
    sockets.add(socket)
    const texts = targets(place, at).map((target) => requestText(base, { target, headers: [] }, 'keep-alive'))
    if (!isSlow) {
      socket.write(texts.join(''))
      return
    }
    socket.write(`${texts.join('').slice(0, -2)}X-Slow: `)
    timers.add(setInterval(() => socket.writable && socket.write('a'), 500))
  }
  for (let at = 0; at < connections; at++) timers.add(setTimeout(open, at * betweenClientsMs, at))
  return {
    close: () => {
      timers.forEach(clearTimeout)
      sockets.forEach((socket) => socket.destroy())
    },
  }
}

/** Asks for the document at fixed times, however long earlier requests wait. */
function askOthers({ base, place, probe }: LoadOptions): { readonly stop: () => Promise<Waits> } {
  const text = requestText(base, { target: place.document, headers: [] })
  const asked: Promise<{ readonly ms: number; readonly work: number; readonly isFailed: boolean }>[] = []
  const ask = async () => {
    const [start, before] = [performance.now(), probe.timesMs()]
    const { text: answer, isSilent } = await exchange(base, text, patienceMs)
    const ms = performance.now() - start
    // We cannot see which of the processes answers.
    const works = [...probe.timesMs()].map(([pid, time]) => time - (before.get(pid) ?? 0))
    const work = Math.min(ms, Math.max(...works))
    return { ms, work, isFailed: !isSilent && !/^HTTP\/1\.[01] 200/.test(answer) }
  }
  const timer = setInterval(() => asked.push(ask()), betweenOthersMs)
  return {
    stop: async () => {
      clearInterval(timer)
      const answers = await Promise.all(asked)
      const waits = answers.map(({ ms }) => ms)
      return {
        median: quantile(waits, 0.5),
        ninetieth: quantile(waits, 0.9),
        worst: Math.max(0, ...waits),
        work: quantile(
          answers.map(({ work }) => work),
          0.9,
        ),
        requests: answers.length,
        failed: answers.filter(({ isFailed }) => isFailed).length,
      }
    },
  }
}

const quantile = (figures: readonly number[], part: number) =>
  figures.toSorted((one, other) => one - other)[Math.floor(figures.length * part)] ?? 0

/** If memory grew by less than this since the last look, it has stopped growing. */
const growthMiB = 8

function watchMemory(probe: Probe) {
  const idleMiB = probe.memoryMiB()
  let peak = idleMiB
  let peakBefore = 0
  const look = () => {
    const now = probe.memoryMiB()
    if (now !== null) peak = Math.max(peak ?? 0, now)
  }
  const timer = setInterval(look, 50)
  return {
    idleMiB,
    peakMiB: () => peak,
    /** Since this was asked last. */
    isGrowing: () => {
      look()
      const grown = (peak ?? 0) - peakBefore
      peakBefore = peak ?? 0
      return grown > growthMiB
    },
    stop: () => {
      look()
      clearInterval(timer)
    },
  }
}

/** @param examples without any fund they are those of all funds */
export function findPlace(examples: readonly AnsweredRequest[]): BudgetPlace {
  const document = (examples.find(({ target }) => target.includes('/figures/')) ?? examples[0])?.target ?? '/'
  const [isin = 'LU000NOSUCH8'] = /[A-Z]{2}[0-9A-Z]{9}[0-9](?=\/$)/.exec(document) ?? []
  return { document, isin, page: '/docs/' }
}

/** Reads the list of downloads to find the largest file. @throws {NoAnswer} */
export async function findLoadPlace(
  examples: readonly AnsweredRequest[],
  client: Client,
): Promise<LoadPlace> {
  const { document } = findPlace(examples)
  const range = examples.find(({ kind }) => kind === 'the whole history')?.target ?? null
  const { status, body } = await client.ask({ target: `${downloads}datapackage.json` })
  return { document, range, file: status === 200 ? largestFile(body.toString()) : null }
}

const downloads = '/downloads/latest/'

function largestFile(text: string): string | null {
  const { resources } = JSON.parse(text) as { resources: readonly { path: string; bytes: number }[] }
  const [largest] = [...resources].sort((one, other) => other.bytes - one.bytes)
  return largest === undefined ? null : downloads + largest.path
}
