/** The parameters of an operation: those of its path, and those of every operation. Source: src/api/decisions.md, Requests. */

import type { Endpoint, PathParameter } from '../contract/endpoint.ts'
import { formats, languages, type Values } from '../routes/table.ts'
import { dayPattern, type JsonSchema } from './json-schema.ts'

/** @param examples by the parameters' names */
export function parametersOf(endpoint: Endpoint, examples: Values): readonly JsonSchema[] {
  const own = endpoint.scope === 'all' ? [] : Object.entries(endpoint.parameters)
  const hasLanguages = endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages
  return [
    ...own.map(([name, parameter]) => pathParameter(name, parameter, examples)),
    reference('format'),
    ...(hasLanguages ? [reference('language'), reference('acceptLanguage')] : []),
    reference('ifNoneMatch'),
    reference('ifModifiedSince'),
  ]
}

const reference = (name: keyof typeof sharedParameters) => ({ $ref: `#/components/parameters/${name}` })

/** OpenAPI has no place for `Accept` among the parameters: the media types of the responses are its values. */
export const sharedParameters = {
  format: {
    name: 'format',
    in: 'query',
    description: 'The form of the answer. Wins over the `Accept` header; without both it is JSON.',
    schema: { type: 'string', enum: formats },
  },
  language: {
    name: 'language',
    in: 'query',
    description:
      'The language of texts. Wins over the `Accept-Language` header; without both it is German. Errors are in English.',
    schema: { type: 'string', enum: languages },
  },
  acceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    // In words and no `example`: the explorer would fill that in, and send it.
    description: 'Languages with quality values, such as `en, de;q=0.5`; `en-GB` counts as `en`.',
    schema: { type: 'string' },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An `ETag` that is known already: the answer is 304 without a body where it still holds.',
    schema: { type: 'string' },
  },
  ifModifiedSince: {
    name: 'If-Modified-Since',
    in: 'header',
    description: 'A `Last-Modified` that is known already. `If-None-Match` goes before it.',
    schema: { type: 'string' },
  },
} as const

function pathParameter(name: string, parameter: PathParameter, examples: Values): JsonSchema {
  const example = examples[name]
  return {
    name,
    in: 'path',
    required: true,
    ...pathSchema(parameter),
    ...(example === undefined ? {} : { example }),
  }
}

function pathSchema(parameter: PathParameter): JsonSchema {
  switch (parameter.kind) {
    case 'isin':
      return {
        description: 'ISIN of the fund, in upper or lower case',
        schema: { type: 'string', pattern: '^[A-Za-z]{2}[A-Za-z0-9]{9}[0-9]$' },
      }
    case 'choice':
      return { description: `One of the listed values`, schema: { type: 'string', enum: parameter.choices } }
    case 'date':
      return {
        description: `${parameter.meaning.en}, ISO 8601`,
        schema: { type: 'string', format: 'date', pattern: dayPattern },
      }
    default:
      return parameter satisfies never
  }
}
