/**
 * What one connection may take of a server: one request at a time, a time to send its headers, and a time in which the client has to
 * read something.
 */

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { maxRequestBytes } from '../core/standalone.ts'

export const connectionLimits = {
  /** The server closes further connections at once. */
  connections: 2048,
  /** How long a client may take for the headers of a request, in milliseconds; half as long again for all of it. */
  headersMs: 20_000,
  /** How long nothing may move on a connection during an answer, in milliseconds. */
  idleMs: 60_000,
  /** How long a connection waits for the next request. Proxies close theirs after a minute, so it is longer. */
  keepAliveMs: 65_000,
}

export type ConnectionLimits = typeof connectionLimits

export function createLimitedServer(limits: ConnectionLimits, handle: RequestListener): Server {
  const options: ServerOptions = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.headersMs * 1.5,
    connectionsCheckingInterval: Math.min(limits.headersMs / 4, 5000),
    keepAliveTimeout: limits.keepAliveMs,
    // Node does not say what was too long, so the server reads more than it accepts. Node refuses what is longer than this.
    maxHeaderSize: 2 * maxRequestBytes,
  }
  const server = createServer(options, handle)
  server.maxConnections = limits.connections
  // Node closes a connection if nothing has moved on it, even if bytes wait to be sent.
  server.setTimeout(limits.idleMs)
  // Connections that only wait for their next request make room.
  server.on('drop', () => {
    server.closeIdleConnections()
  })
  return server
}

/**
 * Handles the requests of a connection one after the other. Node would begin them all at once, and some thousand fit into what it
 * reads at a time.
 * @param mostWaiting requests that may wait, for all connections together; a connection that wants more is closed
 */
export function oneAtATime(handle: RequestListener, mostWaiting: number) {
  let waiting = 0
  /** For a connection whose request is being handled, what waits behind it. */
  const queues = new WeakMap<Socket, (() => void)[]>()
  const isOver = (socket: Socket) => socket.destroyed || !socket.writable

  const goOn = (socket: Socket): void => {
    const queue = queues.get(socket) ?? []
    const next = isOver(socket) ? undefined : queue.shift()
    if (next !== undefined) {
      waiting--
      next()
      // An answer to a malformed request ends the connection, and no later event would let the others go on.
      if (!isOver(socket)) return
    }
    waiting -= queue.splice(0).length
    queues.delete(socket)
    if (next === undefined && socket.isPaused()) socket.resume()
  }

  /** Does work that ends the connection, after the requests that came before. */
  const inTurn = (socket: Socket, work: () => void): void => {
    const queue = queues.get(socket)
    if (isOver(socket)) return
    if (queue === undefined) work()
    else if (waiting < mostWaiting) {
      waiting++
      queue.push(work)
      // The server reads no more until it has answered what it has read.
      socket.pause()
    } else socket.destroy()
  }

  const handleInTurn: RequestListener = (request, response) => {
    const { socket } = request
    inTurn(socket, () => {
      if (!queues.has(socket)) queues.set(socket, [])
      response.once('close', () => {
        goOn(socket)
      })
      handle(request, response)
    })
  }
  return { handleInTurn, inTurn, hasRequestInWork: (socket: Socket) => queues.has(socket) }
}
