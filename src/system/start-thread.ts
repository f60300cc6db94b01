/** Starts worker threads that answer requests. Loads nothing else: programs start their threads first of all. */

import { Worker, type ResourceLimits } from 'node:worker_threads'

/** A thread that answers requests in their order, each with one message. */
export interface Thread<Request, Reply> {
  /** @throws {Error} what the thread threw, or that it ended too early: now, or before it was asked */
  readonly ask: (request: Request) => Promise<Reply>
  /** Whatever it does. Resolves when it has stopped. */
  readonly stop: () => Promise<unknown>
}

export interface ThreadOptions {
  /** Its name in the error if it ends too early, as the subject of a sentence: `a rendering thread`. */
  readonly name: string
  readonly resourceLimits: ResourceLimits
}

/** The address of a module beside another one: `.ts` in a checkout, `.js` in the package. @param name begins with `./` */
export const moduleBeside = (own: string, name: string): string =>
  new URL(`${name}${own.endsWith('.ts') ? '.ts' : '.js'}`, own).href

/** @param module address of the thread's code, which listens to its parent port */
export function startThread<Request, Reply>(
  module: string,
  { name, resourceLimits }: ThreadOptions,
): Thread<Request, Reply> {
  const worker = new Worker(new URL('./thread.mjs', import.meta.url), { resourceLimits, workerData: module })
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
        // A thread that has ended sends no more events.
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
