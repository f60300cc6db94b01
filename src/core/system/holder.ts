import { hash, randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { systemCode } from './message.ts'

/** A process, distinct from others with the same number on this or another machine. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Machine, boot and process namespace: two holders with the same one see each other's processes. */
  readonly world: string
  /** The kernel's time of the start, since process numbers are used again. Absent if unknown. */
  readonly startedAt?: string | undefined
}

export function thisHolder(): Holder {
  const { pid } = process
  return { host: hostname(), pid, world: worldHere(), startedAt: statOf(pid)?.startedAt }
}

/** Tests a holder of this world. An unknown state counts as alive. */
export function isAlive({ pid, startedAt }: Pick<Holder, 'pid'> & Partial<Holder>): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    if (systemCode(error) === 'ESRCH') return false
  }
  const stat = statOf(pid)
  if (stat === undefined) return true
  // Z and X: the process has ended, and its parent has not read its exit code.
  return !/[ZX]/.test(stat.state) && (startedAt === undefined || stat.startedAt === startedAt)
}

/** `<world>-<pid>-<start>`, for names. Containers that share a disk have processes of the same numbers. */
export const markOf = ({ world, pid, startedAt = '0' }: Holder): string =>
  `${markOfWorld(world)}-${pid}-${startedAt}`

const markOfWorld = (world: string) => hash('sha256', world).slice(0, 12)

/** True if the process of a {@link markOf} has ended, or cannot be seen and has changed nothing for `unknownForMs`. */
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
