/** Asks the served product what the oracle was asked, and says where the two differ. */
import type { Oracle, OracleAnswer, OracleRequest } from './oracle.ts'
import { headerOf, rawRequest, type RawResponse } from '../support/request.ts'

/** Headers that the oracle decides; `allow` is compared where it has one. */
const decidedHeaders = ['content-type', 'content-language', 'location'] as const

/** One line for each difference, GET and HEAD both asked; at most `limit` of them. */
export async function differences(
  base: string,
  oracle: Oracle,
  requests: readonly OracleRequest[],
  limit = 10,
): Promise<string[]> {
  const found: string[] = []
  const waiting = requests.values()
  const ask = async (): Promise<void> => {
    for (const request of waiting) {
      if (found.length >= limit) return
      found.push(...(await difference(base, oracle, request)))
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  return found
}

/** What differs between the served answer to one request, its HEAD, and the oracle's answer. */
export async function difference(base: string, oracle: Oracle, asked: OracleRequest): Promise<string[]> {
  const request = { ...asked, target: asSent(asked.target) }
  const expected = oracle.answer(request)
  const served = await send(base, request)
  const found = compare(served, expected)
  if (request.method === undefined) {
    const head = await send(base, { ...request, method: 'HEAD' })
    if (head.status !== served.status) found.push(`HEAD answers ${head.status}, GET ${served.status}`)
    if (head.body.length > 0) found.push(`HEAD has a body of ${head.body.length} bytes`)
    found.push(...headerDifferences(head, served))
  }
  return found.map((line) => `${JSON.stringify(request)}: ${line}`)
}

function send(base: string, { method, target, accept, acceptLanguage }: OracleRequest): Promise<RawResponse> {
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }),
  }
  return rawRequest(base, { method, target, headers })
}

/** Characters that no request line can hold, percent-encoded as a client would. */
function asSent(target: string): string {
  return target.replace(/[^\x21-\x7e]/g, encodeURIComponent)
}

function compare(served: RawResponse, expected: OracleAnswer): string[] {
  const found: string[] = []
  const check = (
    what: string,
    actual: string | number | undefined,
    wanted: string | number | undefined,
  ): void => {
    if (actual !== wanted) found.push(`${what} is ${String(actual)}, not ${String(wanted)}`)
  }
  check('status', served.status, expected.status)
  for (const name of decidedHeaders) check(name, headerOf(served, name), expected.headers[name])
  if (expected.headers.allow !== undefined) check('allow', headerOf(served, 'allow'), expected.headers.allow)
  const body = served.body.toString()
  if (body !== expected.body) found.push(firstDifference(body, expected.body))
  return found
}

function firstDifference(actual: string, wanted: string): string {
  let at = 0
  while (at < wanted.length && actual[at] === wanted[at]) at++
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80))
  return `body differs from character ${at}: ${around(actual)}, not ${around(wanted)}`
}

/** HEAD may leave out how a body is cut into chunks; the rest must be as with GET. */
function headerDifferences(head: RawResponse, served: RawResponse): string[] {
  const changing = ['date', 'connection', 'keep-alive', 'transfer-encoding']
  const names = new Set([...head.headers, ...served.headers].map(([name]) => name))
  return [...names]
    .filter((name) => !changing.includes(name) && headerOf(head, name) !== headerOf(served, name))
    .map(
      (name) =>
        `${name} is ${headerOf(head, name) ?? 'missing'} with HEAD, ${headerOf(served, name) ?? 'missing'} with GET`,
    )
}
