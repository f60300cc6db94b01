import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSchemas, type Schema } from '../../support/json-schema.ts'
import { buildDemoSite, buildEmptySite, buildOddSite, publishedAt, type Site } from '../../support/site.ts'
import { filesIn } from '../../support/tree.ts'

const builders = [
  ['a demo snapshot', buildDemoSite],
  ['a snapshot of odd funds', buildOddSite],
  ['a snapshot without a fund', buildEmptySite],
] as const

/** The schema that a document's key asks for; null for what is no document of the API. */
function schemaOf(key: string): string | null {
  if (!/^(api|errors)\/.*\.json$/.test(key)) return null
  if (/\/error\.json$|^errors\//.test(key)) return 'error'
  if (/prices-historic\/[^/]+\/index\.json$/.test(key)) return 'window-list'
  const [, , name = '', derivatives = ''] = key.split('/')
  if (name === 'asset-allocations') return `${name}-${derivatives}`
  return name.startsWith('investment_structure-') ? 'investment_structure' : name
}

describe.each(builders)('%s', (_, build) => {
  let site: Site
  beforeAll(async () => {
    site = await build()
  })
  afterAll(() => site.stop())

  const readJson = <T = object>(key: string) => JSON.parse(readFileSync(join(site.out, key), 'utf8')) as T
  const schemas = () =>
    readdirSync(join(site.out, 'schemas')).map((name) => readJson<Schema>(`schemas/${name}`))

  it('has only JSON documents that their schemas describe', () => {
    const validatorOf = openSchemas(schemas())
    const kinds = new Set<string>()
    const faults = filesIn(site.out).flatMap((key) => {
      const id = schemaOf(key)
      if (id === null) return []
      kinds.add(id)
      const validate = validatorOf(`${publishedAt}/schemas/${id}.json`)
      return validate(readJson(key)) ? [] : [{ key, errors: validate.errors }]
    })
    expect(faults).toEqual([])
    expect(kinds.size).toBeGreaterThanOrEqual(3)
  })

  it('describes the API in a valid OpenAPI document', async () => {
    const result = await new Validator().validate(readJson('openapi.json'))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })
})

describe('the schemas of a demo snapshot', () => {
  let site: Site
  beforeAll(async () => {
    site = await buildDemoSite()
  })
  afterAll(() => site.stop())

  const readJson = <T = object>(key: string) => JSON.parse(readFileSync(join(site.out, key), 'utf8')) as T

  /** Each document with one of its leaves made a list. */
  function* mutations(value: unknown): Generator {
    if (Array.isArray(value)) {
      for (const [index, member] of value.slice(0, 2).entries())
        for (const mutation of mutations(member)) yield value.with(index, mutation)
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value)
      for (const [name, member] of entries)
        for (const mutation of mutations(member)) yield { ...value, [name]: mutation }
    } else yield []
  }

  it('reject a document in which one value has another type', () => {
    const schemas = readdirSync(join(site.out, 'schemas')).map((name) => readJson<Schema>(`schemas/${name}`))
    const validatorOf = openSchemas(schemas)
    const byId = new Map(
      filesIn(site.out).flatMap((key): [string, string][] => {
        const id = schemaOf(key)
        return id === null ? [] : [[id, key]]
      }),
    )
    expect(byId.size).toBe(schemas.length)
    for (const [id, key] of byId) {
      const validate = validatorOf(`${publishedAt}/schemas/${id}.json`)
      const good = readJson(key)
      const wrong = [...mutations(good)]
      expect(wrong.length).toBeGreaterThan(2)
      for (const document of wrong) expect(validate(document), key).toBe(false)
      expect(validate({ ...good, another: 1 })).toBe(false)
      for (const name of Object.keys(good)) {
        const rest = Object.entries(good).filter(([other]) => other !== name)
        expect(validate(Object.fromEntries(rest))).toBe(false)
      }
    }
  })

  it('have a status date everywhere except in the price endpoints', () => {
    const openapi = JSON.stringify(readJson('openapi.json'))
    const [, prices = ''] = openapi.split('"/api/v1/prices-current/{isin}/"')
    expect(prices.split('"/api/v1/performance-years/{isin}/"')[0]).not.toContain('status_date')
    for (const id of ['prices-current', 'prices-historic', 'prices-current-all'])
      expect(JSON.stringify(readJson(`schemas/${id}.json`))).not.toContain('status_date')
    for (const id of ['performance-years', 'figures', 'profile', 'emt'])
      expect(JSON.stringify(readJson(`schemas/${id}.json`))).toContain('"status_date"')
    const page = (group: string) =>
      readFileSync(join(site.out, `docs/v1/endpoints/${group}/index.html`), 'utf8')
    expect(page('prices')).not.toContain('status_date')
    expect(page('figures')).toContain('status_date')
  })

  interface Description {
    readonly paths: Readonly<Record<string, { readonly get: Operation }>>
  }
  interface Operation {
    readonly parameters: readonly {
      readonly name?: string
      readonly in?: string
      readonly example?: string
    }[]
    readonly responses: Readonly<Record<string, ResponseObject>>
  }
  type Examples = Readonly<Record<string, { readonly value: { readonly status: number } }>>
  interface ResponseObject {
    readonly headers?: Readonly<Record<string, unknown>>
    readonly content?: Readonly<Record<string, { readonly example?: unknown; readonly examples?: Examples }>>
  }

  it('answers every path as the OpenAPI document says', async () => {
    const paths = Object.entries(readJson<Description>('openapi.json').paths)
    expect(paths).toHaveLength(13)
    for (const [template, { get }] of paths) {
      const examples = new Map(get.parameters.map(({ name, example }) => [name, example]))
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? '')
      for (const type of Object.keys(get.responses['200']?.content ?? {})) {
        const response = await fetch(site.base + path, { headers: { accept: type, 'accept-language': 'en' } })
        expect([path, response.status]).toEqual([path, 200])
        expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
        for (const name of Object.keys(get.responses['200']?.headers ?? {}))
          expect([path, name, response.headers.has(name)]).toEqual([path, name, true])
        await response.arrayBuffer()
      }
    }
  })

  it('has examples of errors that match their schema', () => {
    const schemas = readdirSync(join(site.out, 'schemas')).map((name) => readJson<Schema>(`schemas/${name}`))
    const validate = openSchemas(schemas)(`${publishedAt}/schemas/error.json`)
    const paths = Object.values(readJson<Description>('openapi.json').paths)
    for (const { get } of paths) {
      for (const [status, { content }] of Object.entries(get.responses)) {
        if (!status.startsWith('4')) continue
        const examples = Object.values(content?.['application/json']?.examples ?? {})
        expect(examples.length).toBeGreaterThan(0)
        for (const { value } of examples) {
          expect(validate(value)).toBe(true)
          expect(value.status).toBe(Number(status))
        }
      }
    }
  })

  it('answers the example request with exactly the example, if it is not shortened', async () => {
    const { paths } = readJson<Description>('openapi.json')
    const operation = paths['/api/v1/prices-current/{isin}/']?.get
    const content = operation?.responses['200']?.content
    const target = `${site.base}/api/v1/prices-current/${operation?.parameters[0]?.example ?? ''}/`
    const json = await fetch(target)
    expect(await json.json()).toEqual(content?.['application/json']?.example)
    const xml = await fetch(`${target}?format=xml`)
    expect(await xml.text()).toBe(content?.['application/xml']?.example)
  })
})
