/** HTTP as it goes over the connection: targets are sent as they stand, nothing is followed, decoded or joined. */

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

export interface Asked {
  /** GET unless given. */
  readonly method?: string | undefined
  /** Path and query below the base. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string
}

export interface Answer {
  readonly status: number
  /** Names in lower case; a header that came several times is joined with a comma. */
  readonly headers: ReadonlyMap<string, string>
  /** As it came, in its content coding. */
  readonly body: Buffer
}

export interface Client {
  /** @throws {NoAnswer} */
  readonly ask: (asked: Asked) => Promise<Answer>
  readonly close: () => void
}

export interface ClientOptions {
  /** http or https, with a path prefix or without; no slash at its end. */
  readonly base: string
  /** How many connections there are at most. */
  readonly concurrency: number
  /** How long a connection may be silent. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** There was no answer at all: the connection failed, broke off, or was silent for too long. */
export class NoAnswer extends Error {}

export function openClient({ base, concurrency, timeoutMs, signal }: ClientOptions): Client {
  const { protocol, hostname, port, pathname } = new URL(base)
  const isSecure = protocol === 'https:'
  const connections = { keepAlive: true, maxSockets: concurrency }
  const agent = isSecure ? new HttpsAgent(connections) : new HttpAgent(connections)
  const start = isSecure ? httpsRequest : httpRequest
  const prefix = pathname.replace(/\/$/, '')
  // An IPv6 address stands in brackets in a URL, and without them in a connection's options.
  const place = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port, timeout: timeoutMs }

  const askOnce = ({ method = 'GET', target, headers = {}, body }: Asked): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { ...place, method, path: prefix + target, headers, ...(signal && { signal }) }
      const sent = start(options, (response) => {
        gather(response).then(resolve, reject)
      })
      sent.on('timeout', () => sent.destroy(new Error(`silent for ${timeoutMs / 1000} s`)))
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server may close a connection that was kept, just when it is used again.
        const wasClosed = sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
        if (wasClosed) reject(new StaleConnection())
        else reject(error)
      })
      sent.end(body)
    })

  return {
    ask: async (asked) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await askOnce(asked)
        } catch (error) {
          if (error instanceof StaleConnection && attempt < 5) continue
          signal?.throwIfAborted()
          throw new NoAnswer(error instanceof Error ? error.message : String(error), { cause: error })
        }
      }
    },
    close: () => agent.destroy(),
  }
}

class StaleConnection extends Error {}

function gather(response: IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const headers = new Map<string, string>()
      response.rawHeaders.forEach((name, at) => {
        if (at % 2 === 1) return
        const known = headers.get(name.toLowerCase())
        const value = response.rawHeaders[at + 1] ?? ''
        headers.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`)
      })
      resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) })
    })
  })
}
