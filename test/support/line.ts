/** A line to a server that can break in the ways of networks: connections are refused, reset, or go silent. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePorts } from './ports.ts'

/**
 * `open`: all bytes go through. `silent`: connections are taken, and no byte goes through any more.
 */
export type LineState = 'open' | 'refusing' | 'resetting' | 'silent'

export type Line = Awaited<ReturnType<typeof openLine>>

/** @param target http://127.0.0.1:port */
export async function openLine(target: string) {
  let state: LineState = 'open'
  const sockets = new Set<Socket>()
  const { hostname, port } = new URL(target)
  const server = createServer((near) => {
    near.on('error', () => undefined)
    sockets.add(near)
    near.on('close', () => sockets.delete(near))
    if (state === 'resetting') near.resetAndDestroy()
    if (state !== 'open') return
    const far = connect(Number(port), hostname)
    far.on('error', () => near.destroy())
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
    near.pipe(far).pipe(near)
  })
  const own = await freePorts()
  await once(server.listen(own, '127.0.0.1'), 'listening')
  const close = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    /** http://127.0.0.1:port */
    endpoint: `http://127.0.0.1:${own}`,
    /** Connections that are open now. */
    connections: () => sockets.size,
    set: async (next: LineState): Promise<void> => {
      state = next
      if (next === 'refusing') return close()
      if (!server.listening) await once(server.listen(own, '127.0.0.1'), 'listening')
      for (const socket of sockets) {
        if (next === 'silent') socket.unpipe().pause()
        else if (next === 'resetting') socket.resetAndDestroy()
        // A connection that was silent never speaks again.
        else socket.destroy()
      }
    },
    stop: close,
  }
}
