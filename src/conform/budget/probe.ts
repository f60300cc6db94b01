/** What the budget measures with: the time that a server works, and the memory that it holds. */

import { readdirSync, readFileSync } from 'node:fs'

export interface Probe {
  /** What `timeMs` tells: the work of the server's processes, or the time that goes by. */
  readonly kind: 'cpu' | 'wall'
  /** Grows; two readings are subtracted. In milliseconds. */
  readonly timeMs: () => number
  /** Resident, of all processes together, in MiB; null where nobody can know. */
  readonly memoryMiB: () => number | null
}

/** For a deployment elsewhere: time goes by on the network, too, and its memory is its own. */
export const wallProbe = (clock: () => number): Probe => ({
  kind: 'wall',
  timeMs: clock,
  memoryMiB: () => null,
})

/** Linux counts CPU time in these; getconf CLK_TCK is 100 on every machine that Node runs on. */
const msPerTick = 10

/**
 * Processes of this machine and their descendants, with all threads. Needs Linux.
 * @param pids for nginx the master: its workers are its children
 * @throws {Error} also from its methods, if a process is gone, or there is no `/proc`
 */
export function processProbe(pids: readonly number[]): Probe {
  const total = (measure: (pid: number) => number) => {
    try {
      const all = new Set(pids.flatMap(withDescendants))
      return [...all].map(measure).reduce((sum, figure) => sum + figure, 0)
    } catch (error) {
      const names = pids.length === 1 ? `process ${pids.join()}` : `one of the processes ${pids.join(', ')}`
      throw new Error(`${names} cannot be measured: it has ended, or this system has no /proc`, {
        cause: error,
      })
    }
  }
  total(cpuTicks)
  return {
    kind: 'cpu',
    timeMs: () => total(cpuTicks) * msPerTick,
    memoryMiB: () => total(residentKiB) / 1024,
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
function cpuTicks(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function residentKiB(pid: number): number {
  const [, size = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(size)
}
