/** The package as npm makes it: installed into an empty project, it runs without the checkout. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { execute, packCheckout, packedRelease, userEnvironment } from '../support/package.ts'
import { repository, tempFolder } from '../support/product.ts'
import { needs } from '../support/programs.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'
import { isComplete } from '../support/rounds.ts'
import { startS3 } from '../support/s3/server.ts'
import { filesIn, hashesOf } from '../support/tree.ts'
import { ended, run } from './run.ts'
import { expectFailure, expectSuccess } from './outcome.ts'
import { answers, flagsOf } from './setup-flags.ts'

const folder = tempFolder()
const project = folder.file('project')
const installed = join(project, 'node_modules/@fundpress/cli')
const program = join(project, 'node_modules/.bin/fundpress')
/** What npm said while it installed the package. */
let installation = ''

type Summary = Readonly<Record<string, unknown>>
interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
}
type Packages = Readonly<Record<string, Locked>>
const lock = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages }).packages

const { name, version, dependencies, devDependencies } = JSON.parse(
  readFileSync(join(repository, 'package.json'), 'utf8'),
) as Readonly<Record<'name' | 'version', string>> &
  Readonly<Record<'dependencies' | 'devDependencies', object>>
const locked = lock(join(repository, 'package-lock.json'))
/** Without those that a dependency at run time brings, too. */
const onlyOfCheckout = Object.keys(devDependencies).filter((each) => locked[`node_modules/${each}`]?.dev)

/** Source: https://cyclonedx.org/docs/1.5/json/ */
interface Bom {
  readonly components: readonly {
    readonly name: string
    readonly version: string
    readonly licenses: readonly { readonly license?: { readonly id: string }; readonly expression?: string }[]
    readonly hashes: readonly { readonly alg: string }[]
  }[]
}

/** The files of the release. */
let release = ''
const canPack = needs('bash', 'find', 'jq', 'tar', 'xargs')

beforeAll(async () => {
  if (!canPack) return
  const { checkout, tarball } = await packCheckout()
  expect(existsSync(join(checkout, 'dist'))).toBe(false)
  release = dirname(tarball)
  cpSync(tarball, join(project, 'fundpress.tgz'))
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  if (isComplete) {
    const flags = ['--omit=dev', '--foreground-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    installation = execute('npm', ['install', ...flags, './fundpress.tgz'], project)
    return
  }
  // What npm does, with the packages of this checkout instead of installed ones.
  const programs = join(project, 'node_modules/.bin')
  for (const made of [installed, programs]) mkdirSync(made, { recursive: true })
  execute('tar', ['-xzf', join(project, 'fundpress.tgz'), '--strip-components=1'], installed)
  symlinkSync(join(repository, 'node_modules'), folder.file('node_modules'), 'junction')
  symlinkSync('../@fundpress/cli/dist/fundpress.mjs', join(programs, 'fundpress'))
  chmodSync(join(programs, 'fundpress'), 0o755)
})

describe('beside the package, a release', () => {
  it('has the digests of its files, and notes', () => {
    const files = [`fundpress-${version}.cdx.json`, `fundpress-cli-${version}.tgz`, 'package-lock.json']
    expect(readdirSync(release).sort()).toEqual(['SHA256SUMS', ...files, 'notes.md'].sort())
    const checked = execute('sha256sum', ['--check', '--strict', 'SHA256SUMS'], release)
    expect(checked).toBe(files.map((file) => `${file}: OK\n`).join(''))
    const notes = readFileSync(join(release, 'notes.md'), 'utf8')
    expect(notes).toContain(
      'https://github.com/acme/fundpress/blob/v1.0.0/.github/RELEASES.md#verify-a-release',
    )
  })

  it('lists each package that a night needs in CycloneDX, and none for tests', () => {
    const file = join(release, `fundpress-${version}.cdx.json`)
    const list = JSON.parse(readFileSync(file, 'utf8')) as Bom
    expect(list).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { name, version, purl: `pkg:npm/${name.replace('@', '%40')}@${version}` } },
    })
    const needed = Object.entries(locked).flatMap(([path, { dev, devOptional, version: its }]) => {
      const [, itsName] = /.*node_modules\/(.+)$/.exec(path) ?? []
      return itsName === undefined || dev || devOptional ? [] : [`${itsName}@${its ?? ''}`]
    })
    const listed = list.components.map((each) => `${each.name}@${each.version}`)
    expect(listed.sort()).toEqual([...new Set(needed)].sort())
    const names = list.components.map((each) => each.name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    expect(onlyOfCheckout.filter((each) => names.includes(each))).toEqual([])
    const licences = list.components.flatMap(({ licenses }) =>
      licenses.map(({ license, expression }) => license?.id ?? expression),
    )
    expect(licences).toHaveLength(listed.length)
    expect(licences).not.toContain(undefined)
    expect(list.components.filter(({ hashes: [hash] }) => hash?.alg !== 'SHA-512')).toEqual([])
  })
})

describe('the installed package', () => {
  it('holds what runs, but neither sources nor tests', () => {
    const names = ['.github', 'LICENSE', 'README.md', 'dist', 'package.json', 'src', 'templates']
    expect(readdirSync(installed).sort()).toEqual(names)
    expect(filesIn(join(installed, 'src')).filter((name) => !name.endsWith('.md'))).toEqual([])
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => name.endsWith('.ts'))).toEqual([])
    for (const name of ['make/generate.js', 'make/pack.js', 'core/edge/bundle.js'])
      expect(files).not.toContain(name)
  })

  it('imports no sources: the compiler leaves some paths of an import as they are', () => {
    const compiled = filesIn(join(installed, 'dist')).filter((file) => /\.m?js$/.test(file))
    expect(compiled).not.toEqual([])
    const left = compiled.filter((file) =>
      /\bimport\(['"]\.[^'"]*\.ts['"]/.test(readFileSync(join(installed, 'dist', file), 'utf8')),
    )
    expect(left).toEqual([])
  })

  it('has documents whose links lead to a file of the package, or of the repository as it was released', () => {
    // Guides link to published pages.
    const isGuide = (name: string) => name.startsWith('templates/docs/')
    const documents = filesIn(installed).filter((name) => name.endsWith('.md') && !isGuide(name))
    expect(documents).toContain('README.md')
    const targets = documents.flatMap((document) => {
      const text = readFileSync(join(installed, document), 'utf8')
      const links = [...text.matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)\s#"]+)[^)\s"]*[)"]/g)].map(
        ([, target = '']) => target,
      )
      return links.map((target) => ({ document, target }))
    })
    const ours = /^https:\/\/github\.com\/acme\/fundpress\/(?:blob|raw)\/v1\.0\.0\/(.+)$/
    const isThere = (document: string, target: string) => {
      const [, path] = ours.exec(target) ?? []
      if (path !== undefined) return existsSync(join(repository, path)) && !existsSync(join(installed, path))
      return /^[a-z]+:/.test(target) || existsSync(join(installed, dirname(document), target))
    }
    expect(targets.filter(({ document, target }) => !isThere(document, target))).toEqual([])
    const ofReadme = targets.filter(({ document }) => document === 'README.md').map(({ target }) => target)
    const base = 'https://github.com/acme/fundpress'
    expect(ofReadme).toEqual(
      expect.arrayContaining([
        `${base}/raw/v1.0.0/.github/fund-page-light.png`,
        `${base}/raw/v1.0.0/.github/fund-page-dark.png`,
        'src/core/guards/README.md',
        'templates/github/README.md',
      ]),
    )
  })

  // All documents are in it, the READMEs of the rooms among them.
  it('has at most 3.9 MB', () => {
    const bytes = filesIn(installed).reduce((sum, file) => sum + statSync(join(installed, file)).size, 0)
    expect(bytes).toBeLessThanOrEqual(3.9e6)
  })

  it('names the release that a company has to use, and holds its workflows', () => {
    const said: unknown = JSON.parse(readFileSync(join(installed, 'dist/release.json'), 'utf8'))
    expect(said).toEqual({
      ...packedRelease,
      version,
      package: name,
      commit: expect.stringMatching(packedRelease.commit),
    })
    const workflows = readdirSync(join(installed, '.github/workflows'))
    expect(workflows).toEqual(expect.arrayContaining(['watch.yml', 'nightly.yml']))
    expect(workflows).not.toContain('ci.yml')
  })

  it.runIf(isComplete)('brings no package that only a checkout needs, and runs no script', () => {
    const names = Object.keys(lock(join(project, 'package-lock.json')))
    expect(names).toContain('node_modules/@fundpress/cli')
    expect(onlyOfCheckout).toEqual(expect.arrayContaining(['esbuild', '@swc/wasm', 'vitest']))
    expect(onlyOfCheckout.filter((each) => names.includes(`node_modules/${each}`))).toEqual([])
    expect(names.filter((each) => /esbuild|swc|scarf/.test(each))).toEqual([])
    expect(installation).toMatch(/^added \d+ packages/m)
    // npm begins what a script writes with its name.
    expect(installation).not.toMatch(/^> /m)
  })

  it('depends on nothing that reports installations, or runs a script that is not listed here', () => {
    const ofCheckout = Object.entries(locked)
    expect(ofCheckout.filter(([name]) => name.includes('scarf'))).toEqual([])
    const withScripts = ofCheckout.filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript)
    expect(withScripts.map(([name]) => name)).toEqual(['node_modules/better-sqlite3'])
  })

  it('sets nights up with the package of npm; one that another repository releases has to be named', async () => {
    const others = Object.fromEntries(
      Object.entries(answers.aws).filter(([answer]) => answer !== 'package' && answer !== 'action'),
    )
    const dest = folder.file('nights')
    const words = ['setup', 'aws', '--yes', '--dest', dest, ...flagsOf(others)]
    execute(program, words, project)
    expect(readFileSync(join(dest, 'SETUP.md'), 'utf8')).toContain(
      `npm install --global '${name}@${version}'\n`,
    )
    const elsewhere = [...words, '--action', `other/fork@1.2.3#${'a'.repeat(40)}`]
    await expectFailure(
      ended(spawn(program, elsewhere, { cwd: project })),
      'these answers are missing: --package <file>',
      2,
    )
  })

  it('makes a database, builds it with threads, and gives the same snapshot as the checkout', async () => {
    execute(program, 'init --demo --funds 2 --years 1 --until 2026-11-19'.split(' '), project)
    const build = 'build --db data/demo.sqlite --as-of 2026-11-20 --jobs 2 --json'.split(' ')
    const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
    const again = await expectSuccess(run([...build, '--out', 'again'], { cwd: project, env }))
    const { snapshot } = JSON.parse(again) as Summary
    const summary = JSON.parse(execute(program, build, project)) as Summary
    expect(summary).toMatchObject({ funds: 2, snapshot })
  })

  it.each([
    'cloudflare --bucket fund-data',
    'cloudfront --bucket fund-data --region eu-central-1',
    'nginx --bucket fund-data --port 8081',
  ])('writes the edge of a checkout, byte for byte: %s', async (platform) => {
    execute(program, `edge ${platform} --dest packed`.split(' '), project)
    await expectSuccess(run(`edge ${platform} --dest made`, { cwd: project }))
    expect(hashesOf(join(project, 'packed'))).toEqual(hashesOf(join(project, 'made')))
  })

  it.runIf(isComplete)('runs a night into a folder and one into S3, and tells what is live', async () => {
    const s3 = await startS3({ buckets: ['fund-data'] })
    const env = { ...userEnvironment(), ...credentials, FUNDPRESS_BASE_URL: 'https://api.example.com' }
    const fundpress = (...words: readonly string[]) =>
      expectSuccess(ended(spawn(program, words, { cwd: project, env })))
    await fundpress('init', '--demo', '--funds', '2', '--years', '1', '--db', 'night.sqlite')
    const places = [['--bucket', `file://${folder.file('bucket')}`], bucketArgs(s3.endpoint, 'fund-data')]
    for (const place of places) {
      expect(await fundpress('nightly', '--db', 'night.sqlite', ...place)).toContain('is live in blue')
      const status: unknown = JSON.parse(await fundpress('status', '--json', ...place))
      expect(status).toMatchObject({ live: { funds: 2, slot: 'blue' }, consistency: { downloads: 'whole' } })
    }
    await s3.stop()
  })
})
