/**
 * The threads that render. They take a while to load their code, so that a program starts them first of all: this file
 * loads nothing but what that takes.
 */

import { Worker } from 'node:worker_threads'
import type { RenderReply, RenderRequest } from './render-worker.ts'

/** A thread that answers requests in their order. */
export interface RenderThread {
  /** @throws {Error} what the thread threw, or that it ended too early */
  readonly ask: (request: RenderRequest) => Promise<RenderReply>
  /** Whatever it does. Resolves when it has stopped. */
  readonly stop: () => Promise<unknown>
}

export const startRenderThreads = (count: number): readonly RenderThread[] =>
  Array.from({ length: Math.max(0, count) }, startThread)

function startThread(): RenderThread {
  const worker = new Worker(new URL('./render-thread.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 24 },
  })
  const waiting: Waiting[] = []
  let failure: Error | null = null
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
  }
  worker.on('message', (reply: RenderReply) => waiting.shift()?.resolve(reply))
  worker.once('error', (error: unknown) => {
    fail(error instanceof Error ? error : new Error(String(error)))
  })
  worker.once('exit', (code) => {
    fail(new Error(`a rendering thread ended too early (exit code ${code})`))
  })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
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

interface Waiting {
  readonly resolve: (reply: RenderReply) => void
  readonly reject: (error: Error) => void
}
