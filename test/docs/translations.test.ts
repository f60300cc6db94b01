import { expect, it } from 'vitest'
import type { Optional, Shape } from '../../src/contract/shape.ts'
import { conditionOf } from '../../src/docs/conditions.ts'
import german from '../../src/docs/german.json' with { type: 'json' }
import { groupWords } from '../../src/docs/groups.ts'
import { routeTable } from '../../src/derive/route-table.ts'
import { endpoints } from '../../src/endpoints/index.ts'

function textsOf(shape: Shape | Optional): string[] {
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

it('has a German text for each that a declaration has, and no other', () => {
  const said = endpoints.flatMap((endpoint) => [
    endpoint.summary,
    ...(endpoint.scope === 'fund' ? textsOf(endpoint.body) : []),
  ])
  expect(Object.keys(german).sort()).toEqual([...new Set(said)].sort())
})

it('has a title and a lead for each group of endpoints', () => {
  for (const { group } of [...endpoints, { group: 'index' }])
    for (const language of ['de', 'en'] as const) {
      const { title, lead } = groupWords(group, language)
      expect([title === group, lead === '']).toEqual([false, false])
    }
})

it('says of each error when it is the answer', () => {
  for (const problem of routeTable(endpoints, '').problems)
    for (const language of ['de', 'en'] as const)
      expect([problem.title, conditionOf(problem, language) === '']).toEqual([problem.title, false])
})
