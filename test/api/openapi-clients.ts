/** Clients that generators of others make from the OpenAPI document, each with a program that uses it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** Where the tools lie: `.ci/run` installs them beside the project, since they are 150 MB. */
export const tools = join(process.env['FUNDPRESS_TEST_OPENAPI'] ?? '', 'node_modules')

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of Node in a folder. The event loop goes on: the server that it asks may be in this process. */
export const node = (cwd: string, args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      NO_COLOR: '1',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    }
    execFile(process.execPath, args, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })

export interface Generator {
  readonly name: string
  /** Its program below `node_modules`. */
  readonly command: string
  /** Its arguments for a description. */
  readonly args: (description: string) => readonly string[]
  /** Prints `{ document, range, error }` of the server and the fund that its arguments name. Wrong types do not compile. */
  readonly program: string
}

const begin = `declare const process: { readonly argv: string[] }
const [, , base = '', isin = ''] = process.argv
const days = { datefrom: '2026-11-02', dateto: '2026-11-13' }
const nobody = 'XX0000000002'
const print = (isin: string, currency: string, range: string[], status: number, title: string) =>
  console.log(JSON.stringify({ document: [isin, currency], range, error: [status, title] }))
`

export const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    command: 'openapi-typescript/bin/cli.js',
    // No `.d.ts`: the compiler skips the checks of those.
    args: (description) => [description, '--output', 'paths.ts'],
    program: `import createClient from 'openapi-fetch'
import type { paths } from './paths.ts'
${begin}
const client = createClient<paths, 'application/json'>({ baseUrl: base })
const current = await client.GET('/api/v1/prices-current/{isin}/', { params: { path: { isin } } })
const historic = await client.GET('/api/v1/prices-historic/{isin}/{datefrom}/{dateto}/', {
  params: { path: { isin, ...days } },
})
const { error, response } = await client.GET('/api/v1/figures/{isin}/', { params: { path: { isin: nobody } } })
if (!current.data || !historic.data || !error) throw new Error('other answers')
const range = historic.data.prices.map((price) => \`\${price.date} \${price.net_asset_value.value}\`)
print(current.data.fund.isin, current.data.currency, range, response.status, error.title)
`,
  },
  {
    name: '@hey-api/openapi-ts',
    command: '@hey-api/openapi-ts/bin/run.js',
    args: (description) => ['--input', description, '--output', 'sdk', '--no-log-file', '--silent'],
    program: `import { client } from './sdk/client.gen.ts'
import { figures, pricesCurrent, pricesHistoric } from './sdk/index.ts'
${begin}
client.setConfig({ baseUrl: base })
const current = await pricesCurrent({ path: { isin } })
const historic = await pricesHistoric({ path: { isin, ...days } })
const { error, response } = await figures({ path: { isin: nobody } })
if (!current.data || !historic.data || !error || !response) throw new Error('other answers')
const range = historic.data.prices.map((price) => \`\${price.date} \${price.net_asset_value.value}\`)
print(current.data.fund.isin, current.data.currency, range, response.status, error.title)
`,
  },
]

/** For programs and generated clients: strict, and as bundlers find modules. */
export const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  strict: true,
  // The declarations of libraries are theirs.
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}
