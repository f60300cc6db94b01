/** A process as the holder of a lease or of a temporary folder, and whether it still runs. */

import { hash, randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, distinct from others with the same number on this or another machine. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Machine, boot and process namespace: two holders with the same one see each other's processes. */
  readonly world: string
  /** When it began, as the kernel says: process numbers are used again. Absent if the kernel does not say. */
  readonly startedAt?: string | undefined
}

/** This process. */
export function thisHolder(): Holder {
  const { pid } = process
  return { host: hostname(), pid, world: worldHere(), startedAt: statOf(pid)?.startedAt }
}

/** Whether a holder of this world still runs. What cannot be found out counts as alive. */
export function isAlive({ pid, startedAt }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is there, and another user's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const stat = statOf(pid)
  if (stat === undefined) return true
  // Z and X: it has ended, and its parent has not asked how.
  return !/[ZX]/.test(stat.state) && (startedAt === undefined || stat.startedAt === startedAt)
}

/** For the name of what a process holds: `<world>-<pid>-<start>`. Containers that share a disk have processes of the same numbers. */
export const markOf = ({ world, pid, startedAt = '0' }: Holder): string =>
  `${markOfWorld(world)}-${pid}-${startedAt}`

const markOfWorld = (world: string) => hash('sha256', world).slice(0, 12)

/**
 * Whether a process has left this behind: the process has ended, or cannot be seen from here and has changed nothing for `unknownForMs`.
 * @param mark as in the name; earlier versions wrote others
 */
export function isLeftBehind(path: string, mark: string, unknownForMs: number): boolean {
  const { host, world } = thisHolder()
  const [, where, pid, start] = /^([0-9a-f]{12})-(\d+)-(\d+)$/.exec(mark) ?? []
  if (where !== markOfWorld(world)) return Date.now() - lstatSync(path).mtimeMs > unknownForMs
  return !isAlive({ host, world, pid: Number(pid), startedAt: start === '0' ? undefined : start })
}

/** Machine, boot and process namespace. If they are unknown, a world of its own, in which no process counts as dead. */
function worldHere(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return `${hostname()} ${randomUUID()}`
  }
}

/** Source: proc_pid_stat(5): pid (name) state … starttime is the 22nd; a name can hold spaces and brackets. */
function statOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const { 0: state = '', 19: startedAt = '' } = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, startedAt }
  } catch {
    return undefined
  }
}
