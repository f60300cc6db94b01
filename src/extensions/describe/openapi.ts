/** The OpenAPI 3.1 description of the API, made from the registry: `openapi.json`. Pure. */

import { groupsOf, type Endpoint, type PathParameter } from '../../core/api/contract/endpoint.ts'
import { isinPattern } from '../../core/api/contract/fund.ts'
import type { PublishedList } from '../../core/api/contract/lists.ts'
import type { Publisher } from '../../core/api/contract/page.ts'
import type { Optional, Shape } from '../../core/api/contract/shape.ts'
import { fill } from '../../core/api/routes/keys.ts'
import { otherVersionDocument, problemDocument } from '../../core/api/routes/problems.ts'
import { formats, formatsOf, languages, type DocumentFormat } from '../../core/api/routes/table.ts'
import { errorCases, noFile, type ErrorCase } from '../../core/api/derive/error-cases.ts'
import { answerSchema, dayPattern, errorSchema, schemaOf, type JsonSchema } from './json-schema.ts'

interface OpenApiSource {
  readonly endpoints: readonly Endpoint[]
  readonly lists: readonly PublishedList[]
  /** Without a closing slash. */
  readonly baseUrl: string
  /** The base of each error's `type`, without a closing slash. */
  readonly docsUrl: string
  readonly publisher: Publisher | null
  /** Answers of this snapshot, by endpoint. */
  readonly examples: ReadonlyMap<string, OpenApiExample>
  readonly listExamples: ReadonlyMap<string, unknown>
  /** Values in the parameters' examples, by name. */
  readonly values: Readonly<Record<string, string>>
}

export interface OpenApiExample {
  readonly json: unknown
  readonly xml: string
  /** Null without CSV. */
  readonly csv: string | null
}

export function openApi(source: OpenApiSource): JsonSchema {
  const { endpoints, lists, baseUrl, docsUrl } = source
  const schemas = endpoints.map((endpoint): [string, JsonSchema] => {
    const schema = answerSchema(endpoint, referenceTo)
    return [schemaName(endpoint.id), { title: endpoint.summary.en, ...schema }]
  })
  const listSchemas = lists.flatMap(({ id, title, body }): [string, JsonSchema][] =>
    body === null ? [] : [[schemaName(id), { title: title.en, ...schemaOf(body) }]],
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fund data',
      version: apiVersion,
      summary: 'Read-only data of funds by ISIN',
      description,
      ...(source.publisher === null ? {} : aboutPublisher(source.publisher)),
    },
    servers: [{ url: baseUrl }],
    // There is no login.
    security: [],
    externalDocs: { url: `${docsUrl}/`, description: 'Documentation' },
    tags: [
      ...groupsOf(endpoints).map(({ id, title }) => ({
        name: id,
        description: title.en,
        externalDocs: { url: `${docsUrl}/v1/endpoints/${id}/` },
      })),
      { name: listTag, description: 'Lists', externalDocs: { url: `${docsUrl}/lists/` } },
    ],
    paths: Object.fromEntries([
      ...endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint, source)] as const),
      ...lists.map((list) => [list.path, listItem(list, source)] as const),
    ]),
    components: {
      schemas: {
        ...Object.fromEntries([...schemas, ...listSchemas]),
        Error: errorSchema,
        Xml: xmlSchema,
        Csv: csvSchema,
      },
      parameters: sharedParameters,
      headers: sharedHeaders,
      responses: { ...sharedResponses, noFile: errorResponse([noFile], docsUrl) },
    },
  }
}

/** Not of a snapshot: the first number grows when a client must change, the second with additions. */
const apiVersion = '1.1.0'

/**
 * XML is a text here: OpenAPI 3.1 has no words for an element with both an attribute and a text, and its tools compare
 * a text example with the schema of the JSON form.
 */
const xmlSchema = {
  type: 'string',
  contentMediaType: 'application/xml',
  description: 'The JSON response as XML. The description of this API says how the two correspond.',
}

/** The example shows the columns. */
const csvSchema = {
  type: 'string',
  contentMediaType: 'text/csv',
  description:
    'RFC 4180: a header row, then one row per price. Dates are ISO 8601, and decimals have a point.',
}

/** Known members of `info`, by the names of OpenAPI. */
function aboutPublisher({ name, contact, licence, terms }: Publisher): JsonSchema {
  const known = (members: Readonly<Record<string, string | null>>) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
  return {
    ...known({ termsOfService: terms }),
    ...((name ?? contact) === null ? {} : { contact: known({ name, email: contact }) }),
    ...(licence === null ? {} : { license: known({ name: licence.name, url: licence.url }) }),
  }
}

const description = `\
Prices, performance, investment structures, key figures, profiles, asset allocations and EMT data of funds, by ISIN.

Every operation is a GET and needs no key. HEAD and OPTIONS are supported, too; any other method results in a 405. By contract, paths
of endpoints end with a slash, which some linters report; a path without it is redirected (308). Responses are JSON or XML, prices also
CSV. The parameter \`format\` takes precedence over the \`Accept\` header; the default is JSON.

XML has the root element \`root\`. Arrays and maps are \`item\` elements with an attribute \`key\` (an index from 0, or the map’s key),
except \`funds\`, whose members are elements named after the ISIN. Null is an empty element, true is 1 and false is 0.

The operations tagged \`lists\` are plain files in one format. They ignore all parameters; a file that does not exist is a 404.`

function pathItem(endpoint: Endpoint, source: OpenApiSource): JsonSchema {
  const { id, group, summary } = endpoint
  const own = endpoint.scope === 'all' ? [] : Object.entries(endpoint.parameters)
  const hasLanguages = endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages
  const ofLanguage = hasLanguages ? ['language', 'acceptLanguage'] : []
  const shared = [hasCsv(endpoint) ? 'formatOrCsv' : 'format', ...ofLanguage, ...conditions]
  return {
    get: {
      operationId: id,
      tags: [group.id],
      summary: summary.en,
      description: descriptionOf(endpoint, hasLanguages),
      externalDocs: { url: `${source.docsUrl}/v1/endpoints/${group.id}/#${id}` },
      parameters: [
        ...own.map(([name, parameter]) => pathParameter(name, parameter, source.values[name])),
        ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      ],
      responses: responsesOf(endpoint, hasLanguages, source),
    },
  }
}

/** Shared parameters of every answer. */
const conditions = ['ifNoneMatch', 'ifModifiedSince', 'ifMatch', 'ifUnmodifiedSince'] as const

const listTag = 'lists'

/** A list is a file: no `format`, no language, and no error but 404. */
function listItem(list: PublishedList, source: OpenApiSource): JsonSchema {
  const { id, path, title, about, type, body } = list
  const { docsUrl, listExamples } = source
  const own = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    return { name, in: 'path', required: true, ...listParameters[name], example: source.values[name] }
  })
  return {
    get: {
      operationId: id,
      tags: [listTag],
      summary: title.en,
      description: about.en,
      externalDocs: { url: `${docsUrl}/lists/#${id}` },
      parameters: [...own, ...conditions.map((name) => ({ $ref: `#/components/parameters/${name}` }))],
      responses: {
        200: {
          description: title.en,
          headers: headers('ETag', 'LastModified', 'CacheControl', 'AccessControlAllowOrigin'),
          content: {
            [type]: {
              schema: body === null ? (type === 'application/json' ? anyObject : text) : schemaReference(id),
              example: listExamples.get(id),
            },
          },
        },
        304: { $ref: '#/components/responses/notModified' },
        404: { $ref: '#/components/responses/noFile' },
        412: { $ref: '#/components/responses/preconditionFailed' },
        503: { $ref: '#/components/responses/unavailable' },
      },
    },
  }
}

const listParameters: Readonly<Record<string, JsonSchema>> = {
  as_of: {
    description: 'Day of the publication, ISO 8601',
    schema: { type: 'string', format: 'date', pattern: dayPattern },
  },
  id: { description: 'Id of an endpoint or of a list, or `error`', schema: { type: 'string' } },
  isin: {
    description: 'ISIN of the fund',
    schema: { type: 'string', pattern: isinPattern },
  },
}

const hasCsv = (endpoint: Endpoint) => (endpoint.scope === 'all' ? endpoint.of : endpoint).csv !== undefined

function hasComma(shape: Shape | Optional): boolean {
  if (shape.kind === 'decimal') return shape.mark === ','
  if (shape.kind === 'item') return hasComma(shape.value)
  if (shape.kind === 'record') return Object.values(shape.fields).some(hasComma)
  return 'of' in shape && hasComma(shape.of)
}

/** Markdown: the answer, and the cases of each error. */
function descriptionOf(endpoint: Endpoint, hasLanguages: boolean): string {
  const { scope, summary } = endpoint
  const all =
    scope === 'all'
      ? [`A map from ISIN to the response of \`${endpoint.of.id}\`, for each fund that has one.`]
      : []
  const texts = hasLanguages ? ['Texts are in German or English.'] : []
  const commas =
    scope === 'fund' && hasComma(endpoint.body)
      ? ['Decimals are strings with a comma, such as `2402,03`; in CSV they have a point.']
      : []
  const cases = [...errorCases(endpoint)].sort((one, other) => one.problem.status - other.problem.status)
  const errors = cases.map(({ problem, when }) => `- ${problem.status}: ${when.en}`)
  return `${[`${summary.en}.`, ...all, ...texts, ...commas].join(' ')}\n\nErrors:\n\n${errors.join('\n')}`
}

/** `Accept` may not be a parameter in OpenAPI: the media types of the responses are its values. */
const sharedParameters = {
  format: {
    name: 'format',
    in: 'query',
    description: 'The format of the response. Takes precedence over the `Accept` header. Default: JSON.',
    schema: { type: 'string', enum: formats },
  },
  formatOrCsv: {
    name: 'format',
    in: 'query',
    description:
      'The format of the response. Takes precedence over the `Accept` header. Default: JSON. Errors of CSV requests are JSON.',
    schema: { type: 'string', enum: formatsOf({ hasCsv: true }) },
  },
  language: {
    name: 'language',
    in: 'query',
    description:
      'The language of texts. Takes precedence over the `Accept-Language` header. Default: German. Errors are in English.',
    schema: { type: 'string', enum: languages },
  },
  acceptLanguage: inHeader(
    'Accept-Language',
    'Languages with quality values, such as `en, de;q=0.5`; `en-GB` counts as `en`.',
  ),
  ifNoneMatch: inHeader(
    'If-None-Match',
    'The `ETag` of an earlier response. If it is still current, the response is a 304 without a body.',
  ),
  ifModifiedSince: inHeader(
    'If-Modified-Since',
    'The `Last-Modified` of an earlier response. `If-None-Match` takes precedence.',
  ),
  ifMatch: inHeader(
    'If-Match',
    'The `ETag` of an earlier response. If another one is current, the response is a 412.',
  ),
  ifUnmodifiedSince: inHeader(
    'If-Unmodified-Since',
    'The `Last-Modified` of an earlier response. `If-Match` takes precedence.',
  ),
}

function inHeader(name: string, description: string) {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

function pathParameter(name: string, parameter: PathParameter, example: string | undefined): JsonSchema {
  // JSON has no member that is undefined.
  return { name, in: 'path', required: true, ...pathSchema(parameter), example }
}

function pathSchema(parameter: PathParameter): JsonSchema {
  switch (parameter.kind) {
    case 'isin':
      return {
        description: 'ISIN of the fund, in upper or lower case',
        schema: { type: 'string', pattern: '^[A-Za-z]{2}[A-Za-z0-9]{9}[0-9]$' },
      }
    case 'choice':
      return { description: 'One of the listed values', schema: { type: 'string', enum: parameter.choices } }
    case 'date':
      return {
        description: `${parameter.meaning.en}, ISO 8601`,
        schema: { type: 'string', format: 'date', pattern: dayPattern },
      }
    default:
      return parameter satisfies never
  }
}

/** The answer, and every error by status with its title and an example. */
function responsesOf(endpoint: Endpoint, hasLanguages: boolean, source: OpenApiSource): JsonSchema {
  const { docsUrl, examples } = source
  const cases = Map.groupBy(errorCases(endpoint), ({ problem }) => problem.status)
  const errors = [...cases].sort(([one], [other]) => one - other)
  const example = examples.get(endpoint.id)
  const before = headers('ETag', 'LastModified', 'CacheControl')
  const ofLanguage = hasLanguages ? headers('ContentLanguage') : {}
  return {
    200: {
      description: endpoint.summary.en,
      headers: { ...before, ...ofLanguage, ...headers('Vary', 'Link', 'AccessControlAllowOrigin') },
      content: {
        'application/json': { schema: schemaReference(endpoint.id), example: example?.json },
        'application/xml': { schema: schemaReference('xml'), example: example?.xml },
        ...(hasCsv(endpoint) && {
          'text/csv': { schema: schemaReference('csv'), example: example?.csv ?? undefined },
        }),
      },
    },
    304: { $ref: '#/components/responses/notModified' },
    ...Object.fromEntries(errors.map(([status, some]) => [status, errorResponse(some, docsUrl)])),
    412: { $ref: '#/components/responses/preconditionFailed' },
    503: { $ref: '#/components/responses/unavailable' },
  }
}

const referenceTo = (id: string) => `#/components/schemas/${schemaName(id)}`
const schemaReference = (id: string): JsonSchema => ({ $ref: referenceTo(id) })

/** For types of generated clients: `PricesCurrentAll`. */
const schemaName = (id: string) => id.replace(/(?:^|[-_])(.)/g, (_, letter: string) => letter.toUpperCase())

/** Several errors of one status: each is an example. */
function errorResponse(cases: readonly ErrorCase[], docsUrl: string): JsonSchema {
  const content = (format: DocumentFormat) => ({
    schema: schemaReference(format === 'json' ? 'error' : 'xml'),
    examples: Object.fromEntries(cases.map((error) => exampleOf(error, docsUrl, format))),
  })
  return {
    description: cases.map(({ problem }) => problem.title).join('; '),
    headers: headers('CacheControl', 'ContentLanguage', 'Vary', 'AccessControlAllowOrigin'),
    content: Object.fromEntries(formats.map((format) => [`application/${format}`, content(format)])),
  }
}

/** Named by title: an endpoint may have two errors of one status and slug. */
function exampleOf({ problem, values }: ErrorCase, docsUrl: string, format: DocumentFormat) {
  const document = problemDocument(docsUrl, problem, values, format)
  const summary = fill(problem.title, values)
  const value = format === 'json' ? (JSON.parse(document) as unknown) : document
  return [summary, { summary, value }] as const
}

function headers(...names: (keyof typeof sharedHeaders)[]): JsonSchema {
  // `AccessControlAllowOrigin` is `Access-Control-Allow-Origin`.
  const inHttp = (name: string) => (name === 'ETag' ? name : name.replace(/(?<=[a-z])(?=[A-Z])/g, '-'))
  return Object.fromEntries(names.map((name) => [inHttp(name), { $ref: `#/components/headers/${name}` }]))
}

const text = { type: 'string' }
const anyObject = { type: 'object' }

const sharedHeaders = {
  ETag: { description: 'Strong; differs between formats, languages and content codings', schema: text },
  LastModified: { description: 'When this document last changed, as an HTTP date', schema: text },
  CacheControl: { description: 'How long the response may be cached', schema: text },
  ContentLanguage: {
    description: 'The language of the texts; errors are in English',
    schema: { type: 'string', enum: ['de', 'en'] },
  },
  Vary: {
    description:
      'Only where the response depends on a request header: `Accept`, `Accept-Language`, `Accept-Encoding`',
    schema: text,
  },
  Link: {
    description: 'The same response in the other formats and in the other language, `rel="alternate"`',
    schema: text,
  },
  AccessControlAllowOrigin: {
    description: 'Web pages of any origin may read the response',
    schema: { const: '*' },
  },
}

const sharedResponses = {
  notModified: { description: 'The earlier response is still current; no body', headers: headers('ETag') },
  preconditionFailed: {
    description: 'Another version is current than `If-Match` or `If-Unmodified-Since` asks for',
    headers: headers('CacheControl', 'AccessControlAllowOrigin'),
    content: {
      'application/json': {
        schema: schemaReference('error'),
        examples: { 'Another version': { value: JSON.parse(otherVersionDocument('json')) as unknown } },
      },
      'application/xml': {
        schema: schemaReference('xml'),
        examples: { 'Another version': { value: otherVersionDocument('xml') } },
      },
    },
  },
  unavailable: {
    description: 'The service cannot answer just now',
    headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
    content: {
      'application/json': {
        schema: schemaReference('error'),
        // Source: src/core/edge/core/standalone.ts, `unavailable`.
        example: { title: 'The service cannot answer just now', type: 'about:blank', status: 503 },
      },
    },
  },
}
