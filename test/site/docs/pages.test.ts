/** The documentation of a snapshot: its pages, schemas, OpenAPI document and examples. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { readHtml, type HtmlDocument } from '../../support/html.ts'
import { openSchemas, type Schema } from '../../support/json-schema.ts'
import { docsUrl, makeTempFolder, mustRun } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'
import { rawRequest } from '../../support/request.ts'
import { buildDemoSite, buildOddSite, publishedAt, type Site } from '../../support/site.ts'
import { filesIn } from '../../support/tree.ts'
import { windowListSchema } from '../../support/window-list.ts'

type Built = Pick<Site, 'out'>
const read = ({ out }: Built, key: string) => readFileSync(join(out, key), 'utf8')
const readJson = <T = object>(site: Site, key: string) => JSON.parse(read(site, key)) as T
const readPage = (site: Built, key: string) => readHtml(read(site, key))
/** The keys of its pages. */
const pageKeys = ({ out }: Site) => filesIn(out).filter((key) => /^docs\/.*\.html$/.test(key))

/** A function that makes the validator of a schema by its name. */
function validatorsOf(site: Site) {
  const names = readdirSync(join(site.out, 'schemas')).filter((name) => name.endsWith('.json'))
  const published = names.map((name) => readJson<Schema>(site, `schemas/${name}`))
  const address = (id: string) => `${publishedAt}/schemas/${id}.json`
  const open = openSchemas([...published, windowListSchema(address('window-list'))])
  return (id: string) => open(address(id))
}

let demo: Promise<Site> | undefined
const serveDemo = () => (demo ??= buildDemoSite())
const builders = [
  ['a demo snapshot', serveDemo],
  ['a snapshot of odd funds', buildOddSite],
] as const
const running: Site[] = []
afterAll(async () => {
  for (const site of running) await site.stop()
})

/** Schemas of lists that no build writes: tests of test/bucket and test/edge/runtime/preview.test.ts have them. */
const ofPublish = ['changes', 'changes-of-day', 'download-days', 'staged']

/** The schema that a document's key asks for; null for what is no document of the API. */
function schemaOf(key: string): string | null {
  if (key === 'funds/index.json') return 'fund-list'
  const [, ofFund] = /^funds\/[^/]+\/(\w+)\.json$/.exec(key) ?? []
  if (ofFund !== undefined) return ofFund
  if (key === 'status/index.json') return 'status'
  if (!/^(api|errors)\/.*\.json$/.test(key)) return null
  if (/\/error\.json$|^errors\//.test(key)) return 'error'
  if (/prices-historic\/[^/]+\/index\.json$/.test(key)) return 'window-list'
  const [, , name = '', derivatives = ''] = key.split('/')
  if (name === 'asset-allocations') return `${name}-${derivatives}`
  return name.startsWith('investment_structure-') ? 'investment_structure' : name
}

describe.skipIf(lacks('xmllint')).each(builders)('the documentation of %s', (_, build) => {
  let site: Site
  const pages = new Map<string, HtmlDocument>()
  const ids = (key: string) =>
    (pages.get(key)?.elements ?? []).flatMap(({ attributes }) => attributes['id'] ?? [])

  beforeAll(async () => {
    site = await build()
    running.push(site)
    for (const key of pageKeys(site)) pages.set(key, readPage(site, key))
  })

  it('is well-formed, in English and German alike', () => {
    const faults = [...pages].filter(([, { errors }]) => errors.length > 0)
    expect(faults.map(([key, { errors }]) => ({ key, errors }))).toEqual([])
    const english = [...pages.keys()].filter((key) => !key.startsWith('docs/de/'))
    const german = [...pages.keys()].filter((key) => key.startsWith('docs/de/'))
    expect(german.map((key) => key.replace('docs/de/', 'docs/'))).toEqual(english)
    expect(english.length).toBeGreaterThanOrEqual(12)
    for (const [key, { elements }] of pages)
      expect(elements.find(({ name }) => name === 'html')?.attributes['lang']).toBe(
        key.startsWith('docs/de/') ? 'de' : 'en',
      )
  })

  it('has each id once, and refers only to existing ids', () => {
    for (const [key, { elements }] of pages) {
      const own = ids(key)
      expect({ key, repeated: own.filter((id, index) => own.indexOf(id) !== index) }).toEqual({
        key,
        repeated: [],
      })
      const named = elements.flatMap(({ attributes }) =>
        ['aria-labelledby', 'aria-describedby', 'for'].flatMap((name) => attributes[name]?.split(' ') ?? []),
      )
      expect({ key, unknown: named.filter((id) => !own.includes(id)) }).toEqual({ key, unknown: [] })
    }
  })

  it('has one first-order heading on each page, and skips no order', () => {
    for (const [key, { elements }] of pages) {
      const orders = elements.filter(({ name }) => /^h[1-6]$/.test(name)).map(({ name }) => Number(name[1]))
      expect({ key, first: orders.filter((order) => order === 1) }).toEqual({ key, first: [1] })
      expect({ key, begins: orders[0] }).toEqual({ key, begins: 1 })
      const skips = orders.filter((order, index) => index > 0 && order > (orders[index - 1] ?? 0) + 1)
      expect({ key, skips }).toEqual({ key, skips: [] })
    }
  })

  it('has an anchor for the type of every error document', () => {
    const documents = filesIn(site.out).filter((key) => /^(api\/.*\/error|errors\/.*)\.json$/.test(key))
    expect(documents.length).toBeGreaterThan(0)
    const types = new Set(documents.map((key) => readJson<{ type: string }>(site, key).type))
    for (const type of types) {
      expect(type.startsWith(`${docsUrl}/v1/endpoints/`)).toBe(true)
      const [path = '', anchor = ''] = type.slice(docsUrl.length).split('#')
      expect(path.endsWith('/')).toBe(true)
      for (const docs of ['docs', 'docs/de']) expect(ids(`${docs}${path}index.html`)).toContain(anchor)
    }
  })

  it('has only relative links to existing files, and loads nothing from other hosts', async () => {
    const linked = new Set<string>()
    for (const [key, { elements }] of pages) {
      for (const { attributes } of elements) {
        const target = attributes['href'] ?? attributes['src']
        // Search engines want whole addresses.
        if (target === undefined || ['canonical', 'alternate'].includes(attributes['rel'] ?? '')) continue
        expect({ key, absolute: /^[a-z]+:|^\//i.test(target) ? target : null }).toEqual({
          key,
          absolute: null,
        })
        const [path = '', fragment] = target.split('#')
        const to = path === '' ? key : posix.join(posix.dirname(key), path)
        linked.add(`/${to}`)
        if (fragment !== undefined) expect(ids(to)).toContain(fragment)
      }
    }
    expect(linked.size).toBeGreaterThan(60)
    for (const target of linked) {
      const response = await fetch(site.base + target)
      await response.arrayBuffer()
      // Requests that show an error lead to it.
      const isRight = response.ok || (target.startsWith('/api/') && [400, 404, 416].includes(response.status))
      expect({ target, wrong: isRight ? null : response.status }).toEqual({ target, wrong: null })
    }
  })

  it('shows each error exactly as its request returns it', async () => {
    let count = 0
    for (const [key, { elements }] of pages) {
      for (const [index, { name, text: target }] of elements.entries()) {
        // The overview lists paths too.
        if (name !== 'a' || !target.startsWith('/api/') || !key.includes('/v1/endpoints/')) continue
        const listings = elements.slice(index).filter((element) => element.name === 'pre')
        const [json, xml] = ['{', '<root>'].map((start) =>
          listings.find(({ text }) => text.startsWith(start)),
        )
        const response = await fetch(site.base + target)
        const body = (await response.json()) as { readonly status: number }
        expect({ key, listing: JSON.parse(json?.text ?? '') }).toEqual({ key, listing: body })
        expect(body.status).toBe(response.status)
        const inXml = await fetch(site.base + target, { headers: { accept: 'application/xml' } })
        const compact = (xml?.text ?? '').replace(/\n\s*/g, '')
        expect(await inXml.text()).toBe(`<?xml version="1.0" encoding="UTF-8"?>\n${compact}`)
        count++
      }
    }
    // Nine groups and the general errors, in two languages: each has one at least that anybody can ask for.
    expect(count).toBeGreaterThanOrEqual(20)
  })

  it('is served with its content types, and redirects to the closing slash', async () => {
    for (const [type, ...paths] of [
      ['text/html', '/docs/', '/docs/de/', '/docs/v1/endpoints/emt/'],
      ['text/css', '/docs/assets/style.css'],
      ['text/javascript', '/docs/assets/explorer.js'],
      ['application/json', '/openapi.json', '/schemas/profile.json'],
    ])
      for (const path of paths) {
        const { status, headers } = await fetch(site.base + path)
        expect({ path, status, type: headers.get('content-type') }).toEqual({
          path,
          status: 200,
          type: `${type}; charset=utf-8`,
        })
      }
    const response = await fetch(`${site.base}/docs`, { redirect: 'manual' })
    expect({ status: response.status, location: response.headers.get('location') }).toEqual({
      status: 308,
      location: '/docs/',
    })
  })

  it('has only JSON documents that their schemas describe', () => {
    const validatorOf = validatorsOf(site)
    const kinds = new Set<string>()
    const faults = filesIn(site.out).flatMap((key) => {
      const id = schemaOf(key)
      if (id === null) return []
      kinds.add(id)
      const validate = validatorOf(id)
      return validate(readJson(site, key)) ? [] : [{ key, errors: validate.errors }]
    })
    expect(faults).toEqual([])
    expect(kinds.size).toBeGreaterThanOrEqual(3)
  })

  it('describes the API in a valid OpenAPI document', async () => {
    const result = await new Validator().validate(readJson(site, 'openapi.json'))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })
})

describe('the schemas and examples of a demo snapshot', () => {
  let site: Site
  beforeAll(async () => {
    site = await serveDemo()
  })

  it('are requests for a shell that the published address answers', async ({ skip }) => {
    skip(lacks('xmllint'), 'needs xmllint')
    const elements = pageKeys(site).flatMap((key) => readPage(site, key).elements)
    const shell = elements.filter(({ name, text }) => name === 'pre' && text.startsWith('curl'))
    const urls = shell.flatMap(({ text }) =>
      [...text.matchAll(/'(https:[^']+)'/g)].map(([, url = '']) => url),
    )
    const requests = new Set(urls)
    expect(requests.size).toBeGreaterThan(20)
    for (const url of requests) {
      const { pathname, search, origin } = new URL(url)
      expect(origin).toBe('https://api.example.org')
      // `fetch` may use a connection that it opened long ago, before the pages were read: a server gives up on it (408).
      const { status } = await rawRequest(site.base, { target: pathname + search })
      expect({ url, status }).toEqual({ url, status: 200 })
    }
  })

  it('show the digits of the answer, and the number of omitted members', async ({ skip }) => {
    skip(lacks('xmllint'), 'needs xmllint')
    const { elements } = readPage(site, 'docs/v1/endpoints/performance-launch/index.html')
    const listing = elements.find(({ name, text }) => name === 'pre' && text.startsWith('{'))?.text ?? ''
    const links = elements.map(({ attributes }) => attributes['href'] ?? '')
    const link = links.find((href) => href.includes('/api/v1/performance-launch/DE')) ?? ''
    const response = await fetch(site.base + link.replace(/^[./]*/, '/'))
    const { performance } = (await response.json()) as { performance: { x: number; y: number }[] }
    const hidden = Number(/… (\d+) more/.exec(listing)?.[1])
    const shown = listing.match(/"x"/g)?.length ?? 0
    expect(hidden + shown).toBe(performance.length)
    expect(listing).toContain(`{ "x": ${performance[0]?.x ?? ''}, "y": ${performance[0]?.y ?? ''} }`)
  })

  it('reject a document in which one value has another type', () => {
    const validatorOf = validatorsOf(site)
    const byId = new Map<string, string>()
    for (const key of filesIn(site.out)) byId.set(schemaOf(key) ?? '', key)
    byId.delete('')
    const names = readdirSync(join(site.out, 'schemas'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.replace('.json', ''))
      .sort()
    // Readers get no list of windows.
    expect([...byId.keys(), ...ofPublish].sort()).toEqual([...names, 'window-list'].sort())
    for (const [id, key] of byId) {
      const validate = validatorOf(id)
      const good = readJson(site, key)
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

  it('describe every property of every schema, in words of their own', () => {
    const { components } = readJson<{ readonly components: { readonly schemas: object } }>(
      site,
      'openapi.json',
    )
    const bare: string[] = []
    let count = 0
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, inner] of Object.entries(value)) {
        look(inner, `${path}.${name}`)
        if (name !== 'properties') continue
        for (const [property, schema] of Object.entries(inner as object)) {
          count++
          const { description = '', $ref } = schema as {
            readonly description?: string
            readonly $ref?: string
          }
          if ($ref === undefined && !/\w{2}/.test(description)) bare.push(`${path}.${property}`)
        }
      }
    }
    look(components.schemas, '')
    expect(count).toBeGreaterThan(400)
    expect(bare).toEqual([])
  })

  it('answer every path as the OpenAPI document says', async () => {
    const all = Object.entries(readJson<Description>(site, 'openapi.json').paths)
    // A snapshot that was not published has no changes.
    const paths = all.filter(([path]) => !path.startsWith('/changes/'))
    expect(paths.filter(([path]) => path.startsWith('/api/'))).toHaveLength(13)
    expect(paths.length).toBe(13 + 11)
    for (const [template, { get }] of paths) {
      const examples = new Map(get.parameters.map(({ name, example }) => [name, example]))
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? '')
      for (const type of Object.keys(get.responses['200']?.content ?? {})) {
        const response = await fetch(site.base + path, { headers: { accept: type, 'accept-language': 'en' } })
        expect({ path, status: response.status }).toEqual({ path, status: 200 })
        expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
        if (path === '/status/staged.json') continue
        for (const name of Object.keys(get.responses['200']?.headers ?? {}))
          expect({ path, name, isThere: response.headers.has(name) }).toEqual({ path, name, isThere: true })
        await response.arrayBuffer()
      }
    }
  })

  it('have examples of errors that match their schema', () => {
    const validate = validatorsOf(site)('error')
    const { paths, components } = readJson<Description>(site, 'openapi.json')
    for (const { get } of Object.values(paths)) {
      for (const [status, response] of Object.entries(get.responses)) {
        if (!status.startsWith('4')) continue
        const { content } = components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response
        const examples = Object.values(content?.['application/json']?.examples ?? {})
        expect(examples.length).toBeGreaterThan(0)
        for (const { value } of examples) {
          expect(validate(value)).toBe(true)
          expect(value.status).toBe(Number(status))
        }
      }
    }
  })

  it("have examples of lists that match their schemas; that of the funds is this snapshot's", () => {
    const validatorOf = validatorsOf(site)
    const paths = Object.values(readJson<Description>(site, 'openapi.json').paths)
    const examples = paths.flatMap(({ get }): (readonly [string, unknown])[] => {
      const example = get.responses['200']?.content?.['application/json']?.example
      return get.tags.includes('lists') && example !== undefined ? [[get.operationId, example]] : []
    })
    expect(examples.map(([id]) => id).sort()).toEqual(
      ['distributions', 'documents', 'fund-list', 'status', ...ofPublish].sort(),
    )
    for (const [id, example] of examples) {
      const validate = validatorOf(id)
      validate(example)
      expect({ id, errors: validate.errors }).toEqual({ id, errors: null })
    }
    const { funds, ...rest } = readJson<{ readonly funds: readonly object[] }>(site, 'funds/index.json')
    expect(new Map(examples).get('fund-list')).toEqual({ ...rest, funds: funds.slice(0, 2) })
  })

  it('answer the example request with exactly the example, if it is not shortened', async () => {
    const { paths } = readJson<Description>(site, 'openapi.json')
    const operation = paths['/api/v1/prices-current/{isin}/']?.get
    const content = operation?.responses['200']?.content
    const target = `${site.base}/api/v1/prices-current/${operation?.parameters[0]?.example ?? ''}/`
    expect(await (await fetch(target)).json()).toEqual(content?.['application/json']?.example)
    expect(await (await fetch(`${target}?format=xml`)).text()).toBe(content?.['application/xml']?.example)
  })

  it('answer requests for CSV with the lines of the example, which the pages show', async () => {
    const page = read(site, 'docs/v1/endpoints/prices/index.html')
    const { paths } = readJson<Description>(site, 'openapi.json')
    const withCsv = Object.entries(paths).flatMap(([template, { get }]) => {
      const example = get.responses['200']?.content?.['text/csv']?.example
      return example === undefined ? [] : [{ template, parameters: get.parameters, lines: example as string }]
    })
    expect(withCsv).toHaveLength(3)
    for (const { template, parameters, lines } of withCsv) {
      const examples = new Map(parameters.map(({ name, example }) => [name, example]))
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? '')
      const answer = await (await fetch(`${site.base}${path}?format=csv`)).text()
      expect(page).toContain(`>${lines.replaceAll('\r', '')}</code>`)
      // That of all funds has one fund.
      if (template.includes('{')) expect(answer).toBe(lines)
      else expect(answer.startsWith(lines)).toBe(true)
    }
  })
})

it('shows any name of a fund as text', async ({ skip }) => {
  skip(lacks('xmllint'), 'needs xmllint')
  const name = `</script><b>"&' {{isin}} </code>`
  const folder = makeTempFolder()
  const site = { out: folder.file('out') }
  const db = folder.file('funds.sqlite')
  await mustRun(['init', '--demo', '--db', db, '--funds', '1', '--years', '1', '--until', '2026-11-20'])
  editDatabase(db, `UPDATE fund SET name = '${name.replace("'", "''")}'`)
  const build = ['build', '--db', db, '--out', site.out, '--as-of', '2026-11-20', '--quiet']
  await mustRun(build, { env: { FUNDPRESS_PAGES: 'true' } })
  for (const key of ['docs/index.html', 'docs/de/v1/endpoints/prices/index.html']) {
    const { elements, errors } = readPage(site, key)
    expect(errors).toEqual([])
    expect(elements.filter((element) => element.name === 'b')).toEqual([])
    const [json, xml] = ['{', '<root>'].map((start) =>
      elements.filter((element) => element.name === 'pre' && element.text.startsWith(start)),
    )
    expect(json?.some(({ text }) => text.includes(JSON.stringify(name)))).toBe(true)
    expect(elements.some((element) => element.name === 'p' && element.text.includes(`${name} (`))).toBe(true)
    if (key.includes('prices')) expect(xml?.some(({ text }) => text.includes('&lt;/script&gt;'))).toBe(true)
  }
  expect(read(site, 'openapi.json')).toContain(JSON.stringify(name))
  folder.remove()
})

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

interface Description {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
  readonly components: { readonly responses: Readonly<Record<string, ResponseObject>> }
}
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters: readonly { readonly name?: string; readonly example?: string }[]
  readonly responses: Readonly<Record<string, ResponseObject>>
}
type Examples = Readonly<Record<string, { readonly value: { readonly status: number } }>>
interface ResponseObject {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly example?: unknown; readonly examples?: Examples }>>
}
