/** Plain HTTP: targets are sent unchanged; nothing is followed, decoded or merged. */

import { Agent, request, type IncomingMessage } from 'node:http'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { messageOf } from '../../core/system/message.ts'
import { shellText } from '../../core/system/shell-text.ts'

export interface HttpRequest {
  /** Default: GET. */
  readonly method?: string | undefined
  /** Path and query below the base. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. The values of a repeated header are joined with a comma. */
  readonly headers: ReadonlyMap<string, string>
  /** As received, in its content coding. */
  readonly body: Buffer
}

export type Client = ReturnType<typeof openHttpClient>

const timeoutMs = 30_000

export const tokenHeader = 'X-Fundpress-Preview'

/** After this many requests in a row without an answer, the server counts as gone. */
const mostSilences = 25

/** The connection failed, broke off, or was silent for too long. */
export class NoAnswer extends Error {}

/** @param base without a slash at its end @param always headers of every request */
export function openHttpClient(
  base: string,
  concurrency: number,
  signal: AbortSignal | undefined,
  always: Readonly<Record<string, string>> = {},
) {
  const { hostname, port, pathname } = new URL(base)
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  agent.createConnection = () => connectTo(base)
  const prefix = pathname.replace(/\/$/, '')
  const place = { agent, hostname, port, timeout: timeoutMs, ...(signal && { signal }) }

  let silences = 0

  const askOnce = ({ method = 'GET', target, headers = {}, body }: HttpRequest): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const options = { ...place, method, path: prefix + target, headers: { ...always, ...headers } }
      const sent = request(options, (response) => void readAnswer(response).then(resolve, reject))
      sent.on('timeout', () => sent.destroy(new Error(`silent for ${timeoutMs / 1000} s`)))
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server may close an idle connection just when the client uses it again.
        const wasClosed = sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
        reject(wasClosed ? new StaleConnection() : error)
      })
      sent.end(body)
    })

  return {
    /** @throws {NoAnswer} @throws {Error} if the server is gone, or the run is aborted */
    ask: async (asked: HttpRequest): Promise<HttpAnswer> => {
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await askOnce(asked)
          silences = 0
          return answer
        } catch (error) {
          if (error instanceof StaleConnection && attempt < 5) continue
          signal?.throwIfAborted()
          const message = messageOf(error)
          if (++silences < mostSilences) throw new NoAnswer(message, { cause: error })
          throw new Error(`${base} does not answer: ${message}`, { cause: error })
        }
      }
    },
    close: () => agent.destroy(),
  }
}

class StaleConnection extends Error {}

/** Faster than `buffer` of node:stream/consumers, which makes a blob. */
export async function wholeBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  const body = await wholeBody(response)
  const values = Object.entries(response.headersDistinct)
  const headers = new Map(values.map(([name, list = []]) => [name, list.join(', ')]))
  return { status: response.statusCode ?? 0, headers, body }
}

export function connectTo(base: string): Socket {
  const { protocol, hostname, port } = new URL(base)
  const isSecure = protocol === 'https:'
  // A URL has brackets around an IPv6 address, the options of a connection must not.
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port: Number(port) || (isSecure ? 443 : 80) }
  // An address is not a server name (RFC 6066, 3).
  const name = isIP(host) === 0 ? { servername: host } : {}
  return isSecure ? connectSecure({ ...place, ...name }) : connectPlain(place)
}

/**
 * Sends bytes (Latin-1) on a new connection and reads until the server closes it or is silent for `patienceMs`.
 * @returns the answer in Latin-1, empty if the server closed the connection at once
 */
export const exchange = (base: string, bytes: string, patienceMs = 2000) =>
  new Promise<{ text: string; isSilent: boolean }>((resolve) => {
    const chunks: Buffer[] = []
    const socket = connectTo(base)
    const finish = (isSilent: boolean): void => {
      socket.destroy()
      resolve({ text: Buffer.concat(chunks).toString('latin1'), isSilent })
    }
    socket.setTimeout(patienceMs, () => finish(true))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
    socket.write(Buffer.from(bytes, 'latin1'))
  })

/** @param isPreview adds the token of a preview, from the environment */
export function curlCommand(
  base: string,
  { method = 'GET', target, headers = {}, body }: HttpRequest,
  isPreview = false,
): string {
  const words = ['curl', '-sS', '-i', '--path-as-is', '--globoff']
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET') words.push('-X', shellText(method))
  if (isPreview) words.push('-H', `"${tokenHeader}: $FUNDPRESS_EDGE_PREVIEW_TOKEN"`)
  // curl sends an empty header if its text ends with a semicolon.
  for (const [name, value] of Object.entries(headers)) {
    words.push('-H', shellText(value === '' ? `${name};` : `${name}: ${value}`))
  }
  if (body !== undefined) words.push('--data-raw', shellText(body))
  return [...words, shellText(base + target)].join(' ')
}
