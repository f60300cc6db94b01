/** An HTTP server that keeps what it gets: a monitor, a chat, a collector of figures. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** @param nth from 1, since the last reset */
type Answer = (response: ServerResponse, request: ReceivedRequest, nth: number) => unknown

export type Receiver = ReturnType<typeof useReceiver>

/** To be called once in a file of tests: it has got nothing, and answers 200 without a body, before each of them. */
export function useReceiver() {
  const received: ReceivedRequest[] = []
  const usual: Answer = (response) => response.end()
  let answer = usual
  let base = ''
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { pathname, searchParams } = new URL(incoming.url ?? '', base)
      const { method = '', headers } = incoming
      const body = Buffer.concat(chunks).toString()
      const request = { method, path: pathname, query: searchParams, headers, body }
      received.push(request)
      answer(response, request, received.length)
    })
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    received.length = 0
    answer = usual
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    /** All requests, the first one first. */
    received: received as readonly ReceivedRequest[],
    url: (path = '') => `${base}${path}`,
    host: () => new URL(base).host,
    /** What the next requests are answered with. */
    answerWith: (next: Answer) => {
      answer = next
    },
  }
}

/** Answers each request with the next status; the last one stays. */
export const statuses =
  (...list: readonly number[]): Answer =>
  (response, _, nth) => {
    response.writeHead(list[nth - 1] ?? list.at(-1) ?? 200).end()
  }

/** An address that nobody listens at. */
export async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
