/**
 * Clients that hold on to a server: they ask for much and read nothing, or take their time to ask. While each kind of
 * them is there, the server's memory is watched, and somebody else asks for a document. Every load has an end.
 */

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo, exchange } from '../connection.ts'
import { textOf } from './costs.ts'
import type { Probe } from './probe.ts'

export interface LoadPlace {
  /** What others ask for meanwhile. */
  readonly document: string
  /** The longest range of prices that there is, without its format; null without prices. */
  readonly range: string | null
  /** The largest file that there is; null without downloads. */
  readonly file: string | null
}

export interface Load {
  readonly name: string
  readonly why: string
  readonly connections: number
  /** What each of them asks for, one request after the other; nothing where the place does not have it. */
  readonly targets: (place: LoadPlace, connection: number) => readonly string[]
  /** Whether the last request is not ended: a byte of it comes now and then. */
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
  /** How long a load lasts at least; longer while memory grows. In milliseconds. */
  readonly holdMs: number
  readonly signal: AbortSignal | undefined
}

export interface LoadResult extends Pick<Load, 'name' | 'why'> {
  /** Before the load, and the most while it was there; null where it cannot be measured. */
  readonly idleMiB: number | null
  readonly peakMiB: number | null
  /** How long others waited, before the load and while it was there. */
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
   * Nine of ten waited for at most that much work of the server. With CPU time this does not depend on what else the
   * machine does; where it cannot be measured, it is the same as `ninetieth`.
   */
  readonly work: number
  readonly requests: number
  /** Answers that were no 200, and connections that were closed without one. */
  readonly failed: number
}

/** How long a load lasts at most. */
const longestMs = 20_000

/** Clients do not come all at the same moment. */
const betweenClientsMs = 5

/** Others come as often, however long those before them wait. */
const betweenOthersMs = 25

/** How long somebody else waits before giving up. */
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
    // The server may close it, which is no failure: that is how it defends itself.
    socket.on('error', () => undefined)
    socket.pause()
    sockets.add(socket)
    const texts = targets(place, at).map((target) => textOf(base, { target, headers: [] }, 'keep-alive'))
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

/** Asks for the document at fixed times: who waits long does not keep others from coming. */
function askOthers({ base, place, probe }: LoadOptions): { readonly stop: () => Promise<Waits> } {
  const text = textOf(base, { target: place.document, headers: [] })
  const asked: Promise<{ readonly ms: number; readonly work: number; readonly isFailed: boolean }>[] = []
  const ask = async () => {
    const [start, before] = [performance.now(), probe.timesMs()]
    const { text: answer, isSilent } = await exchange(base, text, patienceMs)
    const ms = performance.now() - start
    // One of the processes answers; which one, cannot be seen.
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

/** A server that has not grown by more than this since it was last asked, has all that it takes. */
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
