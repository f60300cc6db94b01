/** A proxy that passes answers on, and may change them on the way. */
import { createServer as createPlain, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { listen, rawRequest, type RawResponse } from '../support/request.ts'

/** What the server behind answers, to the request as it came unless something else is given. */
type Ask = (instead?: { readonly base?: string; readonly target?: string }) => Promise<RawResponse>

export interface ProxyOptions {
  readonly upstream: string
  /** Gives the answer to a request. Names of headers come in lower case. */
  readonly pass: (target: string, ask: Ask, headers: Readonly<Record<string, string>>) => Promise<RawResponse>
  readonly tls?: { readonly key: string; readonly cert: string }
}

export async function startProxy({ upstream, pass, tls }: ProxyOptions) {
  const listener: RequestListener = (request, response) => {
    const { method, url = '/' } = request
    // A body is not passed on, so its length is not either: a server would wait for it.
    const own = ['host', 'connection', 'content-length', 'transfer-encoding']
    const kept = Object.entries(request.headers).filter(([name]) => !own.includes(name))
    const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
    const ask: Ask = ({ base = upstream, target = url } = {}) => rawRequest(base, { method, target, headers })
    pass(url, ask, headers).then(
      (answer) => {
        const ofBody = /^(connection|keep-alive|transfer-encoding)$/
        response.writeHead(answer.status, answer.headers.filter(([name]) => !ofBody.test(name)).flat())
        response.end(answer.body)
      },
      (error: unknown) => response.destroy(error as Error),
    )
  }
  const limits = { maxHeaderSize: 256 * 1024 }
  const server =
    tls === undefined ? createPlain(limits, listener) : createSecure({ ...limits, ...tls }, listener)
  const { base, stop } = await listen(server)
  return { base: tls === undefined ? base : base.replace('http', 'https'), server, stop }
}
