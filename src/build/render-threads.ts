/**
 * The threads that render. They take a while to load their code, so that a program starts them first of all: this file
 * loads nothing but what that takes.
 */

import { moduleBeside, startThread, type Thread } from '../system/start-thread.ts'
import type { RenderReply, RenderRequest } from './render-worker.ts'

export type RenderThread = Thread<RenderRequest, RenderReply>

export const startRenderThreads = (count: number): readonly RenderThread[] =>
  Array.from({ length: Math.max(0, count) }, () =>
    startThread<RenderRequest, RenderReply>(moduleBeside(import.meta.url, './render-worker'), {
      name: 'a rendering thread',
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 24 },
    }),
  )
