/** Work that is done a little in each turn of the event loop, so that many who want much do not keep others waiting. */

/**
 * @param perTurn how many may go on in a turn
 * @returns waits until the caller may go on; those who came first go first
 */
export function turns(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let left = perTurn
  let isRunning = false

  const nextTurn = (): void => {
    const next = waiting.splice(0, perTurn)
    left = perTurn - next.length
    isRunning = next.length > 0
    if (isRunning) setImmediate(nextTurn)
    next.forEach((goOn) => {
      goOn()
    })
  }

  return () =>
    new Promise((resolve) => {
      if (!isRunning) {
        isRunning = true
        setImmediate(nextTurn)
      }
      if (left > 0) {
        left--
        resolve()
      } else waiting.push(resolve)
    })
}
