/**
 * Clients that hold on to a server: they ask for much and read nothing, or send their request slowly. During each load we
 * watch the server's memory, and another client asks for a document. Every load has an end.
 */

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo, exchange } from '../../../src/extensions/conform/client.ts'
import { requestText } from './costs.ts'
import type { Place } from './hostile.ts'
import type { Probe } from './probe.ts'

export interface Load {
  readonly name: string
  readonly why: string
  readonly connections: number
  /** What each client asks for, one request after the other. */
  readonly targets: (place: Place, connection: number) => readonly string[]
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
    targets: ({ file }) => [file],
  },
  {
    name: '200 clients that do not read the longest range',
    why: 'an answer that is made in memory stays there until it is read',
    connections: 200,
    targets: ({ range }, at) => [`${range}?format=${at % 2 === 0 ? 'json' : 'xml'}`],
  },
  {
    name: 'one client that asks for 450 ranges at once',
    why: 'requests that wait for those before them may be answered already, in memory',
    connections: 1,
    targets: ({ range }) => Array.from({ length: 450 }, () => `${range}?format=json`),
  },
]

export interface LoadOptions {
  readonly base: string
  readonly probe: Probe
  readonly place: Place
  /** The shortest duration of a load in milliseconds. It lasts longer while memory grows. */
  readonly holdMs: number
}

export type LoadResult = Awaited<ReturnType<typeof measureLoad>>

/** How long nine of ten other clients may wait, in milliseconds of the server's CPU time on a machine of usual speed. */
const usualWaitLimitMs = 200
/** How long a load lasts at most. */
const longestMs = 20_000
/** Pause between two new clients. */
const betweenClientsMs = 5
/** Pause between two requests of other clients, however long the earlier ones wait. */
const betweenOthersMs = 25
/** After this time another client gives up. */
const patienceMs = 10_000
/** If memory grew by less than this in the last half of `holdMs`, it has stopped growing. */
const growthMiB = 8

/**
 * Opens the load, watches, and closes it.
 * @returns `idleMiB`, `peakMiB`: memory before the load, and its peak. `waitLimitMs`: how long `meanwhile.work` may be, longer on a
 * slow machine. `idle`, `meanwhile`: how long others waited, before the load and during it
 */
export async function measureLoad(load: Load, options: LoadOptions) {
  const { probe, holdMs } = options
  const slowBefore = probe.slowness()
  const stopIdle = askOthers(options)
  await sleep(500)
  const idle = await stopIdle()
  const idleMiB = probe.memoryMiB()
  let peakMiB = idleMiB
  const look = () => (peakMiB = Math.max(peakMiB, probe.memoryMiB()))
  const watch = setInterval(look, 50)
  const stopOthers = askOthers(options)
  const close = openLoad(load, options)
  try {
    const start = Date.now()
    let isOver = false
    while (!isOver) {
      const before = peakMiB
      await sleep(holdMs / 2)
      look()
      const lasted = Date.now() - start
      const grown = peakMiB - before
      isOver = lasted >= holdMs && (grown <= growthMiB || lasted >= longestMs)
    }
  } finally {
    clearInterval(watch)
    close()
  }
  const meanwhile = await stopOthers()
  const waitLimitMs = usualWaitLimitMs * Math.max(slowBefore, probe.slowness())
  return { name: load.name, idleMiB, peakMiB, waitLimitMs, idle, meanwhile }
}

/** @returns closes all connections */
function openLoad({ connections, targets, isSlow = false }: Load, { base, place }: LoadOptions): () => void {
  const sockets = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  const open = (at: number) => {
    const socket = connectFrom(base, at)
    // The server may defend itself by closing the connection: that is not a failure.
    socket.on('error', () => undefined)
    socket.pause()
    sockets.add(socket)
    const texts = targets(place, at).map((target) => requestText(base, { target, headers: [] }, 'keep-alive'))
    const text = texts.join('')
    socket.write(isSlow ? `${text.slice(0, -2)}X-Slow: ` : text)
    if (isSlow) timers.add(setInterval(() => socket.writable && socket.write('a'), 500))
  }
  for (let at = 0; at < connections; at++) timers.add(setTimeout(open, at * betweenClientsMs, at))
  return () => {
    timers.forEach(clearTimeout)
    sockets.forEach((socket) => socket.destroy())
  }
}

/** An address has fewer connections than nginx allows one. Other machines see ours as one address. */
const connectionsPerAddress = 40

/** On this machine, at an address of its own for each group: the kernel takes all of 127.0.0.0/8 for here. */
function connectFrom(base: string, connection: number): Socket {
  const { hostname, port } = new URL(base)
  if (hostname !== '127.0.0.1') return connectTo(base)
  const localAddress = `127.0.1.${1 + Math.floor(connection / connectionsPerAddress)}`
  return connect({ host: hostname, port: Number(port), localAddress })
}

/** Asks for the document at fixed times, however long earlier requests wait. @returns stops, and waits for all answers */
function askOthers({ base, place, probe }: LoadOptions) {
  const text = requestText(base, { target: place.document, headers: [] })
  const ask = async () => {
    const start = performance.now()
    const before = probe.cpuMs()
    const { text: answer, isSilent } = await exchange(base, text, patienceMs)
    const ms = performance.now() - start
    // We cannot see which of the processes answers.
    const works = [...probe.cpuMs()].map(([pid, time]) => time - (before.get(pid) ?? 0))
    const work = Math.min(ms, Math.max(...works))
    return { ms, work, isFailed: !isSilent && !/^HTTP\/1\.[01] 200/.test(answer) }
  }
  const asked: ReturnType<typeof ask>[] = []
  const timer = setInterval(() => asked.push(ask()), betweenOthersMs)
  return async () => {
    clearInterval(timer)
    const answers = await Promise.all(asked)
    const quantile = (of: 'ms' | 'work', part: number) =>
      answers.map((answer) => answer[of]).sort((a, b) => a - b)[Math.floor(answers.length * part)] ?? 0
    return {
      // In milliseconds. Nine of ten waited at most `ninetieth`.
      median: quantile('ms', 0.5),
      ninetieth: quantile('ms', 0.9),
      worst: Math.max(0, ...answers.map(({ ms }) => ms)),
      /** CPU time that the server worked while nine of ten waited: it does not depend on what else the machine does. */
      work: quantile('work', 0.9),
      requests: answers.length,
      /** Answers with a status other than 200, and connections that were closed without an answer. */
      failed: answers.filter(({ isFailed }) => isFailed).length,
    }
  }
}
