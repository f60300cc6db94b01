/** The SDK's client as a night needs it: patient, its requests counted, its answers' dates kept. */

import { S3Client } from '@aws-sdk/client-s3'
import type { Patience } from './patience.ts'
import { isMissing, statusOf } from './s3-errors.ts'

export interface S3Settings {
  readonly bucket: string
  /** Without slashes at its ends; '' for none. */
  readonly prefix: string
  /** Of a store other than AWS. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly pathStyle: boolean
  /** Requests at a time: as many connections are kept open. */
  readonly concurrency: number
}

/**
 * Connections for the lease and its like, beside those for objects: a request that waited for one would be sent later
 * than it was decided upon.
 */
const bookkeeping = 4

export interface WatchedClient {
  readonly client: S3Client
  /** Requests so far, by operation. */
  readonly requests: () => Readonly<Record<string, number>>
  /** Attempts to write or delete that ended without an answer. */
  readonly unanswered: () => number
  /** When an answer was given, by the store's clock. @param metadata of the answer */
  readonly dateOf: (metadata: object) => Date | undefined
}

export function openClient(settings: S3Settings, patience: Patience): WatchedClient {
  const client = makeClient(settings, patience)
  const counts: Record<string, number> = {}
  // Counted where requests leave, so that retries count too: that is what is paid for.
  client.middlewareStack.add(
    (next, context) => (args) => {
      const operation = context.commandName?.replace('Command', '') ?? 'unknown'
      counts[operation] = (counts[operation] ?? 0) + 1
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'countRequests' },
  )

  // Closest to the connection: each attempt passes, and only an answer gets through without an error.
  let unanswered = 0
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const isWrite = !/^(?:Get|List|Head)/.test(context.commandName ?? '')
      try {
        const result = await next(args)
        const { statusCode } = result.response as { statusCode?: number }
        if (isWrite && gaveUp.includes(statusCode ?? 0)) unanswered++
        return result
      } catch (error) {
        if (isWrite) unanswered++
        throw error
      }
    },
    { step: 'deserialize', priority: 'low', name: 'countUnanswered' },
  )

  client.middlewareStack.addRelativeTo(trustAnswers, {
    relation: 'after',
    toMiddleware: 'retryMiddleware',
    name: 'trustAnswers',
  })

  // The Date header of an answer: the store's clock, which ages are told by.
  const dates = new WeakMap<object, Date>()
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { headers } = result.response as { headers?: Record<string, string> }
      const output = result.output as { $metadata: object }
      if (headers?.['date'] !== undefined) dates.set(output.$metadata, new Date(headers['date']))
      return result
    },
    { step: 'deserialize', priority: 'high', name: 'rememberDate' },
  )
  return {
    client,
    requests: () => ({ ...counts }),
    unanswered: () => unanswered,
    dateOf: (metadata) => dates.get(metadata),
  }
}

/** Answers of a proxy that has waited in vain: the store may still carry the request out. */
const gaveUp: readonly number[] = [408, 502, 504]

function makeClient(settings: S3Settings, patience: Patience): S3Client {
  const { endpoint, region, pathStyle, concurrency } = settings
  return new S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? (endpoint === null ? {} : { region: onceOf(regionOrAuto) }) : { region }),
    forcePathStyle: pathStyle,
    maxAttempts: patience.attempts,
    retryMode: 'adaptive',
    requestHandler: {
      connectionTimeout: patience.connectMs,
      // Not requestTimeout: the SDK only warns of that one, and a large body may take its time.
      socketTimeout: patience.silenceMs,
      httpAgent: { keepAlive: true, maxSockets: concurrency + bookkeeping },
      httpsAgent: { keepAlive: true, maxSockets: concurrency + bookkeeping },
    },
    // Bodies carry their SHA-256 already; older stores refuse the SDK's default of a trailing CRC.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

/** What environment or profile say; else 'auto': a store with an address of its own mostly does not care. */
const regionOrAuto = () => new S3Client({}).config.region().catch(() => 'auto')

/** The SDK asks for the region of each request. */
function onceOf<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => (answer ??= ask())
}

/** With a clock that is wrong, the SDK (3.1169) takes every error for one of the clock, and tries again. */
const trustAnswers =
  <A, O>(next: (args: A) => Promise<O>) =>
  async (args: A): Promise<O> => {
    try {
      return await next(args)
    } catch (error) {
      const { $metadata } = error as { $metadata?: { clockSkewCorrected?: boolean } }
      if (isMissing(error) || statusOf(error) === 412) delete $metadata?.clockSkewCorrected
      throw error
    }
  }
