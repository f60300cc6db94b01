/** Starts worker threads that answer requests. Loads nothing else: programs start their threads first of all. */

import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A thread that answers requests in their order, each with one message. */
export interface Thread<Ask> {
  /** @throws {Error} the thread's error, or that it ended too early: now, or before the request */
  readonly ask: Ask
  /** Fails the requests that wait, and waits until the thread has ended, or for {@link nativeMs}. */
  readonly stop: () => Promise<unknown>
}

export type StartThread = typeof startThread

/** The address of a module beside another one: `.ts` in a checkout, `.js` in the package. @param name without its ending */
export const moduleBeside = (own: string, name: string): string =>
  new URL(`${name}${own.endsWith('.ts') ? '.ts' : '.js'}`, own).href

/**
 * The time in milliseconds to end. A thread that takes longer runs native code, a long statement of SQLite for example, which
 * nothing can interrupt but the end of the process. It runs no line of ours any more.
 */
const nativeMs = 1000

/** A thread holds the rows of a few funds, or a row group of Parquet. */
const maxOldGenerationSizeMb = 96

/**
 * @param module address of code that listens to its parent port @param name for errors: `a rendering thread`
 * @param youngMb room for short-lived objects: more of it takes memory, and saves the time of copying those still in use
 */
export function startThread<Ask extends (request: never) => Promise<unknown>>(
  module: string,
  name: string,
  youngMb = 24,
): Thread<Ask> {
  const worker = new Worker(new URL('./thread.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: youngMb },
    workerData: module,
  })
  const waiting: PromiseWithResolvers<unknown>[] = []
  let failure: Error | null = null
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
  }
  worker.on('message', (reply) => waiting.shift()?.resolve(reply))
  worker.once('error', (error: unknown) => {
    fail(error instanceof Error ? error : new Error(String(error)))
  })
  worker.once('exit', (code) => {
    fail(new Error(`${name} ended too early (exit code ${code})`))
  })
  const ask = (request: unknown) => {
    // A thread that has ended sends no more events.
    if (failure !== null) return Promise.reject(failure)
    const reply = Promise.withResolvers<unknown>()
    waiting.push(reply)
    worker.postMessage(request)
    return reply.promise
  }
  const stop = () => {
    fail(new Error(`${name} was stopped`))
    return Promise.race([worker.terminate(), setTimeout(nativeMs, undefined, { ref: false })])
  }
  return { ask: ask as unknown as Ask, stop }
}
