/** Carries out parts of the downloads in threads. */

import { startThread } from '../threads/start-thread.ts'
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
    either.throwIfAborted()
    const thread = startWriter()
    const end = () => void thread.stop()
    either.addEventListener('abort', end)
    try {
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
        either.throwIfAborted()
        // One by one: there are three a fund, and arguments are not without limit.
        for (const file of await thread.ask(work)) files.push(file)
      }
    } finally {
      either.removeEventListener('abort', end)
      await thread.stop()
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

const startWriter = () =>
  startThread<Work, readonly WrittenFile[]>(new URL('./downloads-thread.mjs', import.meta.url), {
    name: 'a thread of the downloads',
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 24 },
  })
