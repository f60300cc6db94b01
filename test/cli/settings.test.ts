/** Settings through the front door: `check` names the database that it looked for. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder, type TempFolder } from '../support/product.ts'
import { run } from './run.ts'

let folder: TempFolder
beforeEach(() => {
  folder = makeTempFolder()
})
afterEach(() => folder.remove())

const configure = (config: unknown, name = 'fundpress.config.json') =>
  writeFileSync(folder.file(name), typeof config === 'string' ? config : JSON.stringify(config))

async function check(args: readonly string[] = [], env: Record<string, string> = {}) {
  return run(['check', ...args], { cwd: folder.path, env })
}

describe('what a setting comes from', () => {
  it('is the flag before the variable before the config file', async () => {
    configure({ $schema: './schema.json', db: 'file.sqlite' })
    const variable = { FUNDPRESS_DB: 'variable.sqlite' }
    expect((await check()).stderr).toMatch(/^fundpress: file\.sqlite does not exist/)
    expect((await check([], variable)).stderr).toMatch(/^fundpress: variable\.sqlite does not exist/)
    expect((await check(['--db', 'flag.sqlite'], variable)).stderr).toMatch(
      /^fundpress: flag\.sqlite does not exist/,
    )
  })

  it('counts an empty variable as none', async () => {
    configure({ db: 'file.sqlite' })
    expect((await check([], { FUNDPRESS_DB: '' })).stderr).toMatch(/^fundpress: file\.sqlite /)
  })

  it('takes paths in a config file from its folder, others from the working directory', async () => {
    mkdirSync(folder.file('conf'))
    configure({ db: 'file.sqlite' }, 'conf/night.json')
    const other = ['--config', 'conf/night.json']
    expect((await check(other)).stderr).toMatch(/^fundpress: conf\/file\.sqlite does not exist/)
    expect((await check([...other, '--db', 'x.sqlite'])).stderr).toMatch(
      /^fundpress: x\.sqlite does not exist/,
    )
    configure({ db: '/nowhere/file.sqlite' }, 'conf/night.json')
    expect((await check(other)).stderr).toMatch(/^fundpress: \/nowhere\/file\.sqlite does not exist/)
  })

  it('reads a config file with a byte order mark', async () => {
    configure('\uFEFF{ "db": "file.sqlite" }')
    expect((await check()).stderr).toMatch(/^fundpress: file\.sqlite /)
  })
})

describe('a config file that is wrong', () => {
  const inDefault = 'config file fundpress.config.json'
  it.each([
    [{ dbb: 'x' }, `${inDefault}: unknown key "dbb" (did you mean "db"?)`],
    [{ DocsURL: 'http://x' }, `${inDefault}: unknown key "DocsURL" (did you mean "docsUrl"?)`],
    [{ edge: { prot: 1 } }, `${inDefault}: unknown key "edge.prot" (did you mean "port"?)`],
    [{ '': 1 }, `${inDefault}: unknown key "" (there are db, out,`],
    [{ bucket: { $schema: 'x' } }, `${inDefault}: unknown key "bucket.$schema"`],
    ['{ "__proto__": {} }', `${inDefault}: unknown key "__proto__"`],
    [{ constructor: 1 }, `${inDefault}: unknown key "constructor"`],
    [{ db: 1 }, `${inDefault}: "db" must be a path, not 1`],
    [{ db: null }, `${inDefault}: "db" must be a path, not null`],
    [{ jobs: '4' }, `${inDefault}: "jobs" must be a whole number from 1 to 256, not "4"`],
    [
      { edge: { port: 8080.5 } },
      `${inDefault}: "edge.port" must be a whole number from 0 to 65535, not 8080.5`,
    ],
    [{ edge: { cacheControl: 'a\nb' } }, `${inDefault}: "edge.cacheControl" must be a header value`],
    [{ edge: [] }, `${inDefault}: "edge" must be an object, not []`],
    [{ bucket: { pathStyle: 'yes' } }, `${inDefault}: "bucket.pathStyle" must be true or false, not "yes"`],
    [{ freshness: { groups: {} } }, `${inDefault}: "freshness.groups" must be a list, not {}`],
    [
      { freshness: { groups: [{ currency: 'EUR' }, { currency: 'USD', warnDays: '25' }] } },
      `${inDefault}: "freshness.groups[1].warnDays" must be a whole number from 0 to 999, not "25"`,
    ],
    [
      { freshness: { groups: [{ categori: 'Aktienfonds' }] } },
      `${inDefault}: unknown key "freshness.groups[0].categori" (did you mean "category"?)`,
    ],
    [
      { freshness: { groups: ['Aktienfonds'] } },
      `${inDefault}: "freshness.groups[0]" must be an object, not "Aktienfonds"`,
    ],
    [
      { freshness: { groups: [{ never: true }] } },
      `${inDefault}: "freshness.groups[0]" must be an object with at least one of category, currency, isins, not {"never":true}`,
    ],
    [
      { freshness: { groups: [{ isins: ['XX'] }] } },
      `${inDefault}: "freshness.groups[0].isins[0]" must be an ISIN, not "XX"`,
    ],
    [
      { baseUrl: '/api' },
      `${inDefault}: "baseUrl" must be an absolute http or https URL without a user name, a password or a query`,
    ],
    [{ docsUrl: 'https://x.example/?a=b' }, `${inDefault}: "docsUrl" must be an absolute http or https URL`],
    [{ $schema: 1 }, `${inDefault}: "$schema" must be a text, not 1`],
    [[], `${inDefault}: the file must be an object, not []`],
    [
      '{\n  "db": "x",\n  "jobs": 4,\n}\n',
      `config file fundpress.config.json is not JSON: Expected double-quoted property name in JSON at position 28 (line 4 column 1)`,
    ],
    [
      '{\n  "db": x\n}',
      `config file fundpress.config.json is not JSON: Unexpected token 'x', "{ "db": x }" is not valid JSON`,
    ],
    ['', `config file fundpress.config.json is not JSON: Unexpected end of JSON input`],
  ])('%j is refused in one line with exit code 2', async (config, reason) => {
    configure(config)
    const { code, stdout, stderr } = await check(['--db', 'x.sqlite'])
    expect(stderr).toContain(`fundpress: ${reason}`)
    expect(stderr).toMatch(/^[^\n]+\n$/)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('is named by the path that was given', async () => {
    configure({ dbb: 'x' }, 'night.json')
    expect((await check(['--config', 'night.json'])).stderr).toContain(
      'config file night.json: unknown key "dbb"',
    )
    expect((await check(['--config', '.'])).stderr).toContain('config file . cannot be read')
  })
})

it.each([
  ['FUNDPRESS_EDGE_PORT', 'http', 'it must be a whole number from 0 to 65535'],
  ['FUNDPRESS_JOBS', '0', 'it must be a whole number from 1 to 256'],
  ['FUNDPRESS_DOCS_URL', 'docs', 'it must be an absolute http or https URL'],
  ['FUNDPRESS_BUCKET_PATH_STYLE', 'yes', 'it must be true or false'],
])('names the environment variable %s when its value is wrong', async (name, value, reason) => {
  const { code, stderr } = await check(['--db', 'x.sqlite'], { [name]: value })
  expect(code).toBe(2)
  expect(stderr).toContain(`fundpress: environment variable ${name} is '${value}': ${reason}`)
})
