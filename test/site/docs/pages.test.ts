import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readHtml, type HtmlDocument } from '../../support/html.ts'
import { editDatabase } from '../../support/database.ts'
import { docsUrl, mustRun } from '../../support/product.ts'
import { hasXmllint } from '../../support/read-xml.ts'
import { buildDemoSite, buildEmptySite, buildOddSite, buildSite, type Site } from '../../support/site.ts'
import { filesIn } from '../../support/tree.ts'

const builders = [
  ['a demo snapshot', buildDemoSite],
  ['a snapshot of odd funds', buildOddSite],
  ['a snapshot without a fund', buildEmptySite],
] as const

describe.skipIf(!hasXmllint).each(builders)('the documentation of %s', (_, build) => {
  let site: Site
  const pages = new Map<string, HtmlDocument>()
  const ids = (key: string) =>
    (pages.get(key)?.elements ?? []).flatMap(({ attributes }) => attributes['id'] ?? [])

  beforeAll(async () => {
    site = await build()
    for (const key of filesIn(join(site.out, 'docs')))
      if (key.endsWith('.html'))
        pages.set(`docs/${key}`, readHtml(readFileSync(join(site.out, 'docs', key), 'utf8')))
  })
  afterAll(() => site.stop())

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
      expect([key, own.filter((id, index) => own.indexOf(id) !== index)]).toEqual([key, []])
      const named = elements.flatMap(({ attributes }) =>
        ['aria-labelledby', 'aria-describedby', 'for'].flatMap((name) => attributes[name]?.split(' ') ?? []),
      )
      expect([key, named.filter((id) => !own.includes(id))]).toEqual([key, []])
    }
  })

  it('has one first-order heading on each page, and skips no order', () => {
    for (const [key, { elements }] of pages) {
      const orders = elements.filter(({ name }) => /^h[1-6]$/.test(name)).map(({ name }) => Number(name[1]))
      expect([key, orders.filter((order) => order === 1)]).toEqual([key, [1]])
      expect([key, orders[0]]).toEqual([key, 1])
      const skips = orders.filter((order, index) => index > 0 && order > (orders[index - 1] ?? 0) + 1)
      expect([key, skips]).toEqual([key, []])
    }
  })

  it('has an anchor for the type of every error document', () => {
    const documents = filesIn(site.out).filter((key) => /^(api\/.*\/error|errors\/.*)\.json$/.test(key))
    expect(documents.length).toBeGreaterThan(0)
    const types = new Set(
      documents.map(
        (key) => (JSON.parse(readFileSync(join(site.out, key), 'utf8')) as { type: string }).type,
      ),
    )
    for (const type of types) {
      expect(type.startsWith(`${docsUrl}/v1/endpoints/`)).toBe(true)
      const [path = '', anchor = ''] = type.slice(docsUrl.length).split('#')
      expect(path.endsWith('/')).toBe(true)
      expect(ids(`docs${path}index.html`)).toContain(anchor)
      expect(ids(`docs/de${path}index.html`)).toContain(anchor)
    }
  })

  it('has only relative links to existing files, and loads nothing from other hosts', async () => {
    const linked = new Set<string>()
    for (const [key, { elements }] of pages) {
      for (const { attributes } of elements) {
        const target = attributes['href'] ?? attributes['src']
        if (target === undefined) continue
        expect([key, /^[a-z]+:|^\//i.test(target) ? target : null]).toEqual([key, null])
        const [path = '', fragment] = target.split('#')
        const to = path === '' ? key : posix.join(posix.dirname(key), path)
        linked.add(`/${to}`)
        // In the explorer a fragment is the way to an operation.
        if (fragment !== undefined && !fragment.startsWith('/')) expect(ids(to)).toContain(fragment)
      }
    }
    expect(linked.size).toBeGreaterThan(60)
    for (const target of linked) {
      const response = await fetch(site.base + target)
      await response.arrayBuffer()
      // Requests that show an error lead to it.
      const isRight = response.ok || (target.startsWith('/api/') && [400, 404, 416].includes(response.status))
      expect([target, isRight ? null : response.status]).toEqual([target, null])
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
        expect([key, JSON.parse(json?.text ?? '')]).toEqual([key, body])
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
    for (const [path, type] of [
      ['/docs/', 'text/html; charset=utf-8'],
      ['/docs/de/', 'text/html; charset=utf-8'],
      ['/docs/v1/endpoints/emt/', 'text/html; charset=utf-8'],
      ['/docs/assets/style.css', 'text/css; charset=utf-8'],
      ['/docs/explorer/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
      ['/openapi.json', 'application/json; charset=utf-8'],
      ['/schemas/profile.json', 'application/json; charset=utf-8'],
    ] as const) {
      const response = await fetch(site.base + path)
      await response.arrayBuffer()
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, type])
    }
    const response = await fetch(`${site.base}/docs`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/'])
  })
})

describe('the examples of the documentation', () => {
  let site: Site
  beforeAll(async () => {
    site = await buildDemoSite()
  })
  afterAll(() => site.stop())

  const read = (key: string) => readHtml(readFileSync(join(site.out, key), 'utf8'))

  it('are requests for a shell that the published address answers', async () => {
    const requests = new Set<string>()
    for (const key of filesIn(join(site.out, 'docs')))
      if (key.endsWith('.html'))
        for (const { name, text } of read(`docs/${key}`).elements)
          if (name === 'pre' && text.startsWith('curl'))
            for (const [, url = ''] of text.matchAll(/'(https:[^']+)'/g)) requests.add(url)
    expect(requests.size).toBeGreaterThan(20)
    for (const url of requests) {
      const { pathname, search, origin } = new URL(url)
      expect(origin).toBe('https://api.example.org')
      const { status } = await fetch(site.base + pathname + search)
      expect([url, status]).toEqual([url, 200])
    }
  })

  it('show the digits of the answer, and the number of omitted members', async () => {
    const { elements } = read('docs/v1/endpoints/performance-launch/index.html')
    const listing = elements.find(({ name, text }) => name === 'pre' && text.startsWith('{'))?.text ?? ''
    const target = elements
      .find(({ attributes }) => attributes['href']?.includes('/api/v1/performance-launch/DE'))
      ?.attributes['href']?.replace(/^[./]*/, '/')
    const answer = (await (await fetch(site.base + (target ?? ''))).json()) as {
      performance: { x: number; y: number }[]
    }
    const hidden = Number(/… (\d+) more/.exec(listing)?.[1])
    const shown = listing.match(/"x"/g)?.length ?? 0
    expect(hidden + shown).toBe(answer.performance.length)
    expect(listing).toContain(
      `{ "x": ${answer.performance[0]?.x ?? ''}, "y": ${answer.performance[0]?.y ?? ''} }`,
    )
  })
})

it('shows any name of a fund as text', async () => {
  const name = `</script><b>"&' {{isin}} </code>`
  const site = await buildSite('hostile name', '2026-11-20', async (db) => {
    await mustRun(['demo', '--db', db, '--funds', '1', '--years', '1', '--until', '2026-11-20'])
    editDatabase(db, `UPDATE fund SET name = '${name.replace("'", "''")}'`)
  })
  for (const key of ['docs/index.html', 'docs/de/v1/endpoints/prices/index.html']) {
    const { elements, errors } = readHtml(readFileSync(join(site.out, key), 'utf8'))
    expect(errors).toEqual([])
    expect(elements.filter((element) => element.name === 'b')).toEqual([])
    const [json, xml] = ['{', '<root>'].map((start) =>
      elements.filter((element) => element.name === 'pre' && element.text.startsWith(start)),
    )
    expect(json?.some(({ text }) => text.includes(JSON.stringify(name)))).toBe(true)
    expect(elements.some((element) => element.name === 'p' && element.text.includes(`${name} (`))).toBe(true)
    if (key.includes('prices')) expect(xml?.some(({ text }) => text.includes('&lt;/script&gt;'))).toBe(true)
  }
  const description = readFileSync(join(site.out, 'openapi.json'), 'utf8')
  expect(description).toContain(JSON.stringify(name))
  await site.stop()
})
