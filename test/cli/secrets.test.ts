/** A password in an address appears nowhere: not in a message, a log, a summary, JSON, or a file. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { withoutSecrets } from '../../src/core/cli/safe-text.ts'
import { tempFolder } from '../support/product.ts'
import { listen } from '../support/request.ts'
import { sample } from '../support/rounds.ts'
import { run, type Ended } from './run.ts'

const folder = tempFolder()
const secret = 'hunter2-Zx9'

beforeAll(async () => {
  await run('init --demo --db d.sqlite --funds 1 --years 1 --until 2026-11-19 --quiet', { cwd: folder.path })
  await run('build --db d.sqlite --out out --as-of 2026-11-20 --quiet', { cwd: folder.path })
})

/** Addresses, encoded or not. */
const addresses = [
  `https://user:${secret}@store.example.com`,
  `https://${secret}@store.example.com/path`,
  `https://user:a/b@${secret}?c#d@store.example.com:9000`,
  `http://user:'"${secret}"'@store.example.com`,
]
/** Mistaken addresses, whose passwords no pattern can find in a text. */
const mistaken = [`http://user:${secret} with space@store.example.com`, `user:${secret}@store.example.com`]

const onBucket = '--bucket fund-data --region eu-central-1 --json'
const build = 'build --db d.sqlite --out new --json'
const publish = `publish ${onBucket}`
const nightly = `nightly --db d.sqlite ${onBucket} --summary summary.md`
const conform = 'conform --base http://127.0.0.1:1 --db d.sqlite --json'
const commands = [
  build,
  publish,
  nightly,
  conform,
  'check --db d.sqlite --json',
  'serve --out nowhere --port 0',
  'build --merge out out --db d.sqlite --out new --json',
  'edge nginx --out out --port 8081 --dest edge',
  ...['plan', 'status', 'verify', 'rollback', 'prune', 'check'].map((name) => `${name} ${onBucket}`),
]
/** A command with words of its own that may hold blanks. */
const words = (command: string, ...more: readonly string[]) => [...command.split(' '), ...more]

function expectNoSecret({ stdout, stderr }: Ended): void {
  expect(stdout + stderr).not.toContain(secret)
  for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' }))
    if (/\.(md|json|conf|log)$/.test(name) && !name.includes('fundpress.config'))
      expect(readFileSync(folder.file(name), 'utf8')).not.toContain(secret)
}

const debugging = { FUNDPRESS_DEBUG: '1' }
const options = { cwd: folder.path, env: debugging }

describe('a password in an address', () => {
  it.each(commands)('is not shown by `%s`, in any flag or variable', async (command) => {
    const flags = ['--endpoint', '--base', '--docs-url', '--db', '--out', '--dest', '--config', '--since']
    for (const [index, flag] of sample(flags, { least: 3, turn: commands.indexOf(command) }).entries())
      expectNoSecret(await run(words(command, flag, addresses[index % addresses.length] ?? ''), options))
    for (const [index, name] of ['BUCKET_NAME', 'DB', 'OUT', 'BUCKET_ENDPOINT'].entries()) {
      const env = { ...debugging, [`FUNDPRESS_${name}`]: addresses[index] }
      expectNoSecret(await run(command, { ...options, env }))
    }
  })

  it.each(sample([...addresses, ...mistaken], { least: 3 }))(
    'is refused in an address: %s',
    async (address) => {
      const reason = 'must be an absolute http or https URL without a user name'
      const refused = [
        await run(words(publish, '--endpoint', address), options),
        await run(words(build, '--docs-url', address), options),
        await run(words(conform, '--base', address), options),
        await run(['status', '--base', address], options),
      ]
      for (const name of ['BUCKET_ENDPOINT', 'BASE_URL', 'DOCS_URL', 'LICENCE_URL'])
        refused.push(await run(build, { ...options, env: { ...debugging, [`FUNDPRESS_${name}`]: address } }))
      for (const ended of refused) {
        expect({ code: ended.code, stderr: ended.stderr }).toEqual({
          code: 2,
          stderr: expect.stringContaining(reason),
        })
        expectNoSecret(ended)
      }
    },
  )

  it.each(sample([...addresses, ...mistaken], { least: 3, turn: 1 }))(
    'is not shown if the config file has it: %s',
    async (address) => {
      const configs = [
        { bucket: { endpoint: address } },
        { baseUrl: address, docsUrl: address },
        { bucket: { name: address } },
        { licence: { url: { address } } },
        { freshness: { groups: [address] } },
        ...(mistaken.includes(address) ? [] : [{ [address]: 1 }]),
      ]
      for (const config of configs) {
        writeFileSync(folder.file('fundpress.config.other.json'), JSON.stringify(config))
        const ended = await run(`${nightly} --config fundpress.config.other.json`, options)
        expect(ended.code).toBe(2)
        expectNoSecret(ended)
      }
    },
  )

  it('is not shown if the SDK or a proxy gets it from the environment', async () => {
    const server = createServer((_, response) => response.writeHead(403).end())
    server.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    const { base, stop } = await listen(server)
    const address = base.replace('//', `//user:${secret}@`)
    const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY']
    const env = {
      ...debugging,
      ...Object.fromEntries(proxies.map((name) => [name, address])),
      NODE_USE_ENV_PROXY: '1',
      AWS_ENDPOINT_URL: address,
      AWS_ENDPOINT_URL_S3: address,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_MAX_ATTEMPTS: '1',
    }
    for (const command of [
      `status ${onBucket}`,
      `verify ${onBucket}`,
      'status --base http://api.example.com',
    ])
      expectNoSecret(await run(command, { cwd: folder.path, env }))
    await stop()
  })
})

it('fetch shows no password of an address or an endpoint', async () => {
  const env = { AWS_MAX_ATTEMPTS: '1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: secret }
  const endpoint = `--endpoint http://user:${secret}@127.0.0.1:1 --region eu-central-1`
  for (const line of [
    `s3://fund-data/d.sqlite d.sqlite ${endpoint}`,
    `s3://user:${secret}@fund-data d.sqlite`,
  ]) {
    const ended = await run(`fetch ${line}`, { cwd: folder.path, env })
    expect(ended.code).toBe(2)
    expectNoSecret(ended)
  }
})

it('withoutSecrets finds a password in any text, and does not change a text without one', () => {
  const word = fc.stringMatching(/^[^\s]{0,20}$/)
  fc.assert(
    fc.property(fc.string(), word, word, fc.string(), (before, user, password, after) => {
      const text = `${before} https://${user}:${password}${secret}@host ${after}`
      expect(withoutSecrets(text)).not.toContain(secret)
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => text.includes('@') || withoutSecrets(text) === text))
  expect(withoutSecrets(`no https://example.com/a?b=c here`)).toBe('no https://example.com/a?b=c here')
})

it.each(['too-short', `${secret}+with/base64==`])(
  'a preview token that is refused is not shown: %s',
  async (token) => {
    const env = { FUNDPRESS_EDGE_PREVIEW_TOKEN: token }
    writeFileSync(
      folder.file('fundpress.config.other.json'),
      JSON.stringify({ edge: { previewToken: token } }),
    )
    for (const ended of [
      await run(build, { cwd: folder.path, env }),
      await run(`${build} --config fundpress.config.other.json`, { cwd: folder.path }),
    ]) {
      expect({ code: ended.code, stderr: ended.stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('16 to 100 letters, digits'),
      })
      expect(ended.stderr).not.toContain(token)
    }
  },
)
