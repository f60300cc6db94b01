/** HTTP without the politeness of fetch: targets go out as they are, headers come back as a list. */
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

export interface RawRequest {
  /** GET unless given. */
  readonly method?: string | undefined
  readonly target: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface RawResponse {
  readonly status: number
  /** In the order sent; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** One request over a pooled connection. */
export async function rawRequest(
  base: string,
  { method = 'GET', target, headers }: RawRequest,
): Promise<RawResponse> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ agent, hostname, port, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const raw = response.rawHeaders
        const names = raw.filter((_, index) => index % 2 === 0)
        resolve({
          status: response.statusCode ?? 0,
          headers: names.map((name, index) => [name.toLowerCase(), raw[2 * index + 1] ?? ''] as const),
          body: Buffer.concat(chunks),
        })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** The value of a header, several joined as HTTP joins them. */
export function headerOf(response: RawResponse, name: string): string | undefined {
  const values = response.headers.filter(([given]) => given === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/**
 * Writes bytes to a connection as they stand and gathers what comes back until the server closes, or until the answer
 * is silent for `patienceMs`. A connection that breaks off gives what had arrived.
 */
export async function exchangeBytes(base: string, bytes: Buffer, patienceMs = 2000): Promise<Buffer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname)
    const finish = (): void => {
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket.setTimeout(patienceMs, finish)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', finish)
    socket.on('close', finish)
    socket.write(bytes)
  })
}

/**
 * Splits what came back on a connection into its answers; throws where that is not well-formed HTTP/1.1. Answers to
 * HEAD have no body, whatever their headers promise.
 */
export function parseResponses(
  bytes: Buffer,
  asked: 'with bodies' | 'by HEAD' = 'with bodies',
): RawResponse[] {
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
    const { body, next } =
      asked === 'by HEAD' ? { body: Buffer.alloc(0), next: after } : readBody(headers, after, Number(status))
    responses.push({ status: Number(status), headers, body })
    rest = next
  }
  return responses
}

function readBody(
  headers: RawResponse['headers'],
  rest: Buffer,
  status: number,
): { body: Buffer; next: Buffer } {
  const find = (wanted: string): string | undefined => headers.find(([name]) => name === wanted)?.[1]
  const length = find('content-length')
  if (status === 204 || status === 304) return { body: Buffer.alloc(0), next: rest }
  if (length !== undefined) {
    if (rest.length < Number(length))
      throw new Error(`a body of ${rest.length} bytes, ${length} were promised`)
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
