import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { structureTypes as declaredTypes } from '../../src/api/contract/structure-types.ts'
import { endpoints } from '../../src/api/endpoints/index.ts'
import { endpointTable, errorTable, structureTypes } from './golden/interface-tables.ts'

const inTemplate = (text: string) => text.replaceAll(/<(\w+)>/g, '{$1}')

it('has the endpoints of the interface, in its order', () => {
  const declared = endpoints.map((endpoint) => {
    const { hasLanguages } = endpoint.scope === 'all' ? endpoint.of : endpoint
    return { path: endpoint.path, group: endpoint.group.id, hasLanguages }
  })
  expect(declared).toEqual(
    endpointTable.map(({ path, group, hasLanguages }) => ({ path: inTemplate(path), group, hasLanguages })),
  )
})

it('has the structure types of the interface, in its order', () => {
  expect(declaredTypes).toEqual(structureTypes)
})

describe.each(endpointTable.filter(({ path }) => path.includes('<isin>')))(
  'endpoint $number',
  ({ number, path }) => {
    it('has just the errors of the error table', () => {
      const endpoint = endpoints.find((candidate) => candidate.path === inTemplate(path))
      if (endpoint?.scope !== 'fund') throw new Error(`no endpoint about one fund at ${path}`)
      const declared = Object.values(endpoint.errors).map(({ when: _, ...row }) => row)
      const expected = errorTable
        .filter((row) => (row.endpoints as readonly number[]).includes(number))
        .map(({ endpoints: _, title, ...row }) => ({ ...row, title: inTemplate(title) }))
      expect(new Set(declared)).toEqual(new Set(expected))
    })
  },
)

const specification = '../shared/spec/interface.md'
it.runIf(existsSync(specification))(
  'agrees with the interface document itself where that lies beside the checkout',
  () => {
    const rows = readFileSync(specification, 'utf8').split('\n')
    const paths = rows.flatMap((row) => /^\| \d+ \| GET (\S+) \|/.exec(row)?.[1] ?? [])
    expect(paths).toEqual(endpointTable.map(({ path }) => path))
    const types = rows.slice(rows.findIndex((row) => row.startsWith('| Type identifier')) + 2)
    expect(types.slice(0, structureTypes.length).map((row) => row.split(' | ')[0]?.slice(2))).toEqual(
      structureTypes,
    )
  },
)
