/** Measures a server: the time that it works, and its memory. */

import { readdirSync, readFileSync } from 'node:fs'

export interface Probe {
  /** The meaning of `timeMs`: CPU time of the server's processes, or wall time. */
  readonly kind: 'cpu' | 'wall'
  /** Grows; two readings are subtracted. In milliseconds, of all processes together. */
  readonly timeMs: () => number
  /** The same for each process, by its id. One of them gives an answer. */
  readonly timesMs: () => ReadonlyMap<number, number>
  /** Resident memory of all processes in MiB; null if it cannot be measured. */
  readonly memoryMiB: () => number | null
}

/** For a deployment elsewhere: wall time, which includes the network. Its memory is unknown. */
export const wallProbe = (clock: () => number): Probe => ({
  kind: 'wall',
  timeMs: clock,
  timesMs: () => new Map([[0, clock()]]),
  memoryMiB: () => null,
})

/** Linux counts CPU time in ticks; `getconf CLK_TCK` is 100 on every machine that runs Node. */
const msPerTick = 10

/**
 * Processes of this machine and their descendants, with all threads. Needs Linux.
 * @param pids for nginx the master: its workers are its children
 * @throws {Error} also from its methods, if a process has ended or there is no `/proc`
 */
export function processProbe(pids: readonly number[]): Probe {
  const measure = (figure: (pid: number) => number): ReadonlyMap<number, number> => {
    try {
      return new Map(pids.flatMap(withDescendants).map((pid) => [pid, figure(pid)]))
    } catch (error) {
      const names = pids.length === 1 ? `process ${pids.join()}` : `one of the processes ${pids.join(', ')}`
      throw new Error(`${names} cannot be measured: it has ended, or this system has no /proc`, {
        cause: error,
      })
    }
  }
  const sum = (figures: ReadonlyMap<number, number>) =>
    [...figures.values()].reduce((total, figure) => total + figure, 0)
  measure(cpuMs)
  return {
    kind: 'cpu',
    timeMs: () => sum(measure(cpuMs)),
    timesMs: () => measure(cpuMs),
    memoryMiB: () => sum(measure(residentKiB)) / 1024,
  }
}

function withDescendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )
  return [pid, ...children.flatMap(withDescendants)]
}

/** Source: proc(5), stat: utime and stime are the fields 14 and 15; the name before may hold blanks and brackets. */
function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

function residentKiB(pid: number): number {
  const [, size = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(size)
}
