/**
 * Work that fails alone: an uncaught error in it, in a callback or of a stream, ends this work and not the program. For servers,
 * whose requests share no state that could be left half-done.
 */

import { AsyncLocalStorage } from 'node:async_hooks'

const endOfWork = new AsyncLocalStorage<(error: unknown) => void>()

export function apart(end: (error: unknown) => void, work: () => void): void {
  endOfWork.run(end, work)
}

/** For the handler of uncaught errors. @returns false if the error is not of work apart */
export function endApart(error: unknown): boolean {
  const end = endOfWork.getStore()
  end?.(error)
  return end !== undefined
}
