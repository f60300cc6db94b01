/** The OpenAPI document as tools of others see it: two linters, and two generators of clients that ask a server. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun, repository, tempFolder } from '../support/product.ts'
import { isMissing, lacks } from '../support/programs.ts'
import { codeOn, guideOf } from '../support/published-code.ts'
import { readXml } from '../support/read-xml.ts'
import { buildDemoSite, publishedAt, type Site } from '../support/site.ts'
import { compilerOptions, generators, node, tools } from './openapi-clients.ts'

const hasTools = existsSync(join(tools, '@redocly/cli'))
const folder = tempFolder()

let site: Site
beforeAll(async () => {
  site = await buildDemoSite()
})
afterAll(() => site.stop())

const descriptionOf = (out: string) => join(out, 'openapi.json')
const described = () => JSON.parse(readFileSync(descriptionOf(site.out), 'utf8')) as Description
const allOperations = () => Object.entries(described().paths).map(([path, { get }]) => ({ path, ...get }))
/** Those of endpoints: lists are plain files. */
const operations = () => allOperations().filter(({ path }) => path.startsWith('/api/'))

it('names the published address alone, the version of the API, and no login', () => {
  const { info, servers, security } = described()
  expect(servers.map(({ url }) => url)).toEqual([publishedAt])
  expect({ version: info.version, security }).toEqual({ version: '1.1.0', security: [] })
})

it('says of each operation what it answers, and when it answers with an error', () => {
  const descriptions = operations().map(({ description }) => description)
  expect(new Set(descriptions).size).toBe(13)
  for (const { description, responses } of operations())
    // 412 answers a condition of the request, as 304 does.
    for (const status of Object.keys(responses).filter((name) => name.startsWith('4') && name !== '412'))
      expect(description).toContain(`\n- ${status}: `)
  expect(descriptions[0]).toBe(`Current prices of one fund.

Errors:

- 400: The path ends before the ISIN.
- 400: The parameter format has a value other than json or xml; for prices, csv is supported, too.
- 403: The fund is known, but its prices may not be published.
- 404: The fund has no prices, or the ISIN is unknown.`)
})

it('has well-formed examples in XML that say nothing else than those in JSON', ({ skip }) => {
  skip(lacks('xmllint'), 'needs xmllint')
  const contents = operations().flatMap(({ responses }) =>
    Object.values(responses).map(({ content }) => content),
  )
  const pairs = contents.flatMap((content) => {
    const json = content?.['application/json']
    const xml = content?.['application/xml']
    if (json === undefined || xml === undefined) return []
    expect(xml.schema).toEqual({ $ref: '#/components/schemas/Xml' })
    if (json.examples === undefined) return [[json.example, xml.example] as const]
    return Object.entries(json.examples).map(
      ([name, { value }]) => [value, xml.examples?.[name]?.value] as const,
    )
  })
  expect(pairs.length).toBeGreaterThan(13 * 3)
  mkdirSync(folder.file('xml'))
  const names = pairs.map(([, xml], index) => {
    const name = `${index}.xml`
    writeFileSync(join(folder.file('xml'), name), String(xml))
    return name
  })
  for (const [index, leaves] of readXml(folder.file('xml'), names).entries()) {
    const known = textsOf(pairs[index]?.[0])
    const texts = leaves.map(([, text]) => text)
    expect(texts.length).toBeGreaterThan(2)
    // Both are shortened, the XML more.
    expect(texts.filter((text) => !known.includes(text))).toEqual([])
  }
})

/** The values of a JSON document as XML writes them. */
function textsOf(value: unknown): string[] {
  if (value === null) return ['']
  if (typeof value === 'string') return [value]
  if (typeof value === 'boolean') return [value ? '1' : '0']
  if (typeof value !== 'object') return [JSON.stringify(value)]
  const members = Object.values(value)
  return members.length === 0 ? [''] : members.flatMap(textsOf)
}

describe.skipIf(isMissing(hasTools))('the OpenAPI document and tools of others', () => {
  beforeAll(() => {
    expect(hasTools, 'FUNDPRESS_TEST_OPENAPI names a folder with the tools of .ci/run').toBe(true)
  })

  // The interface has paths that end with a slash: the one rule of each linter that cannot hold.
  it('Redocly and Spectral find nothing with their recommended rules, but a missing contact and licence', async () => {
    const db = folder.file('funds.sqlite')
    const named = folder.file('named')
    await mustRun(['init', '--demo', '--db', db, '--funds', '1', '--years', '1', '--until', '2026-11-20'])
    await mustRun(['build', '--db', db, '--out', named, '--as-of', '2026-11-20', '--quiet'], {
      env: {
        FUNDPRESS_PAGES: 'true',
        FUNDPRESS_BASE_URL: publishedAt,
        FUNDPRESS_SITE_NAME: 'Muster KVG',
        FUNDPRESS_SITE_CONTACT: 'api@example.org',
        FUNDPRESS_LICENCE_NAME: 'CC-BY-4.0',
        FUNDPRESS_LICENCE_URL: 'https://creativecommons.org/licenses/by/4.0/',
      },
    })
    const found = async (description: string) => ({
      redocly: [...new Set(await redocly(description))],
      spectral: [...new Set(await spectral(description))],
    })
    expect(await found(descriptionOf(named))).toEqual({ redocly: [], spectral: [] })
    // Two errors are found: the linters do read the document. One without contact and licence has no others.
    const broken = folder.file('broken.json')
    const { security, ...rest } = described()
    writeFileSync(broken, JSON.stringify({ ...rest, externalDocs: 1 }))
    expect(security).toEqual([])
    expect(await found(broken)).toEqual({
      redocly: ['struct', 'security-defined', 'info-license'],
      spectral: ['info-contact', 'oas3-schema'],
    })
  })

  it.each(generators)(
    'the client of %s on the page compiles, prints a range, and throws an error of the API',
    async (client, command, cli) => {
      const code = (name: string) => codeOn(guideOf(site.out, 'clients', 'en'), `client-${name}`)
      const own = folder.file(client)
      const must = async (...line: readonly string[]) => {
        const { code: status, stdout, stderr } = await node(own, line)
        if (status !== 0) throw new Error(`${line.join(' ')} ended with ${status}: ${stderr}${stdout}`)
        return stdout
      }
      mkdirSync(own)
      symlinkSync(tools, join(own, 'node_modules'))
      const write = (file: string, text: string) => writeFileSync(join(own, file), text)
      write('package.json', JSON.stringify({ type: 'module' }))
      write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', 'fund-data'] }))
      // The published address is that of no server.
      const atServer = (text: string) => text.replaceAll(publishedAt, site.base)
      write('openapi.json', atServer(readFileSync(descriptionOf(site.out), 'utf8')))
      const [generate = ''] = code(`${client}-setup`).split('\n').slice(-1)
      const [npx, name, ...args] = generate.replace(`${publishedAt}/`, '').split(' ')
      expect({ npx, name }).toEqual({ npx: 'npx', name: command })
      await must(join(tools, cli), ...args)

      const program = atServer(code(client))
      const isin = operations()[0]?.parameters[0]?.example ?? ''
      write('main.ts', program)
      write('wrong.ts', program.replace(isin, 'XX0000000002'))
      await must(join(repository, 'node_modules/typescript/bin/tsc'), '-p', '.')
      const files = { absWorkingDir: own, entryPoints: ['main.ts', 'wrong.ts'], outdir: 'built' }
      await build({ ...files, bundle: true, format: 'esm', platform: 'node', packages: 'external' })

      const [path] = /\/api\/v1\/prices-historic\/[^?"]+/.exec(code('python')) ?? ['']
      const { prices } = (await (await fetch(site.base + path)).json()) as Prices
      expect(prices).toHaveLength(10)
      expect((await must('built/main.js')).trim().split('\n')).toEqual(
        prices.map(({ date, net_asset_value: { value } }) => `${date} ${Number(value.replace(',', '.'))}`),
      )
      const { code: status, stderr } = await node(own, ['built/wrong.js'])
      expect(status).toBe(1)
      expect(stderr).toContain('Error: No historic prices for the fund with ISIN: XX0000000002')
    },
  )
})

/** The names of the rules that find something. */
async function redocly(description: string): Promise<string[]> {
  const config = folder.file('redocly.yaml')
  writeFileSync(config, 'extends: [recommended]\nrules: { no-path-trailing-slash: off }\n')
  const line = [
    join(tools, '@redocly/cli/bin/cli.js'),
    'lint',
    '--config',
    config,
    '--format',
    'json',
    description,
  ]
  const { stdout } = await node(folder.path, line)
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly ruleId: string }[] }
  return problems.map(({ ruleId }) => ruleId)
}

async function spectral(description: string): Promise<string[]> {
  const config = folder.file('spectral.yaml')
  writeFileSync(config, 'extends: ["spectral:oas"]\nrules: { path-keys-no-trailing-slash: off }\n')
  const line = [
    join(tools, '@stoplight/spectral-cli/dist/index.js'),
    'lint',
    '-r',
    config,
    '-q',
    '-f',
    'json',
    description,
  ]
  const { stdout } = await node(folder.path, line)
  return (JSON.parse(stdout) as { readonly code: string }[]).map(({ code }) => code)
}

interface Description {
  readonly info: { readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly security: unknown
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
}
interface Operation {
  readonly description: string
  readonly parameters: readonly { readonly example?: string }[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}
interface Content {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
interface Prices {
  readonly prices: readonly { readonly date: string; readonly net_asset_value: { readonly value: string } }[]
}
