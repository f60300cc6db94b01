/** Sends an answer as S3 does, or breaks it in the way that a fault wants. */
import type { ServerResponse } from 'node:http'
import type { FaultRule } from './faults.ts'
import type { Answer } from './request.ts'

/** @param fault only `truncate`, `corrupt` and `chunked` matter here */
export function send(response: ServerResponse, answer: Answer, fault: FaultRule | undefined): void {
  const { status, headers } = answer
  const body = fault?.kind === 'corrupt' ? corrupt(answer.body) : answer.body
  const { method } = response.req
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  // A refusal of HEAD says nothing of a length.
  const hasLength = status !== 204 && status !== 304 && (method !== 'HEAD' || status < 300)
  if (hasLength && fault?.kind !== 'chunked') response.setHeader('content-length', body.length)
  // Node counts a body that it gets before the headers have left.
  if (fault?.kind === 'chunked') response.flushHeaders()
  if (fault?.kind !== 'truncate') {
    response.end(method === 'HEAD' ? undefined : body)
    return
  }
  response.flushHeaders()
  response.write(body.subarray(0, body.length >>> 1))
  // What was written has to leave first.
  setImmediate(() => response.destroy())
}

function corrupt(body: Buffer): Buffer {
  const copy = Buffer.from(body)
  const middle = copy.length >>> 1
  if (copy.length > 0) copy.writeUInt8(copy.readUInt8(middle) ^ 1, middle)
  return copy
}
