/** An HTTP server that keeps what it gets: a monitor, a chat, a collector of figures. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach } from 'vitest'

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** It must end the answer, or let it hang. @param nth from 1, of the requests that are kept */
type Answer = (response: ServerResponse, request: ReceivedRequest, nth: number) => unknown

const usual: Answer = (response) => response.end()

function makeReceiver(answerOf: () => Answer) {
  const received: ReceivedRequest[] = []
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { method = '', headers, url = '' } = incoming
      const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
      const request = { method, path: pathname, query: searchParams, headers, body }
      received.push(request)
      answerOf()(response, request, received.length)
    })
  })
  return {
    received,
    /** The bodies since the last time, which are JSON. */
    take: () => received.splice(0).map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>),
    open: async () => `127.0.0.1:${await listen(server)}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** For one test, or for tests that know what was received before them. */
export async function openReceiver(answer = usual) {
  const { open, ...receiver } = makeReceiver(() => answer)
  const host = await open()
  return { ...receiver, host, url: `http://${host}` }
}

/** To be called once in a file of tests: it has got nothing, and answers 200 without a body, before each of them. */
export function useReceiver() {
  let answer = usual
  let host = ''
  const { received, take, open, close } = makeReceiver(() => answer)
  beforeAll(async () => {
    host = await open()
  })
  beforeEach(() => {
    received.length = 0
    answer = usual
  })
  afterAll(close)
  return {
    /** All requests, the first one first. */
    received,
    take,
    url: (path = '') => `http://${host}${path}`,
    host: () => host,
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

/** @returns the port */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
