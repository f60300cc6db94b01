/**
 * Work that fails alone: an error in it that nobody catches, in a callback or of a stream, ends that work, and not the program. It is
 * for servers, whose requests share nothing that one of them could leave half-done.
 */

import { AsyncLocalStorage } from 'node:async_hooks'

const endOfWork = new AsyncLocalStorage<(error: unknown) => void>()

/** Does work, also what it begins and leaves for later. @param end is called with each error that nobody catches */
export function apart(end: (error: unknown) => void, work: () => void): void {
  endOfWork.run(end, work)
}

/**
 * For the handler of errors that nobody catches, which runs where the error was thrown.
 * @returns whether it was thrown in work apart, which has been ended
 */
export function endApart(error: unknown): boolean {
  const end = endOfWork.getStore()
  end?.(error)
  return end !== undefined
}
