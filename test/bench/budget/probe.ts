/** Measures a server on this machine: the CPU time that it works, and its memory. Needs Linux. */

import { readdirSync, readFileSync } from 'node:fs'

export interface Probe {
  /** CPU time of each process by its id, in milliseconds. It grows; two readings are subtracted. */
  readonly cpuMs: () => ReadonlyMap<number, number>
  /** Resident memory of all processes. */
  readonly memoryMiB: () => number
  /** By which factor this machine is slower now than the one that the limits were set on; at least 1. */
  readonly slowness: () => number
}

/** Linux counts CPU time in ticks; `getconf CLK_TCK` is 100 on every machine that runs Node. */
const msPerTick = 10

/**
 * Processes of this machine and their descendants, with all threads.
 * @param pids for nginx the master: its workers are its children
 * @throws {Error} also from its methods, if a process has ended or there is no `/proc`
 */
export function processProbe(pids: readonly number[]): Probe {
  const measure = (figure: (pid: number) => number): ReadonlyMap<number, number> => {
    try {
      return new Map(pids.flatMap((pid) => figuresOf(pid, figure)))
    } catch (cause) {
      const reason = 'cannot be measured: one has ended, or this system has no /proc'
      throw new Error(`the processes ${pids.join(', ')} ${reason}`, { cause })
    }
  }
  measure(cpuMsOf)
  return {
    cpuMs: () => measure(cpuMsOf),
    memoryMiB: () => sumOf(measure(residentKiB)) / 1024,
    slowness: () => Math.max(1, fixedWorkMs() / usualFixedWorkMs),
  }
}

export const sumOf = (figures: ReadonlyMap<number, number>) =>
  [...figures.values()].reduce((total, figure) => total + figure, 0)

/** The figures of a process and of its descendants, without threads and descendants that end meanwhile. */
function figuresOf(pid: number, figure: (pid: number) => number): [pid: number, figure: number][] {
  const childrenOf = (thread: string) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').match(/\d+/g) ?? []
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => unlessEnded(() => childrenOf(thread)))
  const ofChildren = children.flatMap((child) => unlessEnded(() => figuresOf(Number(child), figure)))
  return [[pid, figure(pid)], ...ofChildren]
}

function unlessEnded<T>(read: () => T[]): T[] {
  try {
    return read()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ESRCH'].includes(code)) return []
    throw error
  }
}

/** Source: proc(5), stat: utime and stime are the fields 14 and 15; the name before may hold blanks and brackets. */
function cpuMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

function residentKiB(pid: number): number {
  const [, size = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(size)
}

/** What `fixedWorkMs` gives on the machine that the limits were set on: a small cloud machine of 2026. */
const usualFixedWorkMs = 30

/** CPU time that this process needs to read 14 MB of JSON: like answering, that takes processor, caches and memory. */
function fixedWorkMs(): number {
  const record = { date: '2024-01-01', name: 'Net asset value', value: '123.456789' }
  const text = JSON.stringify(Array.from({ length: 2000 }, () => record))
  const start = process.cpuUsage()
  for (let round = 0; round < 100; round++) JSON.parse(text)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
