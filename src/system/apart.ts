/**
 * Work that fails alone: an uncaught error in it, in a callback or of a stream, ends that work and not the program. For servers,
 * whose requests share nothing that one of them could leave half-done.
 */

import { AsyncLocalStorage } from 'node:async_hooks'

const endOfWork = new AsyncLocalStorage<(error: unknown) => void>()

/** Does work, also what it begins and leaves for later. @param end is called with each uncaught error */
export function apart(end: (error: unknown) => void, work: () => void): void {
  endOfWork.run(end, work)
}

/**
 * Ends the work that an uncaught error was thrown in. The handler of such errors calls this, where the error was thrown.
 * @returns false if that was no work apart
 */
export function endApart(error: unknown): boolean {
  const end = endOfWork.getStore()
  end?.(error)
  return end !== undefined
}
