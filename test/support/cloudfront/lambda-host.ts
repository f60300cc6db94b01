/**
 * A function URL: a process of its own that runs the Lambda's bundle, and answers HTTP with it as Lambda does in the
 * mode RESPONSE_STREAM. Started with the module's path; says its address on stdout.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { listen } from '../request.ts'

interface Head {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
}

/** Like Lambda's own: what is to go before the body goes with the first write, and without one not at all. */
class ResponseStream extends PassThrough {
  head: Head = { statusCode: 200, headers: { 'content-type': 'application/octet-stream' } }
  given: Head | undefined

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (this.given !== undefined) this.head = this.given
    return super.write(chunk, ...(rest as []))
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
  const stream = new ResponseStream()
  await Promise.all([handler(event, stream), send(stream, response)])
}

async function send(stream: ResponseStream, response: ServerResponse): Promise<void> {
  await once(stream, 'readable')
  const headers = Object.entries(stream.head.headers).filter(([name]) => !/^content-length$/i.test(name))
  response.writeHead(stream.head.statusCode, Object.fromEntries(headers))
  response.flushHeaders()
  await pipeline(stream, response)
}

process.stdout.write((await listen(server)).base)
