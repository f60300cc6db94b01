/** A worker thread that answers requests. Loads nothing else: programs start their threads first of all. */

import { Worker, type ResourceLimits } from 'node:worker_threads'

/** A thread that answers requests in their order, each with one message. */
export interface Thread<Request, Reply> {
  /** @throws {Error} what the thread threw, or that it ended too early: now, or before it was asked */
  readonly ask: (request: Request) => Promise<Reply>
  /** Whatever it does. Resolves when it has stopped. */
  readonly stop: () => Promise<unknown>
}

export interface ThreadOptions {
  /** What it is called where it ends too early, as the subject of a sentence: `a rendering thread`. */
  readonly name: string
  readonly resourceLimits: ResourceLimits
}

export function startThread<Request, Reply>(
  file: URL,
  { name, resourceLimits }: ThreadOptions,
): Thread<Request, Reply> {
  const worker = new Worker(file, { resourceLimits })
  const waiting: Waiting<Reply>[] = []
  let failure: Error | null = null
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
  }
  worker.on('message', (reply: Reply) => waiting.shift()?.resolve(reply))
  worker.once('error', (error: unknown) => {
    fail(error instanceof Error ? error : new Error(String(error)))
  })
  worker.once('exit', (code) => {
    fail(new Error(`${name} ended too early (exit code ${code})`))
  })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        // Nothing is heard of a thread that has ended already.
        if (failure !== null) {
          reject(failure)
          return
        }
        waiting.push({ resolve, reject })
        worker.postMessage(request)
      }),
    stop: () => worker.terminate(),
  }
}

interface Waiting<Reply> {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}
