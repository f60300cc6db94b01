/** `release.yml`, step by step, with real git and npm against a registry of the test. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readWorkflow } from '../support/github/files.ts'
import { openRunner, type RanJob, type Runner } from '../support/github/runner.ts'
import { repository, tempFolder } from '../support/product.ts'
import { commitVersion, gitIn, integrityOf, sha256Of, startRegistry, writeStandIns } from './release.ts'
import { logOf, resultsOf } from './workflow-runs.ts'

const folder = tempFolder()

describe('a release', () => {
  let runner: Runner
  let npm: Awaited<ReturnType<typeof startRegistry>>
  const state = folder.file('state')
  const stateOf = (name: string) => readFileSync(join(state, name), 'utf8')
  const calls = () => (existsSync(join(state, 'calls')) ? stateOf('calls').trimEnd().split('\n') : [])
  const callsOf = (start: string) => calls().filter((call) => call.startsWith(start))
  type Jobs = Readonly<Record<string, RanJob>>
  const release = (tag: string, earlier: Jobs = {}) => {
    const vars = { FUNDPRESS_RELEASES: 'true' }
    const given = { api: npm.base, vars, credentials: {}, ref: tag } as const
    return runner.run('release.yml', given, earlier)
  }
  const all = (result: string) =>
    Object.fromEntries(
      Object.keys(readWorkflow('.github/workflows/release.yml').jobs).map((id) => [id, result]),
    )

  /** The first release, whose files later tests use again. */
  let first: Jobs
  beforeAll(async () => {
    runner = openRunner()
    npm = await startRegistry()
    writeStandIns(runner.bin, state, npm.base)
    const root = runner.checkout.path
    for (const name of ['package.json', 'package-lock.json']) {
      rmSync(join(root, name), { force: true })
      const text = readFileSync(join(repository, name), 'utf8')
      writeFileSync(join(root, name), text.replace(/"provenance": true/, '"provenance": false'))
    }
    // Packing changes the documents.
    for (const name of ['README.md', 'templates']) {
      rmSync(join(root, name), { force: true })
      cpSync(join(repository, name), join(root, name), { recursive: true })
    }
    const dockerfile = join(root, 'templates/container/Dockerfile')
    const unpinned = readFileSync(dockerfile, 'utf8')
    writeFileSync(dockerfile, unpinned.replace(/-slim(?!@)/g, `-slim@sha256:${'0'.repeat(64)}`))
    mkdirSync(join(root, '.ci'))
    writeFileSync(join(root, '.ci/run'), '#!/bin/sh\necho "1 passed, 0 failed"\n', { mode: 0o755 })
    gitIn(root, 'init', '--quiet', '--initial-branch=main')
    commitVersion(root, '1.0.0')
    gitIn(root, 'tag', 'v1.0.0')
  })
  afterAll(async () => {
    runner.remove()
    await npm.stop()
  })

  it('does not begin in a fork that is not set up', async () => {
    const ran = await runner.run('release.yml', { api: npm.base, vars: {}, credentials: {}, ref: 'v1.0.0' })
    expect(resultsOf(ran)).toEqual(all('skipped'))
  })

  it('is tried on two versions of Node, and then on npm, among the images, signed and on GitHub', async () => {
    first = await release('v1.0.0')
    const log = logOf(first)
    expect([resultsOf(first), log]).toEqual([all('success'), expect.stringContaining('1 passed')])
    expect(log.match(/^live +\S+ in blue$/gm)).toHaveLength(2)
    const started = calls().filter((call) => !/inspect|release list/.test(call))
    expect(started.map((call) => call.split(' ').slice(0, 3).join(' ').replace(/ -.*/, ''))).toEqual([
      ...['npm ci', 'npm pkg set', 'npm pack', 'npm install', 'npm sbom', 'npm install', 'npm install'],
      ...['npm view @fundpress/cli@1.0.0', expect.stringContaining('npm publish /')],
      // The tags that move come after the signature.
      ...['docker login ghcr.io', 'docker buildx build', 'docker run', 'cosign sign'],
      'docker buildx imagetools',
      ...['cosign sign-blob', 'gh release create', 'gh release upload', 'gh release edit'],
    ])
  })

  it('has one file, which npm, the image and GitHub share, with digests and a list of what it is made of', () => {
    const attached = join(state, 'files')
    const names = [
      'SHA256SUMS',
      'SHA256SUMS.sigstore.json',
      'fundpress-1.0.0.cdx.json',
      'fundpress-cli-1.0.0.tgz',
      'package-lock.json',
    ]
    expect(readdirSync(attached).sort()).toEqual(names)
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: attached })
    // What was signed are these digests.
    expect(stateOf('files/SHA256SUMS.sigstore.json')).toContain(sha256Of(join(attached, 'SHA256SUMS')))
    const tarball = join(attached, 'fundpress-cli-1.0.0.tgz')
    expect(npm.registry.published?.versions['1.0.0']?.dist.integrity).toBe(integrityOf(tarball))
    expect([stateOf('context'), sha256Of(join(state, 'image.tgz'))]).toEqual([
      'fundpress-cli-1.0.0.tgz\npackage-lock.json\n',
      sha256Of(tarball),
    ])
    const packed = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
    expect(JSON.parse(packed)).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.example/owner/funds.git' },
      homepage: 'https://github.example/owner/funds#readme',
      bugs: 'https://github.example/owner/funds/issues',
    })
  })

  it('has tags for the image of that version, its minor and its major, and notes with its digest', () => {
    const digest = stateOf('image-1.0.0')
    const image = 'ghcr.io/owner/fundpress'
    expect(callsOf('docker buildx imagetools create')).toEqual([
      `docker buildx imagetools create --tag ${image}:1.0 --tag ${image}:1 ${image}@${digest}`,
    ])
    expect(callsOf('cosign sign ')).toEqual([`cosign sign --yes --recursive ${image}@${digest}`])
    const [build = ''] = callsOf('docker buildx build')
    expect(build).toMatch(/--platform linux\/amd64,linux\/arm64 .*--provenance mode=max --sbom true/)
    expect(stateOf('notes.md')).toMatch(/^The first release\./)
    expect(stateOf('notes.md')).toContain(`${image}@${digest}`)
    expect(callsOf('gh release create')[0]).toContain(' --draft --verify-tag --prerelease=false ')
    expect([npm.registry.published?.['dist-tags'], stateOf('draft')]).toEqual([
      { latest: '1.0.0' },
      'false\n',
    ])
  })

  /** Packed and tried already. */
  const tried = () => ({ check: first['check'], pack: first['pack'], try: first['try'] }) as Jobs

  it('changes nothing if it runs again', async () => {
    const before = calls().length
    const again = await release('v1.0.0', tried())
    expect([resultsOf(again), logOf(again)]).toEqual([
      all('success'),
      expect.stringContaining('it is this file'),
    ])
    const changing = /publish |buildx build|release (create|upload|edit)/
    expect(
      calls()
        .slice(before)
        .filter((call) => changing.test(call)),
    ).toEqual([])
    expect(npm.registry.puts).toBe(1)
  })

  it('publishes nothing while npm has another file of this version', async () => {
    const { published } = npm.registry
    npm.registry.published = { 'dist-tags': {}, versions: { '1.0.0': { dist: { integrity: 'sha512-x' } } } }
    const before = calls().length
    const ran = await release('v1.0.0', tried())
    npm.registry.published = published
    expect([resultsOf(ran), logOf(ran)]).toEqual([
      { ...all('skipped'), ...resultsOf(tried()), npm: 'failure' },
      expect.stringContaining('npm has another @fundpress/cli@1.0.0 (sha512-x, '),
    ])
    expect(calls().slice(before)).toEqual([expect.stringContaining('npm view')])
  })

  it('stops where the files are not those that were packed: another one would be published, too', async () => {
    const beside = join(runner.uploads, 'release/a.tgz')
    writeFileSync(beside, 'other code')
    const ran = await release('v1.0.0', tried())
    rmSync(beside)
    expect(resultsOf(ran)).toEqual({ ...all('skipped'), ...resultsOf(tried()), npm: 'failure' })
    expect(logOf(ran)).toContain('is not what the job "pack" has made')
  })
})

describe('the rights of a release', () => {
  const { on, jobs, permissions } = readWorkflow('.github/workflows/release.yml')

  it('are used for tags of versions only', () => {
    const number = '[0-9]+'
    const version = `v${number}.${number}.${number}`
    expect(on).toEqual({ push: { tags: [version, `${version}-rc.${number}`] } })
  })

  it('are those that each job needs: only npm, the signatures and the release can write anything', () => {
    expect(permissions).toEqual({})
    expect(Object.fromEntries(Object.entries(jobs).map(([id, job]) => [id, job.permissions]))).toEqual({
      check: { contents: 'read' },
      pack: { contents: 'read' },
      try: { contents: 'read' },
      npm: { contents: 'read', 'id-token': 'write' },
      image: { contents: 'read', packages: 'write', 'id-token': 'write' },
      sign: { contents: 'read', 'id-token': 'write' },
      release: { contents: 'write' },
    })
  })

  it('are not with jobs that run code of other packages, and no job keeps a cache that another run can fill', () => {
    const runs = Object.entries(jobs).filter(([, { steps }]) =>
      steps.some(({ run = '' }) => /npm (ci|install)|\.ci\/run/.test(run)),
    )
    expect(runs.map(([id]) => id)).toEqual(['check', 'pack', 'try'])
    const used = Object.values(jobs).flatMap(({ steps }) => steps)
    for (const { uses = '', with: given } of used)
      if (uses.startsWith('actions/setup-node@')) expect(given?.['package-manager-cache']).toBe(false)
  })

  it('to publish have one gate, the environment of npm, and nothing is published before it', () => {
    const gated = Object.entries(jobs).filter(([, { environment }]) => environment === 'release')
    expect(gated.map(([id]) => id)).toEqual(['npm'])
    const needs = (id: string): readonly string[] => [jobs[id]?.needs ?? []].flat()
    const writers = Object.entries(jobs).filter(([, job]) => Object.values(job.permissions).includes('write'))
    for (const [id] of writers.filter(([name]) => name !== 'npm'))
      expect([id, ...needs(id), ...needs(id).flatMap(needs)]).toContain('npm')
  })
})
