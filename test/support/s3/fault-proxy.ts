/** A proxy that spoils the traffic to any HTTP server. Host and bodies go through as they are: signatures stay valid. */
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { seededRandom } from './random.ts'
import { errorAnswer, readBody } from './wire.ts'

export const mishaps = ['status', 'cutBefore', 'cutRequest', 'cutAfter', 'cutAnswer', 'truncate'] as const
export type Mishap = (typeof mishaps)[number]

export interface Odds extends Partial<Record<Mishap, number>> {
  /**
   * The chance of an answer 500 or 503 that the server behind does not know of; of a connection that is cut before the
   * server is asked (cutBefore), in the middle of the request's body (cutRequest), after the server is done but before the
   * answer (cutAfter), after the answer's headers (cutAnswer), in the middle of its body (truncate). Each is from 0 to 1,
   * all together are at most 1.
   */
  readonly delay?: number
  /** The longest delay; 100 unless given. */
  readonly maxDelayMs?: number
  /** The requests that may be spoilt, as `PUT /bucket/key?x-id=PutObject`; all unless given. */
  readonly requests?: RegExp
}

export interface FaultProxy {
  readonly endpoint: string
  /** In place of those before; none: all goes through. */
  readonly set: (odds: Odds) => void
  /** What happened since the start, `through` included. */
  readonly counts: () => Readonly<Record<Mishap | 'delay' | 'through', number>>
  readonly stop: () => Promise<void>
}

export interface FaultProxyOptions {
  /** http://127.0.0.1:port */
  readonly target: string
  readonly seed: number
}

export async function startFaultProxy({ target, seed }: FaultProxyOptions): Promise<FaultProxy> {
  const random = seededRandom(seed)
  const upstream = { url: new URL(target), agent: new Agent({ keepAlive: true }) }
  const counts = { status: 0, cutBefore: 0, cutRequest: 0, cutAfter: 0, cutAnswer: 0, truncate: 0 }
  const others = { delay: 0, through: 0 }
  let odds: Odds = {}

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isMeant = odds.requests?.test(`${request.method ?? ''} ${request.url ?? ''}`) ?? true
    // Drawn always and in this order, so that one answer does not shift the luck of the next.
    const [chance, delayChance, delay, cutAt, coin] = [random(), random(), random(), random(), random()]
    const mishap = isMeant ? draw(odds, chance) : undefined
    const isDelayed = isMeant && delayChance < (odds.delay ?? 0)
    if (mishap === undefined) others.through++
    else counts[mishap]++
    if (isDelayed) others.delay++
    const body = await readBody(request)
    if (isDelayed) await new Promise((resolve) => setTimeout(resolve, delay * (odds.maxDelayMs ?? 100)))
    if (body === undefined || mishap === 'cutBefore') response.destroy()
    else if (mishap === 'status') refuse(response, coin < 0.5 ? 500 : 503)
    else if (mishap === 'cutRequest') {
      await forwardHalf(request, body.subarray(0, Math.floor(body.length * cutAt)), upstream)
      response.destroy()
    } else giveBack(response, await forward(request, body, upstream), mishap, cutAt)
  }

  const http = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    set: (given) => {
      odds = given
    },
    counts: () => ({ ...counts, ...others }),
    stop: async () => {
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeAllConnections()
      upstream.agent.destroy()
      await closed
    },
  }
}

function draw(odds: Odds, chance: number): Mishap | undefined {
  let sum = 0
  return mishaps.find((mishap) => chance < (sum += odds[mishap] ?? 0))
}

/** The answer of the server behind, or as much of it as the mishap leaves. */
function giveBack(
  response: ServerResponse,
  answer: Forwarded | undefined,
  mishap: Mishap | undefined,
  cutAt: number,
): void {
  if (answer === undefined || mishap === 'cutAfter') {
    response.destroy()
    return
  }
  response.writeHead(answer.status, answer.rawHeaders)
  if (mishap === undefined) {
    response.end(answer.body)
    return
  }
  response.flushHeaders()
  if (mishap === 'truncate') response.write(answer.body.subarray(0, Math.floor(answer.body.length * cutAt)))
  // What was written has to leave first.
  setImmediate(() => response.destroy())
}

function refuse(response: ServerResponse, status: 500 | 503): void {
  const { headers, body } = errorAnswer(status, status === 500 ? 'InternalError' : 'SlowDown', {})
  response.writeHead(status, headers).end(body)
}

interface Upstream {
  readonly url: URL
  readonly agent: Agent
}

/** The same request to the server behind; Node adds no header of its own. */
function open(request: IncomingMessage, { url, agent }: Upstream) {
  const kept = request.rawHeaders.flatMap((name, index) => {
    const isName = index % 2 === 0 && !/^(expect|connection)$/i.test(name)
    return isName ? [name, request.rawHeaders[index + 1] ?? ''] : []
  })
  const { hostname, port } = url
  const { method, url: path } = request
  return httpRequest({ agent, hostname, port, method, path, setHost: false, headers: kept })
}

interface Forwarded {
  readonly status: number
  readonly rawHeaders: string[]
  readonly body: Buffer
}

/** @returns undefined if the server behind cut the connection itself */
async function forward(
  request: IncomingMessage,
  body: Buffer,
  upstream: Upstream,
): Promise<Forwarded | undefined> {
  return new Promise((resolve) => {
    const sent = open(request, upstream)
    sent.on('error', () => {
      resolve(undefined)
    })
    sent.on('response', (answer) => {
      const { statusCode = 502, rawHeaders } = answer
      void readBody(answer).then((received) => {
        resolve(received && { status: statusCode, rawHeaders, body: received })
      })
    })
    sent.end(body)
  })
}

/** The beginning of a request, and then nothing more. */
async function forwardHalf(request: IncomingMessage, half: Buffer, upstream: Upstream): Promise<void> {
  return new Promise((resolve) => {
    const sent = open(request, upstream)
    sent.on('error', () => {
      resolve()
    })
    sent.on('close', resolve)
    sent.flushHeaders()
    sent.write(half)
    // Long enough for what was written to arrive.
    setTimeout(() => sent.destroy(), 20)
  })
}
