/** The declaration of the settings against what is made of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { UsageError } from '../../src/cli/failure.ts'
import { configSchema, loadSettings, parseConfig } from '../../src/cli/load-settings.ts'
import { settingList } from '../../src/cli/settings.ts'
import { repository } from '../support/product.ts'
import { times } from '../support/rounds.ts'

const shipped = readFileSync(join(repository, 'templates/fundpress.config.schema.json'), 'utf8')
const matchesSchema = new Ajv({ strict: true }).compile(JSON.parse(shipped))

function isTaken(config: unknown): boolean {
  try {
    parseConfig('test.json', JSON.stringify(config))
    return true
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}

it('is shipped as `npm run generate` writes it', () => {
  expect(shipped).toBe(configSchema())
})

describe('the schema and our own check agree', () => {
  const right: readonly unknown[] = [
    {},
    { $schema: './node_modules/fundpress/templates/fundpress.config.schema.json' },
    { db: 'funds.sqlite', out: '/srv/out', jobs: 8, baseUrl: 'https://funds.example.com/' },
    { docsUrl: 'http://[::1]:80/d', bucket: { name: 'fund-data', endpoint: 'http://127.0.0.1:9000' } },
    { bucket: { region: 'auto', prefix: '', pathStyle: true } },
    { edge: { cacheControl: 'no-store', errorCacheControl: 'no-store', host: '::1', port: 0 } },
    { prices: { perMillionPuts: 4.5, perGbMonth: 0 } },
    { freshness: { calendar: 'DE-HE', yearEndOpen: true, warnDays: 0, maxStaleShare: 0.25 } },
    { freshness: { groups: [] } },
    { freshness: { groups: [{ category: 'Immobilienfonds', warnDays: 25, errorDays: 40 }] } },
    { freshness: { groups: [{ isins: ['DE0008471400', 'XF0000000020'], calendar: 'TARGET', never: true }] } },
    { freshness: { groups: [{ currency: 'SEK', calendar: 'SE' }] } },
  ]
  const wrongGroups: readonly unknown[] = [
    ...[{}, [null], [{}], [{ never: true }], [{ currency: 'EUR', warnDays: '25' }], [{ category: null }]],
    ...[[{ isins: [] }], [{ isins: ['DE0008471400', 'nonsense'] }], [{ isins: 'DE0008471400' }]],
    ...[[{ currency: 'EUR', days: 3 }], [{ currency: 'EUR', $schema: 'x' }]],
  ]
  const wrong: readonly unknown[] = [
    ...wrongGroups.map((groups) => ({ freshness: { groups } })),
    ...[{ freshness: { calendar: 'Germany' } }, { freshness: { maxStaleShare: 10 } }],
    ...[{ prices: { perMillionPuts: -1 } }, { prices: { perMillionPuts: '5' } }],
    ...[{ bucket: { maxRate: 0.5 } }, { bucket: { name: 'Fund_Data' } }, { bucket: { prefix: '/api' } }],
    ...[{ bucket: { prefix: 'api/' } }, { bucket: null }, { edge: { port: 70000 } }, { jobs: 0 }],
    ...[{ db: '' }, { database: 'x' }, null, 'db'],
  ]

  it.each([
    ...right.map((config) => [true, config] as const),
    ...wrong.map((config) => [false, config] as const),
  ])('%j: %j', (isRight, config) => {
    expect([matchesSchema(config), isTaken(config)]).toEqual([isRight, isRight])
  })

  it('about arbitrary values of every key', () => {
    const texts = [
      '',
      '/',
      'a',
      'a b',
      'x/y',
      'http://a',
      'https://a:8/b/',
      'https://a?b',
      'abc.de',
      'ü',
      'a\n',
    ]
    const text = fc.constantFrom(...texts)
    const value = fc.oneof(
      text,
      fc.string(),
      fc.integer({ min: -1, max: 70000 }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    )
    const key = fc.constantFrom(
      ...settingList.map((named) => named.key as string),
      '$schema',
      'freshness.groups',
      'other',
      'edge.other',
    )
    fc.assert(
      fc.property(key, value, (path, given) => {
        const config = path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), given)
        // What JSON cannot hold (NaN, -0) is another value in the file.
        const written: unknown = JSON.parse(JSON.stringify(config))
        expect(isTaken(written)).toBe(matchesSchema(written))
      }),
      { numRuns: times(3000) },
    )
  })
})

describe('settings', () => {
  const nothing = { flags: new Map(), environment: {}, configFile: undefined, cores: 6 }

  it('have these defaults', () => {
    expect(loadSettings(nothing)).toEqual({
      db: null,
      out: 'out',
      quickCheck: true,
      rawCsv: false,
      baseUrl: 'http://localhost:8080',
      docsUrl: 'http://localhost:8080/docs',
      pages: true,
      jobs: 6,
      downloads: true,
      licence: { name: null, url: null },
      bucket: {
        name: null,
        endpoint: null,
        region: null,
        prefix: '',
        pathStyle: false,
        concurrency: 64,
        maxRate: null,
        maxDeletes: null,
        leaseSeconds: 180,
        lateSeconds: 90,
        graceSeconds: 10,
      },
      edge: {
        cacheControl: 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
        errorCacheControl: 'public, max-age=60',
        host: '127.0.0.1',
        port: 8080,
        liveTtlSeconds: 5,
        hstsSeconds: 0,
        keyValueStore: null,
      },
      freshness: {
        calendar: 'DE',
        yearEndOpen: false,
        warnDays: 2,
        errorDays: 5,
        maxStaleShare: 0.1,
        groups: [],
      },
      prices: { perMillionPuts: 5, perMillionGets: 0.4, perMillionDeletes: 0, perGbMonth: 0.023 },
    })
  })

  it('take the prices of R2 for a bucket there, and those that are given before all', () => {
    const environment = {
      FUNDPRESS_BUCKET_ENDPOINT: 'https://0a1b.eu.r2.cloudflarestorage.com',
      FUNDPRESS_PRICES_PER_GB_MONTH: '0.5',
    }
    expect(loadSettings({ ...nothing, environment }).prices).toEqual({
      perMillionPuts: 4.5,
      perMillionGets: 0.36,
      perMillionDeletes: 0,
      perGbMonth: 0.5,
    })
  })

  it('leave a slot alone for twice as long as an edge may go on reading from it', () => {
    const environment = { FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '20' }
    expect(loadSettings({ ...nothing, environment }).bucket.graceSeconds).toBe(40)
  })

  it("leave a slot alone until all of CloudFront's edges know that it is not live", () => {
    const FUNDPRESS_EDGE_KEY_VALUE_STORE =
      'arn:aws:cloudfront::123456789012:key-value-store/5d6d5a1c-0000-4000-8000-000000000000'
    const graceOf = (environment: Record<string, string>) =>
      loadSettings({ ...nothing, environment }).bucket.graceSeconds
    expect(graceOf({ FUNDPRESS_EDGE_KEY_VALUE_STORE })).toBe(120)
    expect(graceOf({ FUNDPRESS_EDGE_KEY_VALUE_STORE, FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '90' })).toBe(180)
    expect(graceOf({ FUNDPRESS_EDGE_KEY_VALUE_STORE, FUNDPRESS_BUCKET_GRACE_SECONDS: '30' })).toBe(30)
  })

  it('derive docsUrl from baseUrl, without closing slashes', () => {
    const environment = { FUNDPRESS_BASE_URL: 'https://funds.example.com/api//' }
    expect(loadSettings({ ...nothing, environment })).toMatchObject({
      baseUrl: 'https://funds.example.com/api',
      docsUrl: 'https://funds.example.com/api/docs',
    })
  })

  it('are called in the environment as they are in the file', () => {
    const keys = `
      db out baseUrl quickCheck docsUrl pages jobs downloads rawCsv licence.name licence.url bucket.name
      bucket.endpoint bucket.region bucket.prefix bucket.pathStyle bucket.concurrency bucket.maxRate
      bucket.maxDeletes bucket.leaseSeconds bucket.lateSeconds bucket.graceSeconds edge.cacheControl
      edge.errorCacheControl edge.host edge.port edge.liveTtlSeconds edge.hstsSeconds edge.keyValueStore
      freshness.calendar freshness.yearEndOpen freshness.warnDays freshness.errorDays
      freshness.maxStaleShare prices.perMillionPuts prices.perMillionGets prices.perMillionDeletes
      prices.perGbMonth
    `
    expect(settingList.map(({ key }) => key)).toEqual(keys.trim().split(/\s+/))
    expect(Object.fromEntries(settingList.map(({ key, variable }) => [key, variable]))).toMatchObject({
      db: 'FUNDPRESS_DB',
      baseUrl: 'FUNDPRESS_BASE_URL',
      quickCheck: 'FUNDPRESS_QUICK_CHECK',
      rawCsv: 'FUNDPRESS_RAW_CSV',
      'licence.url': 'FUNDPRESS_LICENCE_URL',
      'bucket.name': 'FUNDPRESS_BUCKET_NAME',
      'bucket.pathStyle': 'FUNDPRESS_BUCKET_PATH_STYLE',
      'edge.keyValueStore': 'FUNDPRESS_EDGE_KEY_VALUE_STORE',
      'freshness.maxStaleShare': 'FUNDPRESS_FRESHNESS_MAX_STALE_SHARE',
      'prices.perMillionPuts': 'FUNDPRESS_PRICES_PER_MILLION_PUTS',
    })
  })

  it('read numbers and booleans from the environment', () => {
    const environment = { FUNDPRESS_EDGE_PORT: '0', FUNDPRESS_BUCKET_PATH_STYLE: '1', FUNDPRESS_JOBS: '3' }
    const settings = loadSettings({ ...nothing, environment })
    expect([settings.edge.port, settings.bucket.pathStyle, settings.jobs]).toEqual([0, true, 3])
  })
})
