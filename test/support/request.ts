/** HTTP without the politeness of fetch: targets go out as they are, headers come back as a list. And servers on a free port. */
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'

/** Lets a server listen on a port of 127.0.0.1; on any free one, unless given. */
export async function listen(server: Server | SecureServer, port = 0) {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface RawRequest {
  /** GET unless given. */
  readonly method?: string | undefined
  readonly target: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string
}

export interface RawResponse {
  readonly status: number
  /** In the order sent; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** One request over a pooled connection. */
export async function rawRequest(base: string, request: RawRequest): Promise<RawResponse> {
  const { method = 'GET', target, headers, body: sentBody } = request
  const { hostname, port } = new URL(base)
  const sent = httpRequest({ agent, hostname, port, method, path: target, headers }).end(sentBody)
  // An error after the head of the answer is one of its body, too.
  sent.on('error', () => undefined)
  let response: IncomingMessage
  try {
    ;[response] = (await once(sent, 'response')) as [IncomingMessage]
  } catch (error) {
    // The server may close an idle connection at the moment when it is used again.
    const { code = '' } = error as NodeJS.ErrnoException
    if (sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(code)) return rawRequest(base, request)
    throw error
  }
  const body = await wholeBody(response)
  return { status: response.statusCode ?? 0, headers: headerPairs(response), body }
}

/** @throws {Error} if the body breaks off */
export async function wholeBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Headers in the order sent; names in lower case. */
export function headerPairs({ rawHeaders }: IncomingMessage) {
  const names = rawHeaders.filter((_, index) => index % 2 === 0)
  return names.map((name, index) => [name.toLowerCase(), rawHeaders[2 * index + 1] ?? ''] as const)
}

/** The value of a header, several joined as HTTP joins them. */
export function headerOf(response: RawResponse, name: string): string | undefined {
  const values = response.headers.filter(([given]) => given === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/**
 * Writes bytes to a connection as they stand and gathers what comes back until the server closes. A connection that breaks
 * off, or is silent for a minute, gives what had arrived.
 */
export function exchangeBytes(base: string, bytes: Buffer): Promise<Buffer> {
  const { hostname, port } = new URL(base)
  const chunks: Buffer[] = []
  const socket = connect({ host: hostname, port: Number(port) })
  return new Promise((resolve) => {
    const finish = (): void => {
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket.setTimeout(60_000, finish)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', finish)
    socket.on('close', finish)
    socket.write(bytes)
  })
}

/**
 * Splits what came back on a connection into its answers; throws where that is not well-formed HTTP/1.1. Answers to
 * HEAD have no body, whatever their headers promise.
 */
export function parseResponses(bytes: Buffer, asked: 'with bodies' | 'by HEAD' = 'with bodies') {
  const responses: RawResponse[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(statusLine) ?? []
    if (end < 0 || status === undefined)
      throw new Error(`not an HTTP answer: ${rest.toString('latin1', 0, 200)}`)
    const headers = lines.map((line) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) throw new Error(`not a header: ${line}`)
      return [name.toLowerCase(), value] as const
    })
    const after = rest.subarray(end + 4)
    const hasBody = asked === 'with bodies' && status !== '204' && status !== '304'
    const { body, next } = hasBody ? readBody(headers, after) : { body: Buffer.alloc(0), next: after }
    responses.push({ status: Number(status), headers, body })
    rest = next
  }
  return responses
}

function readBody(headers: RawResponse['headers'], rest: Buffer) {
  const find = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1]
  const length = find('content-length')
  if (length !== undefined) {
    if (rest.length < Number(length)) throw new Error(`${length} bytes promised, ${rest.length} received`)
    return { body: rest.subarray(0, Number(length)), next: rest.subarray(Number(length)) }
  }
  if (find('transfer-encoding') !== 'chunked') return { body: rest, next: Buffer.alloc(0) }
  const chunks: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16)
    if (lineEnd < 0 || Number.isNaN(size)) throw new Error('a chunk without its size')
    if (size === 0) return { body: Buffer.concat(chunks), next: rest.subarray(lineEnd + 4) }
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
