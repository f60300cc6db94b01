/** Who holds the lease: this process, told apart from all others, and whether another one still lives. */

import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Holder } from './journal.ts'

export function thisHolder(): Holder {
  const { pid } = process
  const startedAt = statOf(pid)?.startedAt
  return { host: hostname(), pid, world: worldHere(), ...(startedAt === undefined ? {} : { startedAt }) }
}

/** Whether a holder of this world still runs. What cannot be found out counts as alive: its lease ends by itself. */
export function isAlive({ pid, startedAt }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const stat = statOf(pid)
  if (stat === undefined) return true
  // Z and X: it has ended, and its parent has not asked how.
  return !/[ZX]/.test(stat.state) && (startedAt === undefined || stat.startedAt === startedAt)
}

/** Machine, boot and process namespace; where they cannot be told, a world of our own: nobody is taken for dead there. */
function worldHere(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return `${hostname()} ${randomUUID()}`
  }
}

/** Source: proc_pid_stat(5): pid (name) state … starttime is the 22nd; a name can hold spaces and brackets. */
function statOf(pid: number): { readonly state: string; readonly startedAt: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    const startedAt = fields[19]
    return state === undefined || startedAt === undefined ? undefined : { state, startedAt }
  } catch {
    return undefined
  }
}
