/** What decides on a release and describes it: the check of its tag, its notes, and what .github says of it. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { readWorkflow } from '../support/github/files.ts'
import { execute } from '../support/package.ts'
import { repository, tempFolder } from '../support/product.ts'
import { filesIn } from '../support/tree.ts'
import { commitVersion, gitIn, runScript } from './release.ts'

const script = (name: string) => join(repository, '.github/actions/fundpress-release', name)
const folder = tempFolder()
/** Of the repository that `runScript` names. */
const web = 'https://github.example/owner/funds'

/** A repository with one release. @returns its folder */
function makeRepository(name: string): string {
  const path = folder.file(`${name}/repository`)
  mkdirSync(join(path, '.github'), { recursive: true })
  gitIn(path, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(
    join(path, '.github/CHANGELOG.md'),
    '# Changelog\n\n## 1.1.0\n\nMore. [How](../README.md); [what is stable](RELEASES.md#stable).\n\n### Upgrade\n\nNothing to do.\n\n## 1.0.0\n\nThe first.\n',
  )
  writeBaseImage(path, pinned)
  gitIn(path, 'add', '.')
  commitVersion(path, '1.0.0')
  gitIn(path, 'tag', 'v1.0.0')
  return path
}

const pinned = `node:24@sha256:${'0'.repeat(64)}`
function writeBaseImage(path: string, image: string): void {
  mkdirSync(join(path, 'templates/container'), { recursive: true })
  const text = `FROM --platform=$BUILDPLATFORM ${image} AS node\nFROM $OWN\n`
  writeFileSync(join(path, 'templates/container/Dockerfile'), text)
}

describe('the check of a tag', () => {
  const checked = (path: string, tag: string) => {
    gitIn(path, 'tag', tag)
    return runScript(path, script('check.mjs'), tag)
  }

  it.each([
    ['v1.1.0', 'version=1.1.0\ndist-tag=latest\nprerelease=false\n'],
    ['v1.1.0-rc.1', 'version=1.1.0-rc.1\ndist-tag=next\nprerelease=true\n'],
  ])('accepts %s on main, if that is the version of the package', (tag, outputs) => {
    const path = makeRepository(`good-${tag}`)
    commitVersion(path, tag.slice(1))
    expect(checked(path, tag)).toEqual({ code: 0, stdout: '', outputs })
  })

  it('refuses every other form', () => {
    const path = makeRepository('forms')
    commitVersion(path, '1.1.0')
    for (const tag of ['v1.1', '1.1.0', 'v1.1.0-beta.1', 'v1.1.0-rc.1.2', 'v1.1.0+build'])
      expect(checked(path, tag)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(`${tag}: a release is v1.2.3`),
      })
  })

  it('refuses a version that is not that of the package', () => {
    const path = makeRepository('other-version')
    commitVersion(path, '1.1.0')
    const said = 'package.json of the tagged commit has version 1.1.0: '
    expect(checked(path, 'v1.2.0')).toMatchObject({ code: 1, stdout: expect.stringContaining(said) })
  })

  it('refuses a version of which the changelog says nothing', () => {
    const path = makeRepository('unsaid')
    commitVersion(path, '1.1.1')
    const said = '.github/CHANGELOG.md has no section "## 1.1.1"'
    expect(checked(path, 'v1.1.1')).toMatchObject({ code: 1, stdout: expect.stringContaining(said) })
  })

  it('refuses a commit that is not on main', () => {
    const path = makeRepository('branch')
    commitVersion(path, '1.1.0')
    gitIn(path, 'update-ref', 'refs/remotes/origin/main', 'v1.0.0')
    expect(checked(path, 'v1.1.0')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('is not on main'),
    })
  })

  it.each(['node:24', 'node', 'node:24@sha256:0'])('refuses a base image without a digest: %s', (image) => {
    const path = makeRepository(`image-${image.replace(/\W/g, '-')}`)
    writeBaseImage(path, image)
    commitVersion(path, '1.1.0')
    const said = `templates/container/Dockerfile has "FROM ${image}" without a digest: write ${image.replace(/@.*/, '')}@sha256:`
    expect(checked(path, 'v1.1.0')).toMatchObject({ code: 1, stdout: expect.stringContaining(said) })
  })

  it.each([
    ['v1.9.0', 'v1.10.0'],
    ['v1.1.0-rc.2', 'v1.1.0-rc.10'],
  ])('refuses %s after %s: tags that move would go back', (tag, newer) => {
    const path = makeRepository(`newer-${tag}`)
    gitIn(path, 'tag', newer)
    // No release.
    gitIn(path, 'tag', 'v2')
    commitVersion(path, tag.slice(1))
    expect(checked(path, tag)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${newer} is newer`),
    })
  })
})

it('`npm version` gives the next release to all templates that name one', () => {
  const checkout = folder.file('version')
  const paths = [
    'package.json',
    'package-lock.json',
    ...['aws-batch', 'container', 'kubernetes'].map((of) => `templates/${of}`),
  ]
  for (const path of paths) cpSync(join(repository, path), join(checkout, path), { recursive: true })
  // 3.5.0 is also in a rule of summer time, M3.5.0.
  for (const version of ['3.5.0', '12.34.56-rc.7'])
    execute('npm', ['version', version, '--no-git-tag-version'], checkout)
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Record<
    'version',
    string
  >
  const textsIn = (root: string) =>
    filesIn(join(root, 'templates'))
      .filter((file) => existsSync(join(checkout, 'templates', file)))
      .map((file) => readFileSync(join(root, 'templates', file), 'utf8'))
  // No other text looks like one.
  const versions = textsIn(repository).flatMap(
    (text) => text.match(/(?<![\w.])\d+\.\d+\.\d+(?!\.?\d)/g) ?? [],
  )
  expect([...new Set(versions)]).toEqual([version])
  expect(textsIn(checkout)).toEqual(
    textsIn(repository).map((text) => text.replaceAll(version, '12.34.56-rc.7')),
  )
  expect(readFileSync(join(checkout, 'templates/kubernetes/base/watch.yaml'), 'utf8')).toContain(
    '/fundpress:12.34.56-rc.7\n',
  )
})

describe('the notes', () => {
  let path: string
  const notes = (tag: string) => {
    gitIn(path, 'checkout', '--quiet', tag)
    const { code, stdout } = runScript(path, script('notes.mjs'), tag)
    expect(code).toBe(0)
    return stdout
  }
  const verification = (tag: string) =>
    `How to check these files: [Verify a release](${web}/blob/${tag}/.github/RELEASES.md#verify-a-release).\n`
  beforeAll(() => {
    path = makeRepository('notes')
    for (const tag of ['v1.1.0-rc.1', 'v1.1.0']) {
      gitIn(path, 'commit', '--quiet', '--allow-empty', '--message', `For whoever reads the log: ${tag}`)
      gitIn(path, 'tag', tag)
    }
  })

  it('of a release are its section of the changelog, with links into its tag, and no commits', () => {
    expect(notes('v1.1.0')).toBe(
      `More. [How](${web}/blob/v1.1.0/README.md); [what is stable](${web}/blob/v1.1.0/.github/RELEASES.md#stable).\n\n` +
        '### Upgrade\n\nNothing to do.\n\n' +
        `[All changes since v1.0.0](${web}/compare/v1.0.0...v1.1.0)\n\n${verification('v1.1.0')}`,
    )
  })

  it('of a pre-release are the section of its release, with the changes since the tag before it', () => {
    const text = notes('v1.1.0-rc.1')
    expect(text).toMatch(/^More\. /)
    expect(text).toContain(`(${web}/compare/v1.0.0...v1.1.0-rc.1)`)
  })

  it('of the first release name no changes: these would be all', () => {
    expect(notes('v1.0.0')).toBe(`The first.\n\n${verification('v1.0.0')}`)
  })
})

describe('CHANGELOG.md', () => {
  it('has a section for the version of the package, and none twice', () => {
    const text = readFileSync(join(repository, '.github/CHANGELOG.md'), 'utf8')
    const versions = [...text.matchAll(/^## (.*)$/gm)].map(([, version]) => version)
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Record<
      'version',
      string
    >
    expect(versions).toContain(version.replace(/-.*/, ''))
    expect([...new Set(versions)]).toEqual(versions)
  })
})

describe('RELEASES.md', () => {
  const text = readFileSync(join(repository, '.github/RELEASES.md'), 'utf8')

  it('trusts signatures of the workflow of a release, and of nothing else', () => {
    const [of, ...others] = [...text.matchAll(/--certificate-identity-regexp '(.*)'/g)].map(
      ([, each = '']) => each,
    )
    expect(others).toEqual([of])
    const trusted = new RegExp(of ?? '')
    const identity = (tag: string, file = 'release.yml', name = 'NAME') =>
      `https://github.com/OWNER/${name}/.github/workflows/${file}@refs/${tag}`
    for (const tag of ['tags/v1.0.0', 'tags/v1.20.3-rc.1']) expect(identity(tag)).toMatch(trusted)
    for (const wrong of [
      ...['heads/main', 'tags/v1', 'tags/v1.0.0-x', 'pull/1/merge', 'heads/tags/v1.0.0'].map((ref) =>
        identity(ref),
      ),
      ...[identity('tags/v1.0.0', 'nightly.yml'), identity('tags/v1.0.0', 'release.yml', 'NAME2')],
    ])
      expect(wrong).not.toMatch(trusted)
  })

  it('names the versions of Node that a change, and a release, are tried on', () => {
    const matrices = ['ci.yml', 'release.yml'].map((file) => {
      const { jobs } = parse(readFileSync(join(repository, '.github/workflows', file), 'utf8')) as ReturnType<
        typeof readWorkflow
      >
      return (jobs['test'] ?? jobs['try'])?.strategy?.matrix['node']
    })
    expect(matrices).toEqual([
      [22, 24],
      [22, 24],
    ])
    expect(text).toContain('22 (from 22.18) and 24')
    const { engines } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    expect(engines).toEqual({ node: '>=22.18' })
  })
})
