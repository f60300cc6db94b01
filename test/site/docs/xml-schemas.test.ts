/** Every XML document against the XML Schema of its endpoint, by libxml2. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { makeTempFolder } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'
import { buildDemoSite, buildOddSite, type Site } from '../../support/site.ts'
import { filesIn } from '../../support/tree.ts'

let sites: readonly Site[]
beforeAll(async () => {
  sites = await Promise.all([buildDemoSite(), buildOddSite()])
  return () => Promise.all(sites.map((site) => site.stop()))
})

/** The schema of a document; null for years of prices, which the edge joins to documents. */
function schemaOf(key: string): string | null {
  const [, , endpoint = '', derivatives = ''] = key.split('/')
  if (/^errors\/|\/error\.xml$/.test(key)) return 'error'
  if (endpoint === 'prices-historic') return null
  if (endpoint === 'asset-allocations') return `${endpoint}-${derivatives}`
  return endpoint.replace(/^investment_structure-.*/, 'investment_structure')
}

/** The words of libxml2 about those that do not fit. */
function faultsOf(schema: string, folder: string, files: readonly string[]): string[] {
  const args = ['--noout', '--schema', schema, ...files]
  const { stderr } = spawnSync('xmllint', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })
  return stderr
    .trim()
    .split('\n')
    .filter((line) => !line.endsWith(' validates'))
}

const bySchema = ({ out }: Site) => {
  // libxml2 reads numbers of 24 digits at most, and the value space of xs:decimal has no limit.
  const documents = filesIn(out).filter((key) => /^(api|errors)\/(?!.*LU00000ODD13).*\.xml$/.test(key))
  const groups = Map.groupBy(documents, schemaOf)
  groups.delete(null)
  return [...groups].map(([id, keys]) => [join(out, `schemas/${id}.xsd`), keys] as const)
}

it.skipIf(lacks('xmllint'))('fits every document, and each schema has one', () => {
  const used = new Set<string>()
  for (const site of sites)
    for (const [schema, keys] of bySchema(site)) {
      expect(faultsOf(schema, site.out, keys)).toEqual([])
      used.add(schema.replace(site.out, ''))
    }
  const published = filesIn(sites[0]?.out ?? '').filter((key) => key.endsWith('.xsd'))
  const withDocuments = published.filter((key) => !key.includes('prices-historic'))
  expect([...used].sort()).toEqual(withDocuments.map((key) => `/${key}`).sort())
})

it.skipIf(lacks('xmllint'))('fits the prices of a date range', async () => {
  const [site] = sites
  if (site === undefined) throw new Error('no site')
  const [key = ''] = filesIn(site.out).filter((name) =>
    /^api\/v1\/prices-current\/\w+\/index\.xml$/.test(name),
  )
  const isin = key.split('/')[3] ?? ''
  const folder = makeTempFolder()
  for (const dates of ['2025-06-01/2026-03-31', '1990-01-01/1990-02-01']) {
    const response = await fetch(`${site.base}/api/v1/prices-historic/${isin}/${dates}/?format=xml`)
    writeFileSync(folder.file('prices.xml'), await response.text())
    const schema = join(site.out, 'schemas/prices-historic.xsd')
    expect({ status: response.status, faults: faultsOf(schema, folder.path, ['prices.xml']) }).toEqual({
      status: 200,
      faults: [],
    })
  }
  folder.remove()
})

it('rejects a document with another element, without one, or with another value', ({ skip }) => {
  skip(lacks('xmllint'), 'needs xmllint')
  const [site] = sites
  if (site === undefined) throw new Error('no site')
  const folder = makeTempFolder()
  // Documents of all funds have ISINs as names of elements: a schema leaves these open.
  const closed = bySchema(site).filter(([schema]) => !schema.endsWith('-all.xsd'))
  for (const [schema, [key = '']] of closed) {
    const good = readFileSync(join(site.out, key), 'utf8')
    const wrong = [
      good.replace('<root>', '<root><another/>'),
      good.replace(/<(\w+)>[^<]*<\/\1>/, ''),
      good.replace(/<(\w+)>([^<]*)<\/\1>/, '<x$1>$2</x$1>'),
      good.replace(/key="\d+"/, 'key=""').replace(/>(\d{4}-\d\d-\d\d|-?[\d.]+)</, '>some day<'),
    ]
    const changed = wrong.flatMap((document, index) => {
      writeFileSync(folder.file(`${index}.xml`), document)
      return document === good ? [] : [`${index}.xml`]
    })
    const failed = faultsOf(schema, folder.path, changed).filter((line) => line.endsWith('fails to validate'))
    expect({ key, failed: failed.length }).toEqual({ key, failed: changed.length })
  }
  folder.remove()
})
