/**
 * Stands where Cloudflare's own servers stand before a Worker: refuses what is no HTTP request. workerd alone, which never
 * gets such, answers with a 500. All else passes as it is.
 */
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Front {
  /** http://127.0.0.1:port */
  readonly base: string
  readonly stop: () => Promise<void>
}

/** @param behind where the Worker is: http://127.0.0.1:port */
export async function startFront(behind: string): Promise<Front> {
  const { hostname, port } = new URL(behind)
  const agent = new Agent({ keepAlive: true })
  const server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) => {
    const { method, url: path = '', rawHeaders } = request
    if (!path.startsWith('/')) {
      response.writeHead(400).end()
      return
    }
    const passed = httpRequest({ agent, hostname, port, method, path, headers: rawHeaders }, (answer) => {
      response.sendDate = false
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  server.on('clientError', (_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'))
  server.on('connect', (_, socket) =>
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}
