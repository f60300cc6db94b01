/** Worker threads that render funds in parallel; results come back in the order of the funds. */

import { Worker } from 'node:worker_threads'
import { beginReading, commitCount, openFunds, type FundDatabase } from '../source/open.ts'
import type { RenderReply, RenderRequest, RenderSettings } from './render-worker.ts'

/** Few enough that workers end together and results in flight stay small. */
const fundsPerChunk = 4

/** A request about some funds. */
export type FundsRequest = Extract<RenderRequest, { readonly isins: readonly string[] }>

export interface RenderPool {
  /**
   * Asks about all funds, some at a time. `request` is called in the order of the funds, `take` gets the replies in that
   * order.
   */
  readonly ask: (
    isins: readonly string[],
    request: (some: readonly string[]) => FundsRequest,
    take: (reply: RenderReply, some: readonly string[]) => void,
  ) => Promise<void>
  /** Stops the threads, whatever they do, and waits until they have stopped. */
  readonly close: () => Promise<void>
}

/**
 * Starts `jobs` threads, each with its own connection, and a read transaction in each: all of them, and that of `db`,
 * see the same state of the database.
 * @throws {Error} if another program keeps the database busy, or if it is aborted
 */
export async function openRenderPool(
  settings: RenderSettings,
  jobs: number,
  db: FundDatabase,
  signal: AbortSignal,
): Promise<RenderPool> {
  // The same file with the ending that this one has: .ts in a checkout, .js in the package.
  const script = new URL(
    import.meta.url.endsWith('.ts') ? './render-thread.ts' : './render-thread.js',
    import.meta.url,
  )
  const workers = Array.from({ length: jobs }, () => {
    return new Worker(script, {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 24 },
    })
  })
  const close = async () => {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  try {
    await beginTogether(settings.db, workers, db, signal)
  } catch (error) {
    await close()
    throw error
  }
  return { ask: (isins, request, take) => askAll(workers, isins, request, take), close }
}

/** How long another program may keep us from beginning. */
const patienceMs = 30_000

/** Each connection has a transaction of its own: if somebody committed while they began, they begin again. */
async function beginTogether(
  file: string,
  workers: readonly Worker[],
  db: FundDatabase,
  signal: AbortSignal,
): Promise<void> {
  // Only a connection without a transaction learns of commits.
  const watch = openFunds(file)
  try {
    await Promise.all(workers.map((worker) => ask(worker, { kind: 'open' })))
    for (const started = performance.now(); performance.now() - started < patienceMs;) {
      signal.throwIfAborted()
      const before = commitCount(watch)
      const replies = await Promise.all(workers.map((worker) => ask(worker, { kind: 'begin' })))
      const haveBegun = beginReading(db) && replies.every((reply) => reply.kind === 'begun' && reply.hasBegun)
      if (haveBegun && before !== undefined && commitCount(watch) === before) return
    }
  } finally {
    watch.close()
  }
  throw new Error(`${file}: another program keeps writing to it, try again when it is done`)
}

async function askAll(
  workers: readonly Worker[],
  isins: readonly string[],
  request: (some: readonly string[]) => FundsRequest,
  take: (reply: RenderReply, some: readonly string[]) => void,
): Promise<void> {
  const chunks = Math.ceil(isins.length / fundsPerChunk)
  const fundsOf = (chunk: number) => isins.slice(chunk * fundsPerChunk, (chunk + 1) * fundsPerChunk)
  const early = new Map<number, RenderReply>()
  let asked = 0
  let taken = 0
  await Promise.all(
    workers.map(async (worker) => {
      while (asked < chunks) {
        const chunk = asked++
        early.set(chunk, await ask(worker, request(fundsOf(chunk))))
        for (let next = early.get(taken); next !== undefined; next = early.get(taken)) {
          early.delete(taken)
          take(next, fundsOf(taken++))
        }
      }
    }),
  )
}

function ask(worker: Worker, request: RenderRequest): Promise<RenderReply> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number) => {
      reject(new Error(`a rendering thread ended too early (exit code ${code})`))
    }
    const onError = (error: unknown) => {
      settle()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    const onMessage = (reply: RenderReply) => {
      settle()
      resolve(reply)
    }
    const settle = () => {
      worker.off('exit', onExit).off('error', onError).off('message', onMessage)
    }
    worker.once('exit', onExit).once('error', onError).once('message', onMessage)
    worker.postMessage(request)
  })
}
