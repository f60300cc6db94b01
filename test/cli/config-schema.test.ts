/** The declaration of the settings against what is made of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../../src/cli/config-schema.ts'
import { readConfig } from '../../src/cli/config-file.ts'
import { UsageError } from '../../src/cli/failure.ts'
import { loadSettings } from '../../src/cli/load-settings.ts'
import { settingList } from '../../src/cli/settings.ts'
import { repository } from '../support/product.ts'

const shipped = readFileSync(join(repository, 'templates/fundpress.config.schema.json'), 'utf8')
const matchesSchema = new Ajv({ strict: true }).compile(JSON.parse(shipped))

function isTaken(config: unknown): boolean {
  try {
    readConfig('test.json', JSON.stringify(config))
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
  it.each([
    [true, {}],
    [true, { $schema: './node_modules/fundpress/templates/fundpress.config.schema.json' }],
    [
      true,
      {
        db: 'funds.sqlite',
        out: '/srv/out',
        jobs: 8,
        baseUrl: 'https://funds.example.com/',
        docsUrl: 'http://[::1]:80/d',
      },
    ],
    [
      true,
      {
        bucket: {
          name: 'fund-data',
          endpoint: 'http://127.0.0.1:9000',
          region: 'auto',
          prefix: '',
          pathStyle: true,
        },
      },
    ],
    [true, { edge: { cacheControl: 'no-store', errorCacheControl: 'no-store', host: '::1', port: 0 } }],
    [true, { prices: { perMillionPuts: 4.5, perGbMonth: 0 } }],
    [
      true,
      {
        freshness: {
          calendar: 'DE-HE',
          yearEndOpen: true,
          warnDays: 0,
          maxStaleShare: 0.25,
          groups: [
            { category: 'Immobilienfonds', warnDays: 25, errorDays: 40 },
            { isins: ['DE0008471400', 'XF0000000020'], calendar: 'TARGET', never: true },
            { currency: 'SEK', calendar: 'SE' },
          ],
        },
      },
    ],
    [true, { freshness: { groups: [] } }],
    [false, { freshness: { groups: {} } }],
    [false, { freshness: { groups: [null] } }],
    [false, { freshness: { groups: [{}] } }],
    [false, { freshness: { groups: [{ never: true }] } }],
    [false, { freshness: { groups: [{ currency: 'EUR', warnDays: '25' }] } }],
    [false, { freshness: { groups: [{ category: null }] } }],
    [false, { freshness: { groups: [{ isins: [] }] } }],
    [false, { freshness: { groups: [{ isins: ['DE0008471400', 'nonsense'] }] } }],
    [false, { freshness: { groups: [{ isins: 'DE0008471400' }] } }],
    [false, { freshness: { groups: [{ currency: 'EUR', days: 3 }] } }],
    [false, { freshness: { groups: [{ currency: 'EUR', $schema: 'x' }] } }],
    [false, { freshness: { calendar: 'Germany' } }],
    [false, { freshness: { maxStaleShare: 10 } }],
    [false, { prices: { perMillionPuts: -1 } }],
    [false, { prices: { perMillionPuts: '5' } }],
    [false, { bucket: { maxRate: 0.5 } }],
    [false, { edge: { port: 70000 } }],
    [false, { bucket: { name: 'Fund_Data' } }],
    [false, { bucket: { prefix: '/api' } }],
    [false, { bucket: { prefix: 'api/' } }],
    [false, { bucket: null }],
    [false, { jobs: 0 }],
    [false, { db: '' }],
    [false, { database: 'x' }],
    [false, null],
    [false, 'db'],
  ])('%j: %j', (isRight, config) => {
    expect(matchesSchema(config)).toBe(isRight)
    expect(isTaken(config)).toBe(isRight)
  })

  it('about arbitrary values of every key', () => {
    const text = fc.constantFrom(
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
    )
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
      { numRuns: 3000 },
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
    expect(settingList.map(({ key, variable }) => `${key} ${variable}`)).toEqual([
      'db FUNDPRESS_DB',
      'out FUNDPRESS_OUT',
      'baseUrl FUNDPRESS_BASE_URL',
      'quickCheck FUNDPRESS_QUICK_CHECK',
      'docsUrl FUNDPRESS_DOCS_URL',
      'pages FUNDPRESS_PAGES',
      'jobs FUNDPRESS_JOBS',
      'downloads FUNDPRESS_DOWNLOADS',
      'rawCsv FUNDPRESS_RAW_CSV',
      'licence.name FUNDPRESS_LICENCE_NAME',
      'licence.url FUNDPRESS_LICENCE_URL',
      'bucket.name FUNDPRESS_BUCKET_NAME',
      'bucket.endpoint FUNDPRESS_BUCKET_ENDPOINT',
      'bucket.region FUNDPRESS_BUCKET_REGION',
      'bucket.prefix FUNDPRESS_BUCKET_PREFIX',
      'bucket.pathStyle FUNDPRESS_BUCKET_PATH_STYLE',
      'bucket.concurrency FUNDPRESS_BUCKET_CONCURRENCY',
      'bucket.maxRate FUNDPRESS_BUCKET_MAX_RATE',
      'bucket.maxDeletes FUNDPRESS_BUCKET_MAX_DELETES',
      'bucket.leaseSeconds FUNDPRESS_BUCKET_LEASE_SECONDS',
      'bucket.lateSeconds FUNDPRESS_BUCKET_LATE_SECONDS',
      'bucket.graceSeconds FUNDPRESS_BUCKET_GRACE_SECONDS',
      'edge.cacheControl FUNDPRESS_EDGE_CACHE_CONTROL',
      'edge.errorCacheControl FUNDPRESS_EDGE_ERROR_CACHE_CONTROL',
      'edge.host FUNDPRESS_EDGE_HOST',
      'edge.port FUNDPRESS_EDGE_PORT',
      'edge.liveTtlSeconds FUNDPRESS_EDGE_LIVE_TTL_SECONDS',
      'edge.hstsSeconds FUNDPRESS_EDGE_HSTS_SECONDS',
      'edge.keyValueStore FUNDPRESS_EDGE_KEY_VALUE_STORE',
      'freshness.calendar FUNDPRESS_FRESHNESS_CALENDAR',
      'freshness.yearEndOpen FUNDPRESS_FRESHNESS_YEAR_END_OPEN',
      'freshness.warnDays FUNDPRESS_FRESHNESS_WARN_DAYS',
      'freshness.errorDays FUNDPRESS_FRESHNESS_ERROR_DAYS',
      'freshness.maxStaleShare FUNDPRESS_FRESHNESS_MAX_STALE_SHARE',
      'prices.perMillionPuts FUNDPRESS_PRICES_PER_MILLION_PUTS',
      'prices.perMillionGets FUNDPRESS_PRICES_PER_MILLION_GETS',
      'prices.perMillionDeletes FUNDPRESS_PRICES_PER_MILLION_DELETES',
      'prices.perGbMonth FUNDPRESS_PRICES_PER_GB_MONTH',
    ])
  })

  it('read numbers and booleans from the environment', () => {
    const environment = { FUNDPRESS_EDGE_PORT: '0', FUNDPRESS_BUCKET_PATH_STYLE: '1', FUNDPRESS_JOBS: '3' }
    const settings = loadSettings({ ...nothing, environment })
    expect([settings.edge.port, settings.bucket.pathStyle, settings.jobs]).toEqual([0, true, 3])
  })
})
