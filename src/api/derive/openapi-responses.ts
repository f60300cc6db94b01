/** The responses of an operation: the answer, and every error by status with its title and an example. */

import type { Endpoint } from '../contract/endpoint.ts'
import { fill } from '../routes/keys.ts'
import { problemDocument } from '../routes/problems.ts'
import { formats, type Format } from '../routes/table.ts'
import { errorCases, type ErrorCase } from './error-cases.ts'
import type { JsonSchema } from './json-schema.ts'

export interface OpenApiExample {
  /** Parsed. */
  readonly json: unknown
  /** Text. */
  readonly xml: string
}

/**
 * @param docsUrl the base of each error's `type`, without a closing slash
 * @param example an answer of this snapshot
 */
export function responsesOf(
  endpoint: Endpoint,
  docsUrl: string,
  example: OpenApiExample | undefined,
): JsonSchema {
  const cases = errorCases(endpoint)
  const statuses = [...new Set(cases.map(({ problem }) => problem.status))].sort((one, other) => one - other)
  return {
    200: answerResponse(endpoint, example),
    304: shared('notModified'),
    ...Object.fromEntries(
      statuses.map((status) => [
        status,
        errorResponse(
          cases.filter(({ problem }) => problem.status === status),
          docsUrl,
        ),
      ]),
    ),
    503: shared('unavailable'),
  }
}

export const schemaReference = (id: string): JsonSchema => ({
  $ref: `#/components/schemas/${schemaName(id)}`,
})

/** A name that generators of clients make types of: `PricesCurrentAll`. */
export const schemaName = (id: string) =>
  id
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const header = (name: keyof typeof sharedHeaders) => ({ $ref: `#/components/headers/${name}` })
const shared = (name: keyof typeof sharedResponses) => ({ $ref: `#/components/responses/${name}` })

function answerResponse(endpoint: Endpoint, example: OpenApiExample | undefined): JsonSchema {
  const hasLanguages = endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages
  const schema = schemaReference(endpoint.id)
  return {
    description: endpoint.summary.en,
    headers: {
      ETag: header('ETag'),
      'Last-Modified': header('LastModified'),
      'Cache-Control': header('CacheControl'),
      ...(hasLanguages ? { 'Content-Language': header('ContentLanguage') } : {}),
      Vary: header('Vary'),
      Link: header('Link'),
      'Access-Control-Allow-Origin': header('AccessControlAllowOrigin'),
    },
    content: {
      'application/json': { schema, ...(example === undefined ? {} : { example: example.json }) },
      'application/xml': { schema, ...(example === undefined ? {} : { example: example.xml }) },
    },
  }
}

/** Several errors of one status: each is an example of its own. */
function errorResponse(cases: readonly ErrorCase[], docsUrl: string): JsonSchema {
  const content = (format: Format) => ({
    schema: schemaReference('error'),
    examples: Object.fromEntries(
      cases.map((error) => [exampleName(error), exampleOf(error, docsUrl, format)]),
    ),
  })
  return {
    description: cases.map(({ problem }) => problem.title).join('; '),
    headers: {
      'Cache-Control': header('CacheControl'),
      'Content-Language': header('ContentLanguage'),
      Vary: header('Vary'),
      'Access-Control-Allow-Origin': header('AccessControlAllowOrigin'),
    },
    content: Object.fromEntries(formats.map((format) => [`application/${format}`, content(format)])),
  }
}

/** A slug is not enough: an endpoint may have two errors of one status and slug. */
const exampleName = ({ problem, values }: ErrorCase) => fill(problem.title, values)

function exampleOf({ problem, values }: ErrorCase, docsUrl: string, format: Format): JsonSchema {
  const document = problemDocument(docsUrl, problem, values, format)
  return {
    summary: fill(problem.title, values),
    value: format === 'json' ? (JSON.parse(document) as unknown) : document,
  }
}

const text = { type: 'string' }

export const sharedHeaders = {
  ETag: { description: 'Strong; differs between formats, languages and content codings', schema: text },
  LastModified: { description: 'When this document last changed, an HTTP date', schema: text },
  CacheControl: { description: 'How long the answer may be kept', schema: text },
  ContentLanguage: {
    description: 'The language of the texts; errors are in English',
    schema: { type: 'string', enum: ['de', 'en'] },
  },
  Vary: {
    description:
      'Only where the answer depends on a request header: `Accept`, `Accept-Language`, `Accept-Encoding`',
    schema: text,
  },
  Link: { description: 'The same answer in the other format and language, `rel="alternate"`', schema: text },
  AccessControlAllowOrigin: { description: 'Pages of any origin may read it', schema: { const: '*' } },
} as const

export const sharedResponses = {
  notModified: {
    description: 'What is known already still holds: no body',
    headers: { ETag: { $ref: '#/components/headers/ETag' } },
  },
  unavailable: {
    description: 'The service cannot answer just now',
    headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        // Source: src/edge/core/standalone.ts, `unavailable`.
        example: { title: 'The service cannot answer just now', type: 'about:blank', status: 503 },
      },
    },
  },
} as const
