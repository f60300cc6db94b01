/** Settings: where they come from, what they may be, and what derives from their schema. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/core/cli/failure.ts'
import { configSchema, loadSettings, parseConfig } from '../../src/core/cli/load-settings.ts'
import { settings as ofImport } from '../../src/extensions/import/settings.ts'
import { settings as ofTell } from '../../src/extensions/tell/settings.ts'
import { makeTempFolder, repository, type TempFolder } from '../support/product.ts'
import { times } from '../support/rounds.ts'
import { known } from '../support/settings.ts'
import { run } from './run.ts'
import { expectFailure } from './outcome.ts'

let folder: TempFolder
beforeEach(() => {
  folder = makeTempFolder()
})
afterEach(() => folder.remove())

const configure = (config: unknown, name = 'fundpress.config.json') =>
  writeFileSync(folder.file(name), typeof config === 'string' ? config : JSON.stringify(config))

/** `check` names the database that it looks for. */
const check = (flags = '', env = {}) => run(`check${flags}`, { cwd: folder.path, env })
const expectDatabase = async (name: string, ...how: Parameters<typeof check>) =>
  expect((await check(...how)).stderr).toMatch(`fundpress: ${name} does not exist`)

describe('a setting', () => {
  it('comes from the flag, or else the variable, or else the config file', async () => {
    configure({ $schema: './schema.json', db: 'file.sqlite' })
    const variable = { FUNDPRESS_DB: 'variable.sqlite' }
    await expectDatabase('file.sqlite')
    await expectDatabase('variable.sqlite', '', variable)
    await expectDatabase('flag.sqlite', ' --db flag.sqlite', variable)
    // An empty variable counts as none.
    await expectDatabase('file.sqlite', '', { FUNDPRESS_DB: '' })
    configure('\uFEFF{ "db": "after-a-byte-order-mark.sqlite" }')
    await expectDatabase('after-a-byte-order-mark.sqlite')
  })

  it('that is a path counts from the folder of the config file, otherwise from the working directory', async () => {
    mkdirSync(folder.file('conf'))
    configure({ db: 'file.sqlite' }, 'conf/other.json')
    await expectDatabase('conf/file.sqlite', ' --config conf/other.json')
    await expectDatabase('x.sqlite', ' --config conf/other.json --db x.sqlite')
    configure({ db: '/nowhere/file.sqlite' }, 'conf/other.json')
    await expectDatabase('/nowhere/file.sqlite', ' --config conf/other.json')
  })
})

describe('a wrong config file', () => {
  const group = 'freshness.groups'
  const groups = (...some: readonly object[]) => ({ freshness: { groups: some } })
  it.each([
    [{ dbb: 'x' }, 'unknown key "dbb" (did you mean "db"?)'],
    [{ serve: { prot: 1 } }, 'unknown key "serve.prot" (did you mean "port"?)'],
    [{ '': 1 }, 'unknown key "" (there are db, out,'],
    ['{ "__proto__": {} }', 'unknown key "__proto__"'],
    [{ db: 1 }, '"db" must be a path, not 1'],
    [{ edge: { cacheControl: 'a\nb' } }, '"edge.cacheControl" must be a header value'],
    [{ downloads: 'yes' }, '"downloads" must be true, false or an object, not "yes"'],
    [
      { downloads: { keep: ['2026-02-30'] } },
      '"downloads.keep[0]" must be a day that exists, as YYYY-MM-DD, not "2026-02-30"',
    ],
    [
      groups({ currency: 'EUR' }, { currency: 'USD', warnDays: '25' }),
      `"${group}[1].warnDays" must be a whole number`,
    ],
    [groups({ categori: 'Aktienfonds' }), `unknown key "${group}[0].categori" (did you mean "category"?)`],
    [
      groups({ never: true }),
      `"${group}[0]" must be an object with at least one of category, currency, isins, not {"never":true}`,
    ],
    [
      { bucket: { edges: 'http://a  http://b' } },
      '"bucket.edges" must be at most 20 http or https addresses',
    ],
    [
      { bucket: { edges: 'https://user:word@a' } },
      '"bucket.edges" must be at most 20 http or https addresses',
    ],
    [{ bucket: { edges: 'http://a:70000' } }, '"bucket.edges" must be at most 20 http or https addresses'],
    [{ baseUrl: '/api' }, '"baseUrl" must be an absolute http or https URL without a user name'],
    [[], 'the file must be an object, not []'],
    [
      '{\n  "db": "x",\n  "jobs": 4,\n}\n',
      'is not JSON: Expected double-quoted property name in JSON at position 28 (line 4 column 1)',
    ],
    ['', 'is not JSON: Unexpected end of JSON input'],
  ])('%j is refused in one line with exit code 2', async (config, reason) => {
    configure(config)
    const file = /^fundpress: config file fundpress\.config\.json.+\n$/
    await expectFailure(check(' --db x.sqlite'), [file, reason], 2)
  })

  it('is named by the path that was given', async () => {
    configure({ dbb: 'x' }, 'other.json')
    await expectFailure(check(' --config other.json'), 'config file other.json: unknown key "dbb"', 2)
    await expectFailure(check(' --config .'), 'config file . cannot be read', 2)
  })
})

describe('a line break or another control character', () => {
  /** A right value for each setting that is a text. They become part of configurations of nginx, of units and of workflows. */
  const texts: Readonly<Record<string, string>> = {
    db: 'funds.sqlite',
    out: '/srv/a b',
    baseUrl: 'https://a.example/b',
    docsUrl: 'https://a.example/b',
    'licence.name': 'CC BY',
    'licence.url': 'https://a.example/b',
    'bucket.name': 'file:///srv/b',
    'bucket.endpoint': 'https://a.example',
    'bucket.region': 'eu-west-1',
    'bucket.prefix': 'a/b',
    'edge.cacheControl': 'no-cache',
    'edge.errorCacheControl': 'no-cache',
    'serve.host': '::1',
    'edge.previewToken': 'abcdefghijklmnopqrst',
    'edge.keyValueStore': `arn:aws:cloudfront::123456789012:key-value-store/${'0'.repeat(36)}`,
    'site.name': 'A GmbH',
    'site.publishedBy': '05:30 Europe/Berlin',
    'site.contact': 'a@b.example',
    'site.imprint': 'https://a.example/b?c#d',
    'site.privacy': 'https://a.example/b?c#d',
    'site.security': 'https://a.example/b',
    'site.terms': 'https://a.example/b?c#d',
    'site.homePage': 'https://a.example/b?c#d',
    'site.logo': 'logo.svg',
    'site.icon': 'icon.png',
    'site.preview': 'preview.png',
    'site.accentLight': '#0b6463',
    'site.accentDark': '#8ab4f8',
    'freshness.calendar': 'DE-BY',
    'metrics.file': 'a.prom',
  }
  const isTaken = (key: string, value: string): boolean =>
    known.list.find((one) => one.key === key)?.schema.safeParse(value).success === true

  it('is refused in every setting that is a text', () => {
    // Others than these take a text of several lines, or none of their own.
    const others = known.list.filter(({ key, schema }) => !(key in texts) && schema.safeParse('x').success)
    expect(others.map(({ key }) => key)).toEqual(['site.startEn', 'site.startDe'])
    const characters = ['\n', '\r', '\t', '\0', '\x1b', '\x7f', '\x85', '\u2028', '\u2029']
    for (const [key, text] of Object.entries(texts)) {
      expect({ key, isTaken: isTaken(key, text) }).toEqual({ key, isTaken: true })
      for (const character of characters)
        for (const at of [0, text.length >> 1, text.length - 1, text.length]) {
          const value = text.slice(0, at) + character + text.slice(at)
          expect({ key, value, isTaken: isTaken(key, value) }).toEqual({ key, value, isTaken: false })
        }
    }
  })

  it.each([
    ['edge nginx --dest edge --out', "option '--out <folder>' argument 'a b' is invalid. It must be a path"],
    ['edge nginx --dest', "option '--dest <folder>' argument 'a b' is invalid. It must be a path"],
  ])('is refused by %s', async (line, reason) => {
    for (const character of ['\n', '\x1b']) {
      const { code, stderr } = await run([...line.split(' '), `a${character}b`], { cwd: folder.path })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) as unknown })
      expect(stderr).toContain('on one line, without control characters')
    }
  })
})

describe('the JSON Schema of the config file', () => {
  const shipped = readFileSync(join(repository, 'templates/fundpress.config.schema.json'), 'utf8')
  const matchesSchema = new Ajv({ strict: true }).compile(JSON.parse(shipped))
  const isTaken = (config: unknown): boolean => {
    try {
      parseConfig(known, 'test.json', JSON.stringify(config))
      return true
    } catch (error) {
      if (error instanceof UsageError) return false
      throw error
    }
  }

  it('is shipped as `npm run generate` writes it', () => expect(shipped).toBe(configSchema(known)))

  const right: readonly unknown[] = [
    {},
    { $schema: './schema.json', docsUrl: 'http://[::1]:80/d', bucket: { name: 'fund-data', prefix: '' } },
    { downloads: true },
    { downloads: { enabled: false } },
    { downloads: { keep: ['2026-11-20'] } },
    { import: { price: { columns: { Datum: 'date', Kommentar: '', '*': '' } }, emt: {} } },
    { freshness: { groups: [{ isins: ['DE0008471400', 'XF0000000020'], calendar: 'TARGET', never: true }] } },
    { notify: [{ type: 'webhook', url: 'https://a/b?c=d', headers: { a: 'env:B' } }] },
    { notify: [{ type: 'command', command: ['a', '--b c', '$d'] }] },
    { notify: [{ type: 'command', command: 'a | b', events: ['done'] }] },
  ]
  const wrongGroups: readonly unknown[] = [
    {},
    [null],
    [{ never: true }],
    [{ currency: 'EUR', warnDays: '25' }],
    [{ isins: [] }],
    [{ isins: ['DE0008471400', 'nonsense'] }],
    [{ currency: 'EUR', days: 3 }],
  ]
  const wrong: readonly unknown[] = [
    ...wrongGroups.map((groups) => ({ freshness: { groups } })),
    { notify: {} },
    { notify: [{ type: 'webhok', url: 'https://a' }] },
    { notify: [{ type: 'webhook' }] },
    { notify: [{ type: 'webhook', url: 'env:a b' }] },
    { notify: [{ type: 'webhook', url: 'ftp://a' }] },
    { notify: [{ type: 'webhook', url: 'https://a', events: ['dne'] }] },
    { notify: [{ type: 'command', command: [] }] },
    { notify: [{ type: 'command', command: [''] }] },
    { notify: [{ type: 'command', command: ['a', 1] }] },
    { notify: [{ type: 'command', command: ' ' }] },
    { notify: [{ type: 'command', command: 'a\nb' }] },
    { bucket: { maxRate: 0.5 } },
    { bucket: { name: 'Fund_Data' } },
    { bucket: { prefix: '/api' } },
    { downloads: 1 },
    { downloads: { keep: '2026-11-20' } },
    { bucket: null },
    { database: 'x' },
    null,
  ]

  it.each(right)('agrees with our own check, and accepts %j', (config) =>
    expect({ matchesSchema: matchesSchema(config), isTaken: isTaken(config) }).toEqual({
      matchesSchema: true,
      isTaken: true,
    }),
  )
  it.each(wrong)('agrees with our own check, and refuses %j', (config) =>
    expect({ matchesSchema: matchesSchema(config), isTaken: isTaken(config) }).toEqual({
      matchesSchema: false,
      isTaken: false,
    }),
  )

  it('agrees with our own check for arbitrary values of every key', () => {
    const text = fc.constantFrom('', '/', 'a', 'a b', 'x/y', 'abc.de', 'ü', 'a\n')
    const address = fc.constantFrom('http://a', 'https://a:8/b/', 'https://a?b')
    const whole = fc.integer({ min: -1, max: 70000 })
    const value = fc.oneof(text, address, fc.string(), whole, fc.double(), fc.boolean(), fc.constant(null))
    const keys = known.list.map((named) => named.key)
    const key = fc.constantFrom(...keys, '$schema', 'freshness.groups', 'other', 'edge.other')
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
  const loadFrom = (configFile: string | undefined, environment: Record<string, string>) => {
    const sources = { flags: new Map(), environment, configFile, cores: 6 }
    const { settings, settingsOf } = loadSettings(known, sources)
    return { ...settings, ...settingsOf(ofTell), ...settingsOf(ofImport) }
  }
  const load = (environment: Record<string, string> = {}) => loadFrom(undefined, environment)

  // All other defaults are in the JSON Schema.
  it('have defaults that depend on others and on the machine', () => {
    expect(load()).toMatchObject({
      db: null,
      docsUrl: 'http://localhost:8080/docs',
      jobs: 6,
      downloads: { enabled: true, keepDays: 30, keepMonthEnds: false, keep: [] },
      notify: [],
      import: {},
      bucket: { name: null, prefix: '', lateSeconds: 90, graceSeconds: 10 },
      storePrices: { perMillionPuts: 5, perMillionGets: 0.4, perMillionDeletes: 0, perGbMonth: 0.023 },
    })
  })

  it('use the prices of R2 for a bucket there, unless others are given', () => {
    const { storePrices } = load({
      FUNDPRESS_BUCKET_ENDPOINT: 'https://0a1b.eu.r2.cloudflarestorage.com',
      FUNDPRESS_STORE_PRICES_PER_GB_MONTH: '0.5',
    })
    const ofR2 = { perMillionPuts: 4.5, perMillionGets: 0.36, perMillionDeletes: 0 }
    expect(storePrices).toEqual({ ...ofR2, perGbMonth: 0.5 })
  })

  const FUNDPRESS_EDGE_KEY_VALUE_STORE =
    'arn:aws:cloudfront::123456789012:key-value-store/5d6d5a1c-0000-4000-8000-000000000000'
  it.each([
    ['twice edge.liveTtlSeconds', { FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '20' }, 40],
    ['the time of all edges of CloudFront', { FUNDPRESS_EDGE_KEY_VALUE_STORE }, 120],
    ['the longer of both', { FUNDPRESS_EDGE_KEY_VALUE_STORE, FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '90' }, 180],
    ['the given time', { FUNDPRESS_EDGE_KEY_VALUE_STORE, FUNDPRESS_BUCKET_GRACE_SECONDS: '30' }, 30],
  ])('have a grace period of %s', (_, environment, seconds) =>
    expect(load(environment).bucket.graceSeconds).toBe(seconds),
  )

  it('derive docsUrl from baseUrl, without closing slashes', () => {
    expect(load({ FUNDPRESS_BASE_URL: 'https://funds.example.com/api//' })).toMatchObject({
      baseUrl: 'https://funds.example.com/api',
      docsUrl: 'https://funds.example.com/api/docs',
    })
  })

  it('have the same names in the environment as in the file', () => {
    const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null
    const keys = Object.entries(load()).flatMap(([name, value]) =>
      isGroup(value) ? Object.keys(value).map((one) => `${name}.${one}`) : [name],
    )
    const inFileOnly = ['freshness.groups', 'expectations.groups', 'downloads.keep', 'signing.publicKeys']
    expect([...known.list.map(({ key }) => key), ...inFileOnly].sort()).toEqual(keys.sort())
    expect(Object.fromEntries(known.list.map(({ key, variable }) => [key, variable]))).toMatchObject({
      db: 'FUNDPRESS_DB',
      baseUrl: 'FUNDPRESS_BASE_URL',
      'licence.url': 'FUNDPRESS_LICENCE_URL',
      'downloads.enabled': 'FUNDPRESS_DOWNLOADS',
      'downloads.keepDays': 'FUNDPRESS_DOWNLOADS_KEEP_DAYS',
      'bucket.pathStyle': 'FUNDPRESS_BUCKET_PATH_STYLE',
      'edge.keyValueStore': 'FUNDPRESS_EDGE_KEY_VALUE_STORE',
      'storePrices.perMillionPuts': 'FUNDPRESS_STORE_PRICES_PER_MILLION_PUTS',
    })
  })

  it.each([
    [{ downloads: false }, {}, { enabled: false, keepDays: 30, keepMonthEnds: false, keep: [] }],
    [
      { downloads: true },
      { FUNDPRESS_DOWNLOADS: 'false' },
      { enabled: false, keepDays: 30, keepMonthEnds: false, keep: [] },
    ],
    [
      { downloads: false },
      { FUNDPRESS_DOWNLOADS_KEEP_DAYS: '9' },
      { enabled: false, keepDays: 9, keepMonthEnds: false, keep: [] },
    ],
    // A switch in the environment leaves a legal hold of the file alone.
    [
      { downloads: { keepDays: 90, keep: ['2026-11-20'] } },
      { FUNDPRESS_DOWNLOADS: 'false' },
      { enabled: false, keepDays: 90, keepMonthEnds: false, keep: ['2026-11-20'] },
    ],
  ])('%j with %j in the environment are downloads %j', (config, environment, downloads) => {
    configure(config)
    const configFile = folder.file('fundpress.config.json')
    expect(loadFrom(configFile, environment)).toMatchObject({ downloads })
  })

  it('read numbers and booleans from the environment', () => {
    const { serve, bucket } = load({ FUNDPRESS_SERVE_PORT: '0', FUNDPRESS_BUCKET_PATH_STYLE: '1' })
    expect({ port: serve.port, pathStyle: bucket.pathStyle }).toEqual({ port: 0, pathStyle: true })
  })
})
