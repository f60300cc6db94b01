/**
 * What a connection may take of a server: one request in work, a time to send its headers, and a time in which it has to
 * read something.
 */

import type { RequestListener, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Slots } from './slots.ts'

export interface ConnectionLimits {
  /** Further connections are closed at once. */
  readonly connections: number
  /** How long a client may take for the headers of a request, in milliseconds; half as long again for all of it. */
  readonly headersMs: number
  /** How long nothing may move on a connection while an answer is under way, in milliseconds. */
  readonly idleMs: number
  /** How long a connection is kept for the next request. Longer than the minute after which proxies close theirs. */
  readonly keepAliveMs: number
}

export const connectionLimits: ConnectionLimits = {
  connections: 2048,
  headersMs: 20_000,
  idleMs: 60_000,
  keepAliveMs: 65_000,
}

/** The limits that a server has from its start. */
export const serverOptions = ({ headersMs, keepAliveMs }: ConnectionLimits): ServerOptions => ({
  headersTimeout: headersMs,
  requestTimeout: headersMs * 1.5,
  connectionsCheckingInterval: Math.min(headersMs / 4, 5000),
  keepAliveTimeout: keepAliveMs,
})

export function limitConnections(server: Server, { connections, idleMs }: ConnectionLimits): void {
  server.maxConnections = connections
  // Node closes a connection on which nothing has moved for so long, bytes that wait to be sent included.
  server.setTimeout(idleMs)
  // Those that only wait for their next request make room.
  server.on('drop', () => {
    server.closeIdleConnections()
  })
}

/** What is done on a connection, one thing after the other. */
export interface Turns {
  readonly handleInTurn: RequestListener
  /** Does something that ends the connection, after the requests that came before. */
  readonly inTurn: (socket: Socket, work: () => void) => void
  readonly hasRequestInWork: (socket: Socket) => boolean
}

/**
 * Handles the requests of a connection one after the other. Node would begin them all at once: some thousand fit into
 * what it reads at a time.
 * @param waiting for all connections together; a connection that wants more is closed
 */
export function oneAtATime(handle: RequestListener, waiting: Slots): Turns {
  /** What waits on a connection that has a request in work. */
  const queues = new WeakMap<Socket, (() => void)[]>()
  const isOver = (socket: Socket) => socket.destroyed || !socket.writable

  const goOn = (socket: Socket): void => {
    const queue = queues.get(socket) ?? []
    const next = isOver(socket) ? undefined : queue.shift()
    if (next === undefined) {
      queue.forEach(waiting.give)
      queues.delete(socket)
      if (socket.isPaused()) socket.resume()
    } else {
      waiting.give()
      next()
      // An answer to what is no request ends the connection: nothing comes that would let the others go on.
      if (isOver(socket)) {
        queue.splice(0).forEach(waiting.give)
        queues.delete(socket)
      }
    }
  }

  const inTurn: Turns['inTurn'] = (socket, work) => {
    const queue = queues.get(socket)
    if (isOver(socket)) return
    if (queue === undefined) work()
    else if (waiting.take()) {
      queue.push(work)
      // What was read with this request is answered, no more is read until then.
      socket.pause()
    } else socket.destroy()
  }

  return {
    inTurn,
    hasRequestInWork: (socket) => queues.has(socket),
    handleInTurn: (request, response) => {
      const { socket } = request
      inTurn(socket, () => {
        if (!queues.has(socket)) queues.set(socket, [])
        response.once('close', () => {
          goOn(socket)
        })
        handle(request, response)
      })
    },
  }
}
