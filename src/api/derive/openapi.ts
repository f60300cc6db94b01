/** The OpenAPI 3.1 description of the API, made from the registry: `openapi.json`. Pure. */

import { groupsOf, type Endpoint } from '../contract/endpoint.ts'
import { allFundsSchema, errorSchema } from './document-schemas.ts'
import { schemaOf, type JsonSchema } from './json-schema.ts'
import { parametersOf, sharedParameters } from './openapi-parameters.ts'
import {
  responsesOf,
  schemaName,
  schemaReference,
  sharedHeaders,
  sharedResponses,
  type OpenApiExample,
} from './openapi-responses.ts'

export interface OpenApiSource {
  readonly endpoints: readonly Endpoint[]
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  /** The base of each error's `type`, without a closing slash. */
  readonly docsUrl: string
  /** ISO 8601: of the snapshot, and so of the examples. */
  readonly asOf: string
  /** By endpoint: an answer of this snapshot. */
  readonly examples: ReadonlyMap<string, OpenApiExample>
  /** What stands in the parameters' examples, by name. */
  readonly values: Readonly<Record<string, string>>
}

export type OpenApi = Readonly<Record<string, unknown>>

export function openApi(source: OpenApiSource): OpenApi {
  const { endpoints, baseUrl, docsUrl, asOf } = source
  return {
    openapi: '3.1.0',
    info: { title: 'Fund data', version: asOf, summary: 'Read-only data of funds by ISIN', description },
    servers: [
      // Relative to this description: requests go to the very server that it was read from.
      { url: './', description: 'The server that this description was read from' },
      { url: baseUrl, description: 'The published API' },
    ],
    externalDocs: { url: `${docsUrl}/`, description: 'Documentation' },
    tags: groupsOf(endpoints).map(({ id, title }) => ({
      name: id,
      description: title.en,
      externalDocs: { url: `${docsUrl}/v1/endpoints/${id}/` },
    })),
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint, source)])),
    components: {
      schemas: {
        ...Object.fromEntries(
          endpoints.map((endpoint) => [schemaName(endpoint.id), answerSchema(endpoint)] as const),
        ),
        Error: { ...errorSchema, xml: { name: 'root' } },
      },
      parameters: sharedParameters,
      headers: sharedHeaders,
      responses: sharedResponses,
    },
  }
}

const description = `\
Prices, performance, structures, key figures, profiles, asset allocations and EMT data of funds, by ISIN.

Every operation is a GET (HEAD and OPTIONS answer too; any other method is a 405). Paths end with a slash; without it a
path answers 308. Answers are JSON or XML: \`format\` decides, else the \`Accept\` header, else JSON. The XML form has the
root element \`root\`; lists and maps are \`item\` elements with an attribute \`key\` (an index from 0, or the map's key),
but for \`funds\`, whose members are elements named by ISIN; null is an empty element, true is 1 and false is 0.`

function pathItem(endpoint: Endpoint, source: OpenApiSource): JsonSchema {
  return {
    get: {
      operationId: endpoint.id,
      tags: [endpoint.group.id],
      summary: endpoint.summary.en,
      externalDocs: { url: `${source.docsUrl}/v1/endpoints/${endpoint.group.id}/#${endpoint.id}` },
      parameters: parametersOf(endpoint, source.values),
      responses: responsesOf(endpoint, source.docsUrl, source.examples.get(endpoint.id)),
    },
  }
}

function answerSchema(endpoint: Endpoint): JsonSchema {
  const schema =
    endpoint.scope === 'fund'
      ? schemaOf(endpoint.body, { xml: true })
      : allFundsSchema(endpoint, ({ id }) => schemaReference(id))
  return { title: endpoint.summary.en, ...schema, xml: { name: 'root' } }
}
