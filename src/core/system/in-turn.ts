import { setImmediate } from 'node:timers/promises'

/** One item after the other. Between two, other work and a signal get their turn, and the progress is told. */
export async function* inTurn<Item>(
  items: readonly Item[],
  onDone: ((done: number, of: number) => void) | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item> {
  for (const [index, item] of items.entries()) {
    yield item
    onDone?.(index + 1, items.length)
    await setImmediate()
    signal?.throwIfAborted()
  }
}
