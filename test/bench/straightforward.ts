/**
 * How one would render the same documents without thinking of speed: one thread, plain objects, JSON.stringify and
 * xmlbuilder2, a file at a time.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { create } from 'xmlbuilder2'
import { isRefusal, type FundEndpoint } from '../../src/core/api/contract/endpoint.ts'
import type { Shape } from '../../src/core/api/contract/shape.ts'
import { structureTypes } from '../../src/core/api/contract/structure-types.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { fundReader, readIsins, type Fund } from '../../src/core/data/read/fund-reader.ts'

type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain }
type Element = ReturnType<ReturnType<typeof create>['ele']>

/** @param sample how many funds to render */
export async function renderStraightforwardly(db: string, out: string, asOf: string, sample: number) {
  const connection = new Database(db, { readonly: true })
  const reader = fundReader(connection)
  const started = performance.now()
  let documents = 0
  for (const isin of readIsins(connection).slice(0, sample)) {
    const fund = reader.read(isin)
    if (fund !== undefined) documents += renderFund(fund, out, asOf)
  }
  connection.close()
  return { documents, seconds: (performance.now() - started) / 1000 }
}

function renderFund(fund: Fund, out: string, asOf: string): number {
  let documents = 0
  const write = (path: string, value: Plain, shape: Shape | null) => {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, `${path}.json`), JSON.stringify(value))
    const root = create({ version: '1.0', encoding: 'UTF-8' }).ele('root')
    addTo(root, value, shape)
    writeFileSync(join(out, `${path}.xml`), root.end())
    documents += 2
  }
  for (const endpoint of endpoints) {
    if (endpoint.scope !== 'fund') continue
    for (const type of endpoint.path.includes('{type}') ? structureTypes : ['']) {
      for (const language of endpoint.hasLanguages ? (['de', 'en'] as const) : (['de'] as const)) {
        const answer = endpoint.build(fund, { asOf, language, type }) as object
        const path = join(endpoint.id, type, fund.fund.isin, language)
        if (isRefusal(answer)) {
          const { title, status } = endpoint.errors[answer.refused] ?? { title: '', status: 0 }
          if (language === 'de') write(path, { title, status }, null)
        } else {
          for (const [year, part] of yearsOf(endpoint, answer)) {
            write(join(path, year), toPlain(part, endpoint.body), endpoint.body)
          }
        }
      }
    }
  }
  return documents
}

/** A body a year where it is cut into windows, else the body itself. */
function yearsOf({ series }: FundEndpoint, body: object): (readonly [string, object])[] {
  if (series === undefined) return [['all', body]]
  const records = (body as Record<string, readonly Record<string, string>[]>)[series.list] ?? []
  const years = Map.groupBy(records, (record) => (record[series.date] ?? '').slice(0, 4))
  return [...years].map(([year, some]) => [year, { ...body, [series.list]: some }] as const)
}

function toPlain(value: unknown, shape: Shape): Plain {
  switch (shape.kind) {
    case 'item':
      return { name: shape.name, value: value as string }
    case 'nullable':
      return value === null ? null : toPlain(value, shape.of)
    case 'list':
      return (value as readonly unknown[]).map((member) => toPlain(member, shape.of))
    case 'keyed':
    case 'byIsin':
      return Object.fromEntries(
        [...(value as ReadonlyMap<string, unknown>)].map(([key, member]) => [key, toPlain(member, shape.of)]),
      )
    case 'record':
      return Object.fromEntries(
        Object.entries(shape.fields).flatMap(([name, field]) => {
          const member = (value as Record<string, unknown>)[name]
          return member === undefined
            ? []
            : [[name, toPlain(member, field.kind === 'optional' ? field.of : field)]]
        }),
      )
    default:
      return value as Plain
  }
}

function addTo(parent: Element, value: Plain, shape: Shape | null): void {
  if (value === null) return
  if (Array.isArray(value)) {
    value.forEach((member: Plain, index) => {
      addTo(parent.ele('item', { key: String(index) }), member, shape?.kind === 'list' ? shape.of : null)
    })
  } else if (typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      const field = shape?.kind === 'record' ? shape.fields[name] : undefined
      const of =
        field?.kind === 'optional' ? field.of : (field ?? (shape?.kind === 'keyed' ? shape.of : null))
      addTo(shape?.kind === 'keyed' ? parent.ele('item', { key: name }) : parent.ele(name), member, of)
    }
  } else {
    parent.txt(typeof value === 'boolean' ? (value ? '1' : '0') : String(value))
  }
}
