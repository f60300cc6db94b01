/** The image of `templates/container`: what its files say, and, in CI, a built one whose nights and server run as in production. */
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { lists } from '../../src/core/api/contract/lists.ts'
import {
  buildImage,
  canBuild,
  dockerfile,
  instructionsOf,
  removeImage,
  type Image,
} from '../support/container.ts'
import { freePorts } from '../support/ports.ts'
import { makeTempFolder, repository } from '../support/product.ts'
import { isMissing } from '../support/programs.ts'
import { isComplete } from '../support/rounds.ts'
import { expectFailure, expectSuccess } from './outcome.ts'
import { ended } from './run.ts'

const templates = join(repository, 'templates/container')
const read = (name: string) => readFileSync(join(templates, name), 'utf8')
const instructions = instructionsOf(readFileSync(dockerfile, 'utf8'))
const all = (wanted: string) => instructions.flatMap(([name, rest]) => (name === wanted ? [rest] : []))

describe('the Dockerfile', () => {
  it('downloads nothing by itself, and starts from images that are pinned by a version, for any processor', () => {
    expect(all('RUN').filter((line) => /curl|wget|apt|https?:/.test(line))).toEqual([])
    expect(all('FROM').map((image) => image.replace(/@sha256:[0-9a-f]{64}(?= |$)/, ''))).toEqual([
      'node:24-trixie-slim AS node',
      '--platform=$BUILDPLATFORM node:24-trixie-slim AS package',
      'debian:trixie-slim',
    ])
    expect(readFileSync(dockerfile, 'utf8')).not.toMatch(/amd64|x64|aarch64|x86/)
  })

  it('checks the health of `serve` by a list that the API publishes', () => {
    const [, path] = /(\/status\/[\w.]+)/.exec(read('health.mjs')) ?? []
    expect(lists.map((list) => list.path)).toContain(path)
  })

  it('leaves out what the lock file brings', () => {
    const paths = read('unneeded.txt')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(paths.length).toBeGreaterThan(10)
    const missing = paths.filter(
      (path) => globSync(path, { cwd: join(repository, 'node_modules') }).length === 0,
    )
    expect(missing).toEqual([])
  })
})

const { services } = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<
    Record<string, { readonly command: readonly string[]; readonly volumes: readonly string[] }>
  >
}

it('compose.yaml gives its containers no rights, no capabilities and no disk but their volumes', () => {
  expect(Object.keys(services)).toEqual(['nightly', 'serve', 'nginx'])
  // The time that a night needs to end after SIGTERM.
  expect(services['nightly']).toMatchObject({ stop_grace_period: '30s' })
  for (const service of Object.values(services))
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: expect.arrayContaining(['/tmp']) as string[],
    })
})

describe.runIf(isComplete && !isMissing(canBuild))('the image', () => {
  const folder = makeTempFolder().path
  let image: Image
  const arguments_ = { SOURCE: 'https://github.com/acme/fundpress', VERSION: '1.0.0', REVISION: '0123abcd' }
  beforeAll(async () => {
    image = await buildImage(folder, arguments_)
  })
  afterAll(() => removeImage(folder))

  const fundpress = (words: readonly string[], env: readonly string[] = []) =>
    expectSuccess(ended(image.start(words, { env })))

  it('has at most 250 MB, and names where it comes from', () => {
    process.stdout.write(`the image: ${(image.bytes / 1e6).toFixed(1)} MB\n`)
    expect(image.bytes).toBeLessThan(250e6)
    const label = (name: string) => image.config.Labels[`org.opencontainers.image.${name}`]
    expect({
      source: label('source'),
      version: label('version'),
      revision: label('revision'),
      licenses: label('licenses'),
    }).toEqual({
      source: arguments_.SOURCE,
      version: arguments_.VERSION,
      revision: arguments_.REVISION,
      licenses: 'MIT',
    })
  })

  it('holds Node, a shell and tar, but neither npm nor what it was built with', async () => {
    const paths =
      '/usr/local/bin/node /bin/sh /bin/tar /usr/local/bin/npm /usr/local/lib/node_modules /context /run/secrets/npmrc'
    const script = `for path in ${paths}; do test -e $path && echo $path; done; true`
    const said = await expectSuccess(image.run(['sh', '-c', script]))
    expect(said.split('\n')).toEqual(['/usr/local/bin/node', '/bin/sh', '/bin/tar', ''])
  })

  it('can write to its volumes and to /tmp, and to nothing else', async () => {
    const script =
      'id -u; id -g; for folder in / /opt /usr/local /etc /data /workdir /tmp; do test -w $folder && echo $folder; done'
    const said = await expectSuccess(image.run(['sh', '-c', `${script}; true`]))
    expect(said.split('\n')).toEqual(['10001', '10001', '/data', '/workdir', '/tmp', ''])
  })

  it('has every library that the program imports', async () => {
    const script = `import { globSync, readFileSync } from 'node:fs'
      const ours = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies)
      const texts = globSync('dist/**/*.js').map((file) => readFileSync(file, 'utf8'))
      const named = texts.flatMap((text) => [...text.matchAll(/(?:from |import\\()'([^']+)'/g)].map(([, name]) => name))
      const names = new Set(named.filter((name) => ours.some((one) => name === one || name.startsWith(one + '/'))))
      for (const name of names) await import(name)
      console.log([...names].join(' '))`
    const load = ['sh', '-c', 'cd /opt/fundpress && exec node --input-type=module --eval "$1"', 'sh', script]
    const names = (await expectSuccess(image.run(load))).trim().split(' ')
    expect(names).toEqual(expect.arrayContaining(['@aws-sdk/client-s3', 'better-sqlite3', 'csv-parse']))
  })

  it('runs commands of `notify`: a program, and a line of the shell', async () => {
    const isTest = 'process.exit(JSON.parse(fs.readFileSync(0)).event === "test" ? 0 : 1)'
    const notify = [
      { type: 'command', command: ['node', '--eval', isTest] },
      { type: 'command', command: 'test "$FUNDPRESS_EVENT" = test' },
    ]
    const script =
      'printf %s "$1" > /tmp/notify.json && exec fundpress --config /tmp/notify.json notify --test'
    const said = await expectSuccess(image.run(['sh', '-c', script, 'sh', JSON.stringify({ notify })]))
    expect(said.match(/^notify: command \((node|test)\): was told; /gm)).toHaveLength(2)
  })

  it('does what README.md says, to the first night and the next', async () => {
    const readme = read('README.md')
    const [, config = ''] = /^```json\n([^]*?)^```/m.exec(readme) ?? []
    await expectSuccess(image.run(['sh', '-c', 'printf %s "$1" > /data/fundpress.config.json', 'sh', config]))
    const lines = [...readme.matchAll(/^docker compose run --rm nightly ?(.*)$/gm)].map(
      ([, line = '']) => line,
    )
    const said = new Map<string, string>()
    for (const line of lines) {
      const words = line === '' ? (services['nightly']?.command ?? []) : line.split(' ')
      said.set(
        words.at(-1) ?? '',
        await fundpress(line.startsWith('init') ? [...words, '--funds', '3'] : words),
      )
    }
    expect([...said.keys()]).toEqual(
      '/data/funds.sqlite --complete check --bucket nightly status --deep /data/edge'.split(' '),
    )
    expect(said.get('nightly')).toContain('is live in blue')
    expect(said.get('status')).toMatch(/^live .* in blue$/m)
    const night = ['--config', '/data/fundpress.config.json', 'nightly']
    expect(await fundpress(night)).toContain('nothing to do')
    // A calendar of the library, not one of our own.
    expect(await fundpress(night, ['FUNDPRESS_FRESHNESS_CALENDAR=DE-BY'])).toContain('0 of them rendered')
    expect(said.get('/data/edge')).toContain('/data/edge/conf.d/fundpress.conf')
    const conf = await expectSuccess(image.run(['cat', '/data/edge/conf.d/fundpress.conf']))
    // `serve` listens on all addresses, and shares the network of nginx.
    expect(conf).toContain('server 127.0.0.1:8080;')
  })

  it('serves a bucket that it cannot write to, answers its health check, and ends at SIGTERM', async () => {
    expect(services['serve']?.volumes).toEqual(['./data:/data:ro'])
    const port = await freePorts()
    const env = [`FUNDPRESS_SERVE_PORT=${port}`]
    const server = image.start(services['serve']?.command ?? [], { env, data: 'ro' })
    const end = ended(server)
    await once(server.stdout ?? server, 'data')
    expect((await fetch(`http://127.0.0.1:${port}/status/index.json`)).status).toBe(200)
    await expectSuccess(image.askHealth(server, env))
    await expectFailure(image.askHealth(server, [`FUNDPRESS_SERVE_PORT=${port + 1}`]), 'ECONNREFUSED')
    image.terminate(server)
    expect(await end).toMatchObject({ code: 143, stderr: '' })
  })
})
