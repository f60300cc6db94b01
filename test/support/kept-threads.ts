/**
 * Rendering threads that are kept for the next build of this process: starting one takes longer than rendering what most
 * tests have.
 */
import { startRenderThreads, type RenderThread } from '../../src/build/render-threads.ts'

const idle: RenderThread[] = []

export function keptThreads(count: number): readonly RenderThread[] {
  const kept = idle.splice(0, count)
  return [...kept, ...startRenderThreads(count - kept.length)].map(keep)
}

/** To be stopped by its build, but only if it is at work, or has failed. */
function keep(thread: RenderThread): RenderThread {
  let underWay = 0
  let hasFailed = false
  let stopped: Promise<unknown> | undefined
  const release = async () => {
    if (underWay > 0 || hasFailed) {
      await thread.stop()
    } else {
      await thread.ask({ kind: 'close' })
      idle.push(thread)
    }
  }
  return {
    ask: async (request) => {
      underWay++
      try {
        return await thread.ask(request)
      } catch (error) {
        hasFailed = true
        throw error
      } finally {
        underWay--
      }
    },
    stop: () => (stopped ??= release()),
  }
}
