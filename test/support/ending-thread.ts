/**
 * A thread of the downloads that ends right behind its first answer. Node tells of both at once where this process was
 * busy meanwhile: here it always was.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** For the environment of a process. */
export const withEndingThread = { NODE_OPTIONS: `--import=${import.meta.url}` }

export const endingThreadCode = 7

/** The only messages that are lists of objects with a path are those of the downloads: the files that were written. */
const isAnswer = (message: unknown) => Array.isArray(message) && JSON.stringify(message).includes('"path"')

type Listener = (value: unknown) => void

// Tests import this file, too, for its names: only a process that was started with it gets the fault.
const isWanted = process.env['NODE_OPTIONS']?.includes(import.meta.url) === true

if (isWanted && isMainThread) {
  const emit = Reflect.get(Worker.prototype, 'emit') as (...event: readonly unknown[]) => boolean
  const held = new WeakMap<Worker, () => void>()
  Object.assign(Worker.prototype, {
    emit(this: Worker, ...event: readonly unknown[]): boolean {
      const [name, value] = event
      if (name === 'message' && isAnswer(value)) {
        const listeners = this.listeners('message') as Listener[]
        held.set(this, () => {
          for (const listener of listeners) listener(value)
        })
        return true
      }
      if (name === 'exit') held.get(this)?.()
      return Reflect.apply(emit, this, event)
    },
  })
} else if (isWanted && parentPort !== null) {
  const port = parentPort
  const post = port.postMessage.bind(port)
  port.postMessage = (message: unknown) => {
    post(message)
    if (isAnswer(message)) process.exit(endingThreadCode)
  }
}
