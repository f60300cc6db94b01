/** Carries out parts of the downloads in threads. */

import { startThread } from '../threads/start-thread.ts'
import type { Work } from './downloads-worker.ts'
import type { WrittenFile } from './file-sink.ts'

/** A row group of prices is the most that is held at a time. */
const heapMegabytes = 96

/**
 * @param works in the order that they are begun in, each when it is ready: the threads start meanwhile
 * @param threads how many at a time
 * @returns the files of all parts
 * @throws {Error} the first one of a part, or the signal's reason: then all threads have stopped
 */
export async function runWork(
  works: readonly Promise<Work>[],
  threads: number,
  signal: AbortSignal,
): Promise<readonly WrittenFile[]> {
  // One that fails before its turn is told of in its turn.
  const settled = Promise.allSettled(works)
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
        const ready = await work
        either.throwIfAborted()
        // One by one: there are three a fund, and arguments are not without limit.
        for (const file of await thread.ask(ready)) files.push(file)
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
  // What others wait for has ended, too.
  await settled
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw either.reason
  return files
}

const startWriter = () =>
  startThread<Work, readonly WrittenFile[]>(new URL('./downloads-thread.mjs', import.meta.url), {
    name: 'a thread of the downloads',
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 8 },
  })
