/** Carries out parts of the downloads in threads. */

import { Worker } from 'node:worker_threads'
import type { Work } from './downloads-worker.ts'
import type { WrittenFile } from './file-sink.ts'

/** A row group of prices is the most that is held at a time. */
const heapMegabytes = 96

/**
 * @param works the longest first
 * @param threads how many at a time
 * @returns the files of all parts
 * @throws {Error} the first one of a part, or the signal's reason: then all threads have stopped
 */
export async function runWork(
  works: readonly Work[],
  threads: number,
  signal: AbortSignal,
): Promise<readonly WrittenFile[]> {
  const files: WrittenFile[] = []
  const waiting = [...works]
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const lane = async () => {
    const thread = startThread(either)
    try {
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
        either.throwIfAborted()
        // One by one: there are three a fund, and arguments are not without limit.
        for (const file of await thread.carryOut(work)) files.push(file)
      }
    } finally {
      await thread.end()
    }
  }
  const lanes = Array.from({ length: Math.min(threads, works.length) }, () =>
    lane().catch((error: unknown) => {
      stop.abort(error)
      throw error
    }),
  )
  const ends = await Promise.allSettled(lanes)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw either.reason
  return files
}

interface Thread {
  /** One at a time. */
  readonly carryOut: (work: Work) => Promise<readonly WrittenFile[]>
  /** Resolves when it has stopped. */
  readonly end: () => Promise<void>
}

function startThread(signal: AbortSignal): Thread {
  const worker = new Worker(new URL('./downloads-thread.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 24 },
  })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop)
  // It can end right behind an answer: whoever has the next work for it is told.
  let failure: Error | null = null
  return {
    carryOut: (work) =>
      new Promise((resolve, reject) => {
        if (failure !== null) {
          reject(failure)
          return
        }
        const fail = (error: Error) => {
          failure ??= error
          reject(failure)
        }
        worker.removeAllListeners()
        worker.once('message', resolve)
        worker.once('error', (error: unknown) => {
          fail(error instanceof Error ? error : new Error(String(error)))
        })
        worker.once('exit', (code) => {
          fail(new Error(`the thread of the downloads' ${work.part} ended too early (exit code ${code})`))
        })
        worker.postMessage(work)
      }),
    end: async () => {
      signal.removeEventListener('abort', stop)
      await worker.terminate()
    },
  }
}
