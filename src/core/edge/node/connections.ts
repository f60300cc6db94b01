/**
 * Limits of a connection: one request at a time, a time to send it, and a time in which the client has to read
 * something. If there are too many connections, the client that has the most of them loses one.
 */

import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { maxRequestBytes } from '../core/standalone.ts'
import type { ClientOf } from './client.ts'

export const connectionLimits = {
  connections: 1024,
  /** On one connection. The answer to the last one closes it. nginx has the same limit. */
  requests: 1000,
  /** Requests that wait for one before them on their connection, for all connections together. */
  waiting: 2000,
  /** Time for the headers of a request, in milliseconds; half as long again for all of it. */
  headersMs: 20_000,
  /** Time without a byte on a connection during an answer, in milliseconds. */
  idleMs: 60_000,
  /** Wait for the next request, in milliseconds. Proxies close their connections after a minute, so it is longer. */
  keepAliveMs: 65_000,
}

export type ConnectionLimits = typeof connectionLimits

export function createLimitedServer(
  limits: ConnectionLimits,
  clientOf: ClientOf,
  handle: RequestListener,
): Server {
  const options: ServerOptions = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.headersMs * 1.5,
    connectionsCheckingInterval: Math.min(limits.headersMs / 4, 5000),
    keepAliveTimeout: limits.keepAliveMs,
    // Node does not report which part was too long, so the server reads more than it accepts. Node refuses what is longer than this.
    maxHeaderSize: 2 * maxRequestBytes,
  }
  const server = createServer(options, handle)
  // Node closes a connection on which nothing has moved, even if bytes wait to be sent.
  server.setTimeout(limits.idleMs)
  makeRoom(server, limits.connections, clientOf)
  return server
}

interface Connection {
  /** That of its last request; before the first one, the other end. */
  client: string
  isIdle: boolean
}

/**
 * Closes a connection beyond `most`: of the client that has the most, an idle one, or else the one on which nothing has moved for the
 * longest. So no client keeps others out.
 */
function makeRoom(server: Server, most: number, clientOf: ClientOf): void {
  /** In the order of their last movement. */
  const open = new Map<Socket, Connection>()
  const move = (socket: Socket, change: Partial<Connection>) => {
    const known = open.get(socket) ?? { client: clientOf({ socket, headers: {} }), isIdle: false }
    open.delete(socket)
    if (!socket.destroyed) open.set(socket, Object.assign(known, change))
  }
  server.on('connection', (socket: Socket) => {
    move(socket, {})
    socket.on('drain', () => {
      move(socket, {})
    })
    socket.once('close', () => open.delete(socket))
    if (open.size <= most) return
    const longest = leastNeeded(open)
    longest?.destroy()
    if (longest !== undefined) open.delete(longest)
  })
  server.on('request', (request: IncomingMessage, response) => {
    const { socket } = request
    move(socket, { client: clientOf(request), isIdle: false })
    response.once('close', () => {
      move(socket, { isIdle: true })
    })
  })
}

function leastNeeded(open: ReadonlyMap<Socket, Connection>): Socket | undefined {
  const counts = new Map<string, number>()
  for (const { client } of open.values()) counts.set(client, (counts.get(client) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const ofOne = [...open].filter(([, { client }]) => counts.get(client) === most)
  return (ofOne.find(([, { isIdle }]) => isIdle) ?? ofOne[0])?.[0]
}

/** Answers the requests at hand, and closes each connection after its answer; after `patienceMs` all others. */
export async function stopServing(server: Server, patienceMs: number): Promise<void> {
  const late = setTimeout(() => {
    server.closeAllConnections()
  }, patienceMs)
  // A request can still come on a connection that was in work.
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false
  })
  const closeIdle = setInterval(() => {
    server.closeIdleConnections()
  }, 20)
  await new Promise((resolve) => server.close(resolve))
  clearTimeout(late)
  clearInterval(closeIdle)
}

/** Handles the requests of a connection in turn: one read can bring thousands. If too many wait, the longest queue is closed. */
export class RequestTurns {
  readonly #handle: RequestListener
  readonly #limits: Pick<ConnectionLimits, 'requests' | 'waiting'>
  #waiting = 0
  readonly #queues = new Map<Socket, (() => void)[]>()
  readonly #counts = new WeakMap<Socket, number>()
  /** Connections whose request is being handled, but has not come as a whole. */
  readonly #receiving = new WeakSet<Socket>()

  constructor(handle: RequestListener, limits: Pick<ConnectionLimits, 'requests' | 'waiting'>) {
    this.#handle = handle
    this.#limits = limits
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    this.#inTurn(socket, () => {
      if (!this.#queues.has(socket)) this.#queues.set(socket, [])
      response.once('close', () => this.#goOn(socket))
      this.#begin(request, response)
    })
  }

  refuse(socket: Socket, work: () => void): void {
    if (this.#receiving.has(socket)) work()
    else this.#inTurn(socket, work)
  }

  hasRequestInWork(socket: Socket): boolean {
    return this.#queues.has(socket)
  }

  hasWholeRequest(socket: Socket): boolean {
    return this.#queues.has(socket) && !this.#receiving.has(socket)
  }

  #inTurn(socket: Socket, work: () => void): void {
    const queue = this.#queues.get(socket)
    if (isOver(socket)) return
    if (queue === undefined) {
      work()
      return
    }
    if (this.#waiting >= this.#limits.waiting) this.#closeLongest()
    if (isOver(socket)) return
    this.#waiting++
    queue.push(work)
    // The server reads no more until it has answered what it has read.
    socket.pause()
  }

  /** Begins when the body has come. The body is dropped, but an unread body would break the connection off. */
  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request
    const queue = this.#queues.get(socket) ?? []
    const count = (this.#counts.get(socket) ?? 0) + 1
    this.#counts.set(socket, count)
    // Node's own limit answers 503 to the requests that it has read already.
    if (count >= this.#limits.requests) response.setHeader('Connection', 'close')
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    const [refusal] = queue
    if (!hasBody || request.complete) this.#handle(request, response)
    else if (refusal !== undefined) {
      // No request follows a body that has not come as a whole, only the reason why the rest never will.
      this.#forget(queue)
      refusal()
    } else {
      this.#receiving.add(socket)
      request.once('end', () => {
        this.#receiving.delete(socket)
        this.#handle(request, response)
      })
      request.resume()
      // The connection may be paused by requests before this one.
      socket.resume()
    }
  }

  #goOn(socket: Socket): void {
    const queue = this.#queues.get(socket) ?? []
    const next = isOver(socket) ? undefined : queue.shift()
    if (next !== undefined) {
      this.#waiting--
      next()
      // An answer to a malformed request ends the connection, and no later event would let the others go on.
      if (!isOver(socket)) return
    }
    this.#forget(queue)
    this.#queues.delete(socket)
    if (next === undefined && socket.isPaused()) socket.resume()
  }

  #closeLongest(): void {
    const [longest, queue] = [...this.#queues].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    )
    this.#forget(queue)
    longest.destroy()
  }

  #forget(queue: unknown[]): void {
    this.#waiting -= queue.splice(0).length
  }
}

const isOver = (socket: Socket) => socket.destroyed || !socket.writable
