/**
 * `datapackage.json` by the rules of the standard, and what saved files say of themselves. Source of the rules: Frictionless Data
 * Package 1.0 (specs.frictionlessdata.io) and Data Package 2.0 (datapackage.org), and what `datapackage-js` reads of these.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempFolder, mustRun } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { demoNight, oddNight, withDownloads, type Night } from './night.ts'
import { readCsvs } from './readers.ts'

const folder = tempFolder()

interface Resource {
  readonly name: string
  readonly path: string
  readonly description: string
  readonly profile?: string
  readonly encoding?: string
  readonly hash: string
  readonly schema?: {
    readonly primaryKey: readonly string[]
    readonly foreignKeys?: readonly {
      readonly fields: readonly string[]
      readonly reference: { readonly resource: string; readonly fields: readonly string[] }
    }[]
  }
}
interface DataPackage {
  readonly name: string
  readonly homepage: string
  readonly snapshot: string
  readonly sources: readonly Readonly<Record<string, string>>[]
  readonly licenses?: readonly Readonly<Record<string, string>>[]
  readonly resources: readonly Resource[]
}

const described = ({ folder }: Night) =>
  JSON.parse(readFileSync(join(folder, 'datapackage.json'), 'utf8')) as DataPackage

const makers = { demo: demoNight, odd: oddNight }

describe.each(['demo', 'odd'] as const)('the data package of the %s funds', (which) => {
  let night: Night = { db: '', out: '', asOf: '', folder: '' }
  beforeAll(async () => {
    night = await makers[which]()
  })

  it('has the names, addresses and digests that the standard allows, and a description of its own a resource', () => {
    const { name, homepage, sources, resources } = described(night)
    expect(name).toMatch(/^[-a-z0-9._/]+$/)
    expect(homepage).toBe('http://localhost:8080/downloads/latest/')
    expect(sources).toEqual([{ title: 'Fund data API', path: 'http://localhost:8080/' }])
    expect(resources.length).toBeGreaterThan(20)
    for (const { name, path, hash } of resources) {
      expect(name).toMatch(/^[-a-z0-9._/]+$/)
      expect(path).toMatch(/^\w[\w.-]*$/)
      expect(hash).toMatch(/^[^:]+:[a-fA-F0-9]+$/)
    }
    const names = resources.map(({ name }) => name)
    const descriptions = resources.map(({ description }) => description)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(descriptions).size).toBe(names.length)
  })

  it('has only tables whose encoding Node knows, and whose header begins with no byte order mark', () => {
    const tables = described(night).resources.filter(({ profile }) => profile === 'tabular-data-resource')
    expect(tables.map(({ path }) => path)).toContain('prices.csv')
    for (const { path, encoding } of tables) {
      expect({ path, isKnown: Buffer.isEncoding(encoding ?? '') }).toEqual({ path, isKnown: true })
      expect(readFileSync(join(night.folder, path)).subarray(0, 3).toString('hex')).not.toBe('efbbbf')
    }
  })

  it('refers from each table to the funds, and every row refers to a fund that is there', ({ skip }) => {
    skip(lacks('python3'), 'needs python3')
    const tables = described(night).resources.flatMap(({ path, schema }) => (schema ? { path, schema } : []))
    const rows = readCsvs(
      night.folder,
      tables.map(({ path }) => path),
    )
    const [, ...funds] = rows['funds.csv'] ?? []
    const isins = new Set(funds.map(([isin]) => isin))
    for (const { path, schema } of tables) {
      if (path === 'funds.csv') {
        expect(schema.foreignKeys).toBeUndefined()
        continue
      }
      const reference = { resource: 'funds.csv', fields: ['isin'] }
      expect({ path, foreignKeys: schema.foreignKeys }).toEqual({
        path,
        foreignKeys: [{ fields: ['isin'], reference }],
      })
      const [header = [], ...some] = rows[path] ?? []
      const at = header.indexOf('isin')
      expect({ path, astray: some.filter((row) => !isins.has(row[at] ?? '')) }).toEqual({ path, astray: [] })
    }
  })
})

it('each Parquet file says its day, snapshot and licence, also if the licence changes for a folder that is there', async () => {
  const { db, out, asOf } = await demoNight()
  const said = async (folder: string, name: string) => {
    const file = await asyncBufferFromFile(join(folder, 'downloads', asOf, name))
    const { key_value_metadata: pairs = [] } = await parquetMetadataAsync(file)
    return Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
  }
  const { snapshot } = described(await demoNight())
  expect(await said(out, 'prices.parquet')).toEqual({ as_of: asOf, snapshot })
  const licensed = folder.file('licensed')
  const names = { FUNDPRESS_LICENCE_NAME: 'CC-BY-4.0', FUNDPRESS_LICENCE_URL: 'https://licence.example/by' }
  const args = ['build', '--db', db, '--out', licensed, '--as-of', asOf, '--quiet', '--since', out]
  await mustRun(args, { env: { ...withDownloads.env, ...names } })
  const about = { as_of: asOf, licence: 'CC-BY-4.0', licence_url: 'https://licence.example/by' }
  const { snapshot: id } = described({ db, out: licensed, asOf, folder: join(licensed, 'downloads', asOf) })
  for (const name of ['funds.parquet', 'prices.parquet', 'prices-exact.parquet'])
    expect({ name, said: await said(licensed, name) }).toEqual({ name, said: { ...about, snapshot: id } })
})
