/** The scripts of `release.yml` in their order, with stand-ins for what needs the network, and the rights of its jobs. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readWorkflow } from '../support/github/files.ts'
import { makeCheckout, type Checkout } from '../support/github/steps.ts'
import { repository } from '../support/product.ts'
import { lacksAny } from '../support/programs.ts'
import { commitVersion, gitIn, integrityOf, writeStandIns } from './release.ts'

const { on, jobs, permissions } = readWorkflow('.github/workflows/release.yml')
type Texts = Readonly<Record<string, string>>

describe.skipIf(lacksAny('bash', 'find', 'jq', 'tar', 'xargs'))('a release', () => {
  let checkout: Checkout
  let state: string
  let sums: string
  const own = (name: string) => checkout.file(`release/${name}`)
  const tarball = () => own('fundpress-cli-1.0.0.tgz')
  /** Runs the script of a job that has these words. */
  const run = (job: string, words: string, given: Texts = {}, more: Texts = {}) => {
    const step = jobs[job]?.steps.find((one) => one.run?.includes(words))
    return checkout.run(step, given, more, checkout.root)
  }
  const calls = () => (existsSync(join(state, 'calls')) ? readFileSync(join(state, 'calls'), 'utf8') : '')
  /** The calls of some work, each by its first words. */
  const during = async (work: () => Promise<unknown>) => {
    const before = calls().length
    await work()
    const lines = calls().slice(before).trimEnd().split('\n')
    return lines.map((line) => /^(docker buildx (imagetools )?|gh release |\w+ )[\w-]+/.exec(line)?.[0])
  }

  beforeAll(async () => {
    checkout = makeCheckout()
    state = checkout.file('state')
    writeStandIns(checkout.bin, state)
    for (const name of ['package.json', 'package-lock.json', 'README.md', 'templates']) {
      rmSync(checkout.file(name), { force: true })
      // Packing changes them.
      cpSync(join(repository, name), checkout.file(name), { recursive: true })
    }
    // notes.mjs asks for earlier tags.
    gitIn(checkout.root, 'init', '--quiet')
    commitVersion(checkout.root, '1.0.0')
    for (const words of ['npm pack', 'sbom.sh', 'sums.sh'])
      sums = (await run('pack', words, {}, { GITHUB_REF_NAME: 'v1.0.0' })).outputs['sums'] ?? ''
  })
  afterAll(() => checkout.remove())

  it('has one file with digests, notes and a list of what it is made of, and its links lead to its repository', () => {
    expect(readdirSync(own('')).sort()).toEqual([
      'SHA256SUMS',
      'fundpress-1.0.0.cdx.json',
      'fundpress-cli-1.0.0.tgz',
      'notes.md',
      'package-lock.json',
    ])
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: own('') })
    expect(readFileSync(own('notes.md'), 'utf8')).toMatch(/^The first release\./)
    const packed = execFileSync('tar', ['-xzOf', tarball(), 'package/package.json'], { encoding: 'utf8' })
    expect(JSON.parse(packed)).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.example/owner/funds.git' },
      homepage: 'https://github.example/owner/funds#readme',
    })
  })

  it('stops where the files are not those that were packed: another one would be published, too', async () => {
    const name = 'Check that these are the files that were packed, and no others'
    const check = () => checkout.runOf('fundpress-release', name, { SUMS: sums }, {}, checkout.root)
    expect(await check()).toMatchObject({ code: 0 })
    writeFileSync(own('a.tgz'), 'other code')
    expect(await check()).toMatchObject({
      code: 1,
      log: expect.stringContaining('somebody has changed it') as string,
    })
    rmSync(own('a.tgz'))
  })

  it('goes to npm once, and not while npm has another file of this version', async () => {
    const publish = () => run('npm', 'publish.mjs', { DIST_TAG: 'latest' })
    expect(await during(publish)).toEqual(['npm view', 'npm publish'])
    writeFileSync(join(state, 'integrity'), JSON.stringify(integrityOf(tarball())))
    expect((await publish()).log).toContain('it is this file')
    writeFileSync(join(state, 'integrity'), '"sha512-x"')
    expect(await publish()).toMatchObject({
      code: 1,
      log: expect.stringContaining('npm has another @fundpress/cli@1.0.0 (sha512-x, ') as string,
    })
    expect(await during(publish)).toEqual(['npm view'])
  })

  it('is in an image, whose tags that move come after the signature, and which is built once', async () => {
    const image = (PRERELEASE: string) => run('image', 'image.sh', { VERSION: '1.0.0', PRERELEASE })
    const after = ['docker run', 'cosign sign']
    const built = [
      'docker buildx imagetools inspect',
      'docker buildx build',
      'docker buildx imagetools inspect',
    ]
    expect(await during(() => image('false'))).toEqual([
      ...built,
      ...after,
      'docker buildx imagetools create',
    ])
    expect((await image('true')).outputs['image']).toMatch(/^ghcr\.io\/owner\/fundpress@sha256:/)
    expect(await during(() => image('true'))).toEqual(['docker buildx imagetools inspect', ...after])
    expect(readFileSync(join(state, 'context'), 'utf8')).toBe('fundpress-cli-1.0.0.tgz\npackage-lock.json\n')
  })

  it('is published on GitHub with its signed digests and the image in its notes, and only once', async () => {
    await run('sign', 'cosign sign-blob')
    mkdirSync(checkout.file('signature'), { recursive: true })
    cpSync(own('SHA256SUMS.sigstore.json'), checkout.file('signature/SHA256SUMS.sigstore.json'))
    // What is signed are these digests.
    const signed = execFileSync('sha256sum', ['SHA256SUMS'], { cwd: own(''), encoding: 'utf8' })
    expect(readFileSync(own('SHA256SUMS.sigstore.json'), 'utf8').slice(0, 64)).toBe(signed.slice(0, 64))
    const given = { GH_TOKEN: 'token', PRERELEASE: 'false', IMAGE: 'ghcr.io/owner/fundpress@sha256:1' }
    const release = () => run('release', 'release.sh', given, { GITHUB_REF_NAME: 'v1.0.0' })
    expect(await during(release)).toEqual([
      'gh release list',
      'gh release create',
      'gh release upload',
      'gh release edit',
    ])
    expect(readFileSync(own('notes.md'), 'utf8')).toContain('\nThe image: ghcr.io/owner/fundpress@sha256:1\n')
    expect(calls()).toMatch(/^gh release create v1\.0\.0 --draft --verify-tag --prerelease=false /m)
    expect(calls()).toMatch(/^gh release upload v1\.0\.0 .* signature\/SHA256SUMS\.sigstore\.json$/m)
    writeFileSync(join(state, 'draft'), 'false\n')
    expect(await during(release)).toEqual(['gh release list'])
  })
})

describe('the rights of a release', () => {
  it('are used for tags of versions only', () => {
    const number = '[0-9]+'
    const version = `v${number}.${number}.${number}`
    expect(on).toEqual({ push: { tags: [version, `${version}-rc.${number}`] } })
    expect(jobs['check']?.if).toContain("vars.FUNDPRESS_RELEASES == 'true'")
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
    const needs = (id: string): readonly string[] => [jobs[id]?.needs ?? []].flat()
    const gated = Object.entries(jobs).filter(([, { environment }]) => environment === 'release')
    expect(gated.map(([id]) => id)).toEqual(['npm'])
    expect(needs('npm')).toEqual(['check', 'pack', 'try'])
    for (const id of ['image', 'sign']) expect(needs(id)).toContain('npm')
    expect(needs('release')).toEqual(['check', 'pack', 'image', 'sign'])
  })
})
