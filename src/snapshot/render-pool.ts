/** Worker threads that render funds in parallel; results come back in the order of the funds. */

import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Rendered, RenderReply, RenderRequest, RenderSettings } from './render-worker.ts'

/** Few enough that workers end together and results in flight stay small. */
const fundsPerChunk = 4

export interface RenderPool {
  /** Renders all funds. `take` gets the results chunk by chunk, in order; once it says false, funds are only checked. */
  readonly render: (
    isins: readonly string[],
    take: (rendered: Rendered, funds: number) => boolean,
  ) => Promise<void>
  /** Stops the threads, whatever they do, and waits until they have stopped. */
  readonly close: () => Promise<void>
}

/**
 * Starts `jobs` threads, each with its own connection, all of which see the same state of the database.
 * @throws {Error} if the database keeps changing
 */
export async function openRenderPool(settings: RenderSettings, jobs: number): Promise<RenderPool> {
  // The same file with the ending that this one has: .ts in a checkout, .js in the package.
  const script = new URL(
    import.meta.url.endsWith('.ts') ? './render-worker.ts' : './render-worker.js',
    import.meta.url,
  )
  const workers = Array.from({ length: jobs }, () => {
    return new Worker(script, {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 48 },
    })
  })
  const close = async () => {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  try {
    await beginTogether(settings.db, workers)
  } catch (error) {
    await close()
    throw error
  }
  return { render: (isins, take) => renderAll(workers, isins, take), close }
}

/** Each thread has a transaction of its own: if a writer committed while they began, they begin again. */
async function beginTogether(db: string, workers: readonly Worker[]): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const before = stateOf(db)
    await Promise.all(workers.map((worker) => ask(worker, { kind: 'begin' })))
    if (stateOf(db) === before) return
  }
  throw new Error(`${db} keeps changing: build it when nobody writes to it`)
}

/** What changes with every commit: the database file, or its write-ahead log. */
function stateOf(db: string): string {
  return [db, `${db}-wal`]
    .map((file) => {
      const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
      return stat === undefined || stat.size === 0n ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs}`
    })
    .join('|')
}

async function renderAll(
  workers: readonly Worker[],
  isins: readonly string[],
  take: (rendered: Rendered, funds: number) => boolean,
): Promise<void> {
  const chunks = Math.ceil(isins.length / fundsPerChunk)
  const early = new Map<number, Rendered>()
  let asked = 0
  let taken = 0
  let checkOnly = false
  await Promise.all(
    workers.map(async (worker) => {
      while (asked < chunks) {
        const chunk = asked++
        const start = chunk * fundsPerChunk
        const some = isins.slice(start, start + fundsPerChunk)
        const reply = await ask(worker, { kind: 'render', chunk, isins: some, checkOnly })
        if (reply.kind === 'rendered') early.set(reply.chunk, reply.rendered)
        for (let next = early.get(taken); next !== undefined; next = early.get(taken)) {
          early.delete(taken++)
          checkOnly = !take(next, Math.min(taken * fundsPerChunk, isins.length))
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
