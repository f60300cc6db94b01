/**
 * A function URL: a process of its own that runs the Lambda's bundle, and answers HTTP with it as Lambda does in the
 * mode RESPONSE_STREAM. Started with the module's path; says its address on stdout.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { listen } from '../request.ts'

interface Head {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
}

/** Like Lambda's own: what is to go before the body goes with the first write, and without one not at all. */
class ResponseStream extends Writable {
  head: Head = { statusCode: 200, headers: { 'content-type': 'application/octet-stream' } }
  given: Head | undefined
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    super()
    this.#response = response
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (this.given !== undefined) this.head = this.given
    return super.write(chunk, ...(rest as []))
  }

  override _write(chunk: Buffer, _: string, done: (error?: Error | null) => void): void {
    this.#start()
    this.#response.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#start()
    this.#response.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error !== null) this.#response.destroy()
    done(error)
  }

  #start(): void {
    if (this.#response.headersSent) return
    const headers = Object.entries(this.head.headers).filter(([name]) => !/^content-length$/i.test(name))
    this.#response.writeHead(this.head.statusCode, Object.fromEntries(headers))
    this.#response.flushHeaders()
  }
}

type Handler = (event: object, stream: Writable) => Promise<void>

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: {
      from: (stream: ResponseStream, head: Head) => {
        stream.given = head
        return stream
      },
    },
  },
})

const { handler, watch } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  handler: Handler
  watch: () => Promise<void>
}

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    response.destroy()
  })
})

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  // For the schedule, which calls the other handler.
  if (method === 'POST') return watch().then(() => void response.end())
  const [rawPath = '', rawQueryString = ''] = url.split(/\?(.*)/s)
  const event = { rawPath, rawQueryString, headers, requestContext: { http: { method } } }
  await handler(event, new ResponseStream(response))
}

process.stdout.write((await listen(server)).base)
