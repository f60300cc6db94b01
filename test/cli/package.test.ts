/** The package as npm makes it: installed into an empty project, it runs without the checkout. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { execute, packCheckout, packedRelease } from '../support/package.ts'
import { repository, tempFolder } from '../support/product.ts'
import { isComplete } from '../support/rounds.ts'
import { run } from './run.ts'
import { expectSuccess } from './outcome.ts'

const folder = tempFolder()
const project = folder.file('project')
const installed = join(project, 'node_modules/@fundpress/cli')

type Summary = Readonly<Record<string, unknown>>
type Packages = Readonly<Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>>

beforeAll(() => {
  const tarball = packCheckout(folder.path, isComplete)
  expect(existsSync(folder.file('checkout/dist'))).toBe(false)
  cpSync(tarball, join(project, 'fundpress.tgz'))
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  if (isComplete) {
    execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', './fundpress.tgz'], project)
    return
  }
  // What npm does, with the packages of this checkout instead of installed ones.
  const programs = join(project, 'node_modules/.bin')
  for (const made of [installed, programs]) mkdirSync(made, { recursive: true })
  execute('tar', ['-xzf', '../../fundpress.tgz', '--strip-components=1'], installed)
  symlinkSync(join(repository, 'node_modules'), folder.file('node_modules'), 'junction')
  symlinkSync('../@fundpress/cli/dist/cli/fundpress.mjs', join(programs, 'fundpress'))
  chmodSync(join(programs, 'fundpress'), 0o755)
})

describe('the installed package', () => {
  it('holds what runs, but neither sources nor tests', () => {
    const names = ['.github', 'LICENSE', 'README.md', 'dist', 'package.json', 'templates']
    expect(readdirSync(installed).sort()).toEqual(names)
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => name.endsWith('.ts'))).toEqual([])
    expect(files).not.toContain(join('cli', 'generate.js'))
  })

  it('names the release that a company has to use, and holds its workflows', () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    const release: unknown = JSON.parse(readFileSync(join(installed, 'dist/release.json'), 'utf8'))
    expect(release).toEqual({
      ...packedRelease,
      version,
      commit: expect.stringMatching(packedRelease.commit),
    })
    const workflows = readdirSync(join(installed, '.github/workflows'))
    expect(workflows).toEqual(expect.arrayContaining(['guard.yml', 'nightly.yml']))
    expect(workflows).not.toContain('ci.yml')
  })

  const lock = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages }).packages

  it.runIf(isComplete)('brings nothing that reports installations to a third party', () => {
    const names = Object.keys(lock(join(project, 'package-lock.json')))
    expect(names).toContain('node_modules/@fundpress/cli')
    expect(names.filter((name) => /scarf|swagger-ui/.test(name))).toEqual([])
    expect(readdirSync(join(project, 'node_modules'))).not.toContain('@scarf')
  })

  it('depends on nothing that reports installations, or runs a script that nobody has looked at', () => {
    const ofCheckout = Object.entries(lock(join(repository, 'package-lock.json')))
    expect(ofCheckout.filter(([name]) => name.includes('scarf'))).toEqual([])
    const withScripts = ofCheckout.filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript)
    expect(withScripts.map(([name]) => name)).toEqual(['node_modules/better-sqlite3', 'node_modules/esbuild'])
  })

  it('answers `npx @fundpress/cli --version`', () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    expect(execute('npx', ['--no-install', '@fundpress/cli', '--version'], project)).toBe(`${version}\n`)
  })

  it('makes a database, builds it with threads, and gives the same snapshot as the checkout', async () => {
    const program = join(project, 'node_modules/.bin/fundpress')
    execute(program, 'demo --funds 2 --years 1 --until 2026-11-19'.split(' '), project)
    const build = 'build --db data/demo.sqlite --as-of 2026-11-20 --jobs 2 --json'.split(' ')
    const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
    const again = await expectSuccess(run([...build, '--out', 'again'], { cwd: project, env }))
    const { snapshot } = JSON.parse(again) as Summary
    const summary = JSON.parse(execute(program, build, project)) as Summary
    expect(summary).toMatchObject({ funds: 2, snapshot })
    // The snapshot's id covers the pages, the explorer and its library among them.
    const library = readFileSync(join(project, 'out/docs/explorer/swagger-ui-bundle.js'), 'utf8')
    expect(library).toContain('SwaggerUI')
  })
})
