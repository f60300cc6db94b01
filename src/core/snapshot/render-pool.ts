/** Worker threads that render funds in parallel. Replies come back in the order of the funds. */

import { beginReading, commitCount, openFunds, type FundDatabase } from '../data/read/open.ts'
import type { RenderSettings } from './plans.ts'
import type { RenderThread } from './render-threads.ts'
import type { RenderReplies, RenderRequest } from './render-worker.ts'

/** Few enough that all threads end together and replies in flight stay small. */
const fundsPerChunk = 4

type FundsRequest = Extract<RenderRequest, { readonly isins: readonly string[] }>

export type RenderPool = ReturnType<typeof renderPool>

/** @param threads exclusive to the pool */
export function renderPool(threads: readonly RenderThread[], settings: RenderSettings, signal: AbortSignal) {
  const last = threads.at(-1)
  if (last === undefined) throw new Error('a pool needs a thread')
  return {
    /**
     * Gives each thread a connection and a read transaction, which sees the same state of the database as `db`. They
     * replace those of another database.
     * @throws {Error} if another program keeps the database busy, or on abort
     */
    read: (db: FundDatabase) => beginTogether(settings, threads, db, signal),
    /** Asks about all funds, some at a time. `request` and `take` are called in the order of the funds, one after the other. */
    ask: async <R extends FundsRequest>(
      isins: readonly string[],
      request: (some: readonly string[]) => R,
      take: (reply: RenderReplies[R['kind']], some: readonly string[]) => void | Promise<void>,
    ): Promise<void> => {
      const chunks = Math.ceil(isins.length / fundsPerChunk)
      const fundsOf = (chunk: number) => isins.slice(chunk * fundsPerChunk, (chunk + 1) * fundsPerChunk)
      const early = new Map<number, RenderReplies[R['kind']]>()
      let asked = 0
      let taken = 0
      let taking = Promise.resolve()
      const takeAll = async () => {
        for (let next = early.get(taken); next !== undefined; next = early.get(taken)) {
          early.delete(taken)
          await take(next, fundsOf(taken++))
        }
      }
      const lane = async (thread: RenderThread) => {
        while (asked < chunks) {
          signal.throwIfAborted()
          const chunk = asked++
          early.set(chunk, await thread.ask(request(fundsOf(chunk))))
          taking = taking.then(takeAll)
          // Replies do not pile up while one is taken.
          await taking
        }
      }
      // Two for each thread, so that no thread waits while a reply is taken.
      await Promise.all([...threads, ...threads].map(lane))
    },
    checkTables: (asOf: string) => last.ask({ kind: 'checkTables', asOf }),
    countTables: () => last.ask({ kind: 'countTables' }),
    /** Stops the threads, even busy ones, and waits until they have stopped. May be called again. */
    close: async (): Promise<void> => {
      await Promise.all(threads.map(({ stop }) => stop()))
    },
  }
}

/** The limit for waiting until no other program writes. */
const patienceMs = 30_000

/** Begins a transaction on each connection, and begins again if another program has committed meanwhile. */
async function beginTogether(
  settings: RenderSettings,
  threads: readonly RenderThread[],
  db: FundDatabase,
  signal: AbortSignal,
): Promise<void> {
  // Only a connection without a transaction sees later commits.
  const watch = openFunds(db.name)
  try {
    await Promise.all(threads.map(({ ask }) => ask({ kind: 'open', file: db.name, settings })))
    for (const started = performance.now(); performance.now() - started < patienceMs;) {
      signal.throwIfAborted()
      const before = commitCount(watch)
      const replies = await Promise.all(threads.map(({ ask }) => ask({ kind: 'begin' })))
      const haveBegun = beginReading(db) && replies.every(Boolean)
      if (haveBegun && before !== undefined && commitCount(watch) === before) return
    }
  } finally {
    watch.close()
  }
  throw new Error(`${db.name}: another program keeps writing to it, try again when it is done`)
}
