/** One request over the socket, from its first header to its answer, with all that goes wrong on the way. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorXml, S3Error } from './errors.ts'
import { usualCode, type FaultRule, type Faults } from './faults.ts'
import { handle } from './handlers.ts'
import { readPayload } from './payload.ts'
import { attempt, readBody, readHead, readSome, type Head } from './receive.ts'
import { answer, type Answer, type World } from './request.ts'
import type { Operation } from './route.ts'
import { send } from './send.ts'
import { verifySignature } from './signature.ts'

/** A request as it ended. */
export interface LogEntry {
  /** `unknown` where the request names none. */
  readonly operation: Operation | 'unknown'
  readonly method: string
  readonly bucket: string
  readonly key: string
  /** What was answered, 0 if the connection ended before. */
  readonly status: number
  /** Of the request's body, as it came. */
  readonly bytes: number
  /** The request's body, as it came. */
  readonly body: Buffer
  readonly faults: readonly FaultRule['kind'][]
}

export interface Exchange {
  readonly world: World
  readonly faults: Faults
  readonly requestId: string
  /** Whether the server has gone back to an earlier state since the request came. */
  readonly isStale: () => boolean
}

/** @returns what is to be logged */
export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { world, faults, requestId, isStale }: Exchange,
): Promise<LogEntry> {
  const head = readHead(request)
  const { method, asked } = head
  const { operation, bucket, key } =
    asked instanceof S3Error ? { operation: 'unknown' as const, bucket: '', key: '' } : asked
  const rules = operation === 'unknown' ? [] : faults.of({ method, operation, key })
  const fault = rules.find(({ kind }) => kind !== 'delay' && kind !== 'call')
  const end = (status: number, body: Buffer): LogEntry => {
    if (status === 0) response.destroy()
    return {
      operation,
      method,
      bucket,
      key,
      status,
      bytes: body.length,
      body,
      faults: rules.map(({ kind }) => kind),
    }
  }

  if (fault?.kind === 'status-early') {
    await readSome(request)
    // Whoever does not want the rest has to end the connection.
    const refusal = faultAnswer(fault, requestId)
    send(response, { ...refusal, headers: { ...refusal.headers, connection: 'close' } }, fault)
    return end(refusal.status, nobody)
  }
  const received = await receive(request, fault)
  // A body that broke off: nobody is there to be answered, and nothing is carried out.
  if (received === undefined) return end(0, nobody)
  await waitFor(rules, 'before')
  if (isStale()) return end(0, received)
  const now = Date.now() + world.settings.clockSkewMs
  const done = fault?.kind === 'status' ? undefined : carryOut(head, received, { world, now, requestId })
  await waitFor(rules, 'after')
  if (fault?.kind === 'cut-after') return end(0, received)
  const isRefused = fault?.kind === 'status' || fault?.kind === 'status-after'
  const result = done === undefined || isRefused ? faultAnswer(fault, requestId) : done
  const headers = {
    ...result.headers,
    date: new Date(now).toUTCString(),
    'x-amz-request-id': requestId,
    'x-amz-bucket-region': world.settings.region,
  }
  send(response, { ...result, headers }, fault)
  return end(result.status, received)
}

/** @returns undefined if the body broke off, or is to */
async function receive(request: IncomingMessage, fault: FaultRule | undefined): Promise<Buffer | undefined> {
  if (fault?.kind === 'cut-before') return undefined
  if (fault?.kind !== 'cut-early') return readBody(request)
  await readSome(request)
  return undefined
}

/** Of a body that was not read to its end. */
const nobody = Buffer.alloc(0)

interface Circumstances {
  readonly world: World
  readonly now: number
  readonly requestId: string
}

function carryOut(
  { method, headers, asked }: Head,
  received: Buffer,
  { world, now, requestId }: Circumstances,
): Answer {
  const done = attempt(() => {
    if (asked instanceof S3Error) throw asked
    const digest = verifySignature({ method, headers, ...asked }, world.settings, now)
    const payload = readPayload(received, digest, headers, asked.operation)
    return handle({ ...asked, ...payload, headers, now, requestId }, world)
  })
  if (!(done instanceof S3Error)) return done
  if (done.code === 'NotModified') return answer(304, { etag: done.details['ETag'] ?? '' })
  return errorAnswer(done.status, errorXml(done.code, done.message, requestId, done.details))
}

function faultAnswer(fault: FaultRule | undefined, requestId: string): Answer {
  if (fault === undefined || !('status' in fault)) throw new Error('this fault has no answer')
  const code = fault.code ?? usualCode(fault.status)
  return errorAnswer(fault.status, errorXml(code, 'A fault of the test.', requestId))
}

const errorAnswer = (status: number, xml: string): Answer =>
  answer(status, { 'content-type': 'application/xml' }, xml)

async function waitFor(rules: readonly FaultRule[], when: 'before' | 'after'): Promise<void> {
  for (const rule of rules) {
    if (rule.kind === 'delay' && when === 'before')
      await new Promise((resolve) => setTimeout(resolve, rule.ms))
    if (rule.kind === 'call' && rule.when === when) await rule.run()
  }
}
