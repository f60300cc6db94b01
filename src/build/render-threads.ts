/**
 * The threads that render. They take a while to load their code, so that a program starts them first of all: this file
 * loads nothing but what that takes.
 */

import { moduleBeside, startThread, type StartThread, type Thread } from '../system/start-thread.ts'
import type { RenderReplies, RenderRequest } from './render-worker.ts'

export type RenderThread = Thread<<R extends RenderRequest>(request: R) => Promise<RenderReplies[R['kind']]>>

export const startRenderThreads = (
  count: number,
  start: StartThread = startThread,
): readonly RenderThread[] =>
  Array.from({ length: Math.max(0, count) }, () =>
    start(moduleBeside(import.meta.url, './render-worker'), 'a rendering thread'),
  )
