import { expect, it } from 'vitest'
import { lists } from '../../../src/core/api/contract/lists.ts'
import type { Optional, Shape, Texts } from '../../../src/core/api/contract/shape.ts'
import { strayErrorCases, errorCases } from '../../../src/core/api/derive/error-cases.ts'
import { endpoints } from '../../../src/core/api/endpoints/index.ts'

function textsOf(shape: Shape | Optional): Texts[] {
  switch (shape.kind) {
    case 'record':
      return Object.values(shape.fields).flatMap(textsOf)
    case 'item':
      return textsOf(shape.value)
    case 'keyed':
      return [shape.key, ...textsOf(shape.of)]
    case 'optional':
    case 'nullable':
    case 'list':
    case 'byIsin':
      return textsOf(shape.of)
    default:
      return [shape.description]
  }
}

it('has a German text for each English one of an endpoint or a list: summary, group, fields, parameters and errors', () => {
  const ofOneFund = endpoints.flatMap((endpoint) => (endpoint.scope === 'all' ? [] : [endpoint]))
  const parameters = ofOneFund.flatMap((endpoint) => Object.values(endpoint.parameters))
  const texts = [
    ...endpoints.flatMap(({ summary, group }) => [summary, group.title, group.lead]),
    ...[...strayErrorCases, ...endpoints.flatMap(errorCases)].map(({ when }) => when),
    ...ofOneFund.flatMap(({ body }) => textsOf(body)),
    ...lists.flatMap(({ title, about, body }) => [title, about, ...(body === null ? [] : textsOf(body))]),
    ...parameters.flatMap((parameter) => (parameter.kind === 'date' ? [parameter.meaning] : [])),
  ]
  expect(texts.filter(({ en, de }) => en === '' || de === '' || (en === de && en !== 'ISIN'))).toEqual([])
  expect(texts.length).toBeGreaterThan(200)
})
