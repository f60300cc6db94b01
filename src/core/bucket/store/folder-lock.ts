/** The lock of a folder that is a bucket. The kernel releases it at the end of its process, whatever the end. */

import { closeSync, constants, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { OpenFolder } from '../../system/below.ts'
import { statOf } from './folder-files.ts'
import { pause } from './retry.ts'

/** Limit in milliseconds: a change takes a moment, so a longer holder was stopped (SIGSTOP, a debugger). */
const patienceMs = 20_000

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
/** Appends, as 'a' does, but follows no link, and does not wait for the reader of a pipe. */
const flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK

/**
 * Uses SQLite's lock on a database without tables (`lock`): it works between processes, and on every system.
 * @param afterTurn called before the lock is released
 */
export function openLock(folder: OpenFolder, afterTurn: () => void) {
  const file = join(folder.path, 'lock')
  const unusable = (cause: unknown) => new Error(`${file}: the lock of the folder cannot be used`, { cause })
  // These errors name the file and the reason, SQLite's do not.
  folder.within((at) => {
    statOf(join(at, 'lock'))
    closeSync(openSync(join(at, 'lock'), flags))
  })
  const database = new Database(file)
  try {
    // In an empty file each transaction would begin with a header, which takes a journal.
    if (statSync(file).size === 0) database.exec('PRAGMA user_version = 1')
    database.exec('PRAGMA busy_timeout = 0')
  } catch (error) {
    database.close()
    throw unusable(error)
  }
  const begin = database.prepare('BEGIN EXCLUSIVE')
  const end = database.prepare('ROLLBACK')

  const tryBegin = (): boolean => {
    try {
      begin.run()
      return true
    } catch (error) {
      if ((error as { readonly code?: string }).code?.startsWith('SQLITE_BUSY') === true) return false
      throw unusable(error)
    }
  }

  let waiting: Change[] = []
  let isTurnComing = false
  const take = (): readonly Change[] => {
    const changes = waiting
    waiting = []
    isTurnComing = false
    return changes
  }

  /** Takes the lock. @throws {Error} if another process holds it all the time */
  const acquire = async (): Promise<void> => {
    const started = performance.now()
    while (!tryBegin()) {
      if (performance.now() - started > patienceMs)
        throw new Error(
          `${file}: another process has held the lock of the folder for ${patienceMs / 1000} s: end it if it was stopped`,
        )
      await pause(2 + Math.random() * 8)
      const stopped = waiting.filter(({ signal }) => signal?.aborted === true)
      waiting = waiting.filter((change) => !stopped.includes(change))
      for (const { signal, fail } of stopped) fail(signal?.reason)
    }
  }

  const takeTurn = async () => {
    try {
      await acquire()
      try {
        for (const { carryOut } of take()) carryOut()
      } finally {
        afterTurn()
        end.run()
      }
    } catch (error) {
      for (const { fail } of take()) fail(error)
    }
  }

  return {
    /**
     * Carries out a change under the lock, which changes share that are asked for in one turn of the event loop.
     * @throws {Error} if another process holds the lock all the time; the signal's reason if that aborts
     */
    change: <T>(signal: AbortSignal | undefined, work: () => T): Promise<T> =>
      new Promise((resolve, fail) => {
        const carryOut = () => {
          try {
            resolve(work())
          } catch (error) {
            // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it goes on as it is
            fail(error)
          }
        }
        waiting.push({ signal, carryOut, fail })
        if (isTurnComing) return
        isTurnComing = true
        setImmediate(() => void takeTurn())
      }),
    close: () => {
      database.close()
    },
  }
}

interface Change {
  readonly signal: AbortSignal | undefined
  readonly carryOut: () => void
  readonly fail: (error: unknown) => void
}
