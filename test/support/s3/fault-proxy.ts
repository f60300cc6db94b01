/** A proxy that spoils the traffic to any HTTP server. Host and bodies go through as they are: signatures stay valid. */
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { listen } from '../request.ts'
import { seededRandom } from './random.ts'
import { errorAnswer, readBody } from './wire.ts'

/**
 * An answer 500 or 503 that the server behind does not know of; a connection that is cut before the server is asked
 * (cutBefore), in the middle of the request's body (cutRequest), after the server is done but before the answer (cutAfter),
 * after the answer's headers (cutAnswer), in the middle of its body (truncate).
 */
const mishaps = ['status', 'cutBefore', 'cutRequest', 'cutAfter', 'cutAnswer', 'truncate'] as const
export type Mishap = (typeof mishaps)[number]

/** The chance of each mishap; each is from 0 to 1, all together are at most 1. */
interface Odds extends Partial<Record<Mishap, number>> {
  /** The chance of a delay of up to 100 ms. */
  readonly delay?: number
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

/** @param target http://127.0.0.1:port */
export async function startFaultProxy(target: string, seed: number) {
  const random = seededRandom(seed)
  const agent = new Agent({ keepAlive: true })
  const none = [...mishaps, 'through' as const].map((outcome) => [outcome, 0] as const)
  const counts = Object.fromEntries(none) as Record<Mishap | 'through', number>
  let odds: Odds = {}

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Drawn always and in this order, so that one answer does not shift the luck of the next.
    const [chance, delayChance, delay, cutAt, coin] = [random(), random(), random(), random(), random()]
    let sum = 0
    const mishap = mishaps.find((one) => chance < (sum += odds[one] ?? 0))
    counts[mishap ?? 'through']++
    const body = await readBody(request)
    if (delayChance < (odds.delay ?? 0)) await setTimeout(delay * 100)
    if (body === undefined || mishap === 'cutBefore') {
      response.destroy()
      return
    }
    if (mishap === 'status') {
      const status = coin < 0.5 ? 500 : 503
      const refusal = errorAnswer(status, status === 500 ? 'InternalError' : 'SlowDown', {})
      response.writeHead(status, refusal.headers).end(refusal.body)
      return
    }
    const sent = open(request, target, agent)
    if (mishap === 'cutRequest') {
      sent.on('error', () => undefined)
      sent.flushHeaders()
      sent.write(body.subarray(0, Math.floor(body.length * cutAt)))
      // Long enough for what was written to arrive.
      await setTimeout(20)
      sent.destroy()
      response.destroy()
      return
    }
    const [answer] = (await once(sent.end(body), 'response')) as [IncomingMessage]
    const received = await readBody(answer)
    if (received === undefined || mishap === 'cutAfter') {
      response.destroy()
      return
    }
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    if (mishap === undefined) {
      response.end(received)
      return
    }
    response.flushHeaders()
    if (mishap === 'truncate') response.write(received.subarray(0, Math.floor(received.length * cutAt)))
    // What was written has to leave first.
    setImmediate(() => response.destroy())
  }

  const http = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
    // If the server behind cuts the connection, so does the proxy.
    serve(request, response).catch(() => response.destroy())
  })
  const { base: endpoint, stop } = await listen(http)
  return {
    endpoint,
    /** In place of the odds before; none: all goes through. */
    set: (given: Odds) => {
      odds = given
    },
    /** What happened since the start, to how many requests. */
    counts: counts as Readonly<typeof counts>,
    stop: async () => {
      agent.destroy()
      await stop()
    },
  }
}

/** The same request to the server behind; Node adds no header of its own. */
function open(request: IncomingMessage, target: string, agent: Agent) {
  const headers = request.rawHeaders.flatMap((name, index) => {
    const isKept = index % 2 === 0 && !/^(expect|connection)$/i.test(name)
    return isKept ? [name, request.rawHeaders[index + 1] ?? ''] : []
  })
  const { hostname, port } = new URL(target)
  const { method, url: path } = request
  return httpRequest({ agent, hostname, port, method, path, setHost: false, headers })
}
