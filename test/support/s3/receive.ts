/** Reads a request from the socket: which operation it names, its headers as signatures see them, its whole body. */
import type { IncomingMessage } from 'node:http'
import { S3Error } from './errors.ts'
import type { Headers } from './request.ts'
import { operationOf, parseTarget, type Operation, type Target } from './route.ts'

export interface Head {
  readonly method: string
  readonly headers: Headers
  /** What is asked for, or why that cannot be told. */
  readonly asked: (Target & { readonly operation: Operation }) | S3Error
}

export function readHead(request: IncomingMessage): Head {
  const { method = '' } = request
  const headers = joinHeaders(request)
  const asked = attempt(() => {
    const target = parseTarget(request.url ?? '', headers['host'] ?? '')
    const operation = operationOf(method, target, headers['x-amz-copy-source'] !== undefined)
    return { ...target, operation }
  })
  return { method, headers, asked }
}

/** @returns undefined if the body broke off */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const giveUp = (): void => {
      resolve(undefined)
    }
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', giveUp)
    request.on('close', giveUp)
    request.on('end', () => {
      // A copy of its own: what comes from the socket are windows onto blocks of 64 kB.
      const body = Buffer.allocUnsafeSlow(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
      let at = 0
      for (const chunk of chunks) at += chunk.copy(body, at)
      resolve(request.complete ? body : undefined)
    })
  })
}

/** Waits for the first bytes of a body, or for its end, and reads no more. */
export async function readSome(request: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const event of ['readable', 'end', 'error', 'close']) request.once(event, resolve)
  })
}

/** A refusal as a value; any other error is a mistake of the server. */
export function attempt<Result>(run: () => Result): Result | S3Error {
  try {
    return run()
  } catch (error) {
    if (error instanceof S3Error) return error
    throw error
  }
}

/** Several headers of one name become one. */
function joinHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const value = rawHeaders[at + 1] ?? ''
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  return headers
}
