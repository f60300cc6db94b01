/** The threads that render. A program starts them first: this file imports only what the start needs. */

import { moduleBeside, startThread, type StartThread, type Thread } from '../system/start-thread.ts'
import type { RenderReplies, RenderRequest } from './render-worker.ts'

export type RenderThread = Thread<<R extends RenderRequest>(request: R) => Promise<RenderReplies[R['kind']]>>

/** With 24, a build takes a seventh longer. With 64 it is no faster, and takes 80 MB more. */
const youngMb = 48

export const startRenderThreads = (
  count: number,
  start: StartThread = startThread,
): readonly RenderThread[] =>
  Array.from({ length: Math.max(0, count) }, () =>
    start(moduleBeside(import.meta.url, './render-worker'), 'a rendering thread', youngMb),
  )
