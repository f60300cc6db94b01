/**
 * Threads that are kept for the next command of this process: starting one takes longer than what most tests have for it to
 * do.
 */
import { startThread, type Thread } from '../../src/core/system/start-thread.ts'

/** What a thread is asked depends on its module. */
type Ask = (request: never) => Promise<unknown>

/** By module. */
const idle = new Map<string, Thread<Ask>[]>()

export function startKept<Asked extends Ask>(module: string, name: string): Thread<Asked> {
  const known = idle.get(module) ?? []
  idle.set(module, known)
  return keep(known.pop() ?? startThread<Asked>(module, name), known, module) as Thread<Asked>
}

/** To be stopped by its build, but only if it is at work, or has failed. */
function keep(thread: Thread<Ask>, others: Thread<Ask>[], module: string): Thread<Ask> {
  let underWay = 0
  let hasFailed = false
  let stopped: Promise<unknown> | undefined
  const release = async () => {
    if (underWay > 0 || hasFailed) {
      await thread.stop()
    } else {
      // It has the database open.
      if (module.includes('/render-worker')) await thread.ask({ kind: 'close' } as never)
      others.push(thread)
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
