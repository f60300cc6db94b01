/** What decides on a release and describes it: the check of its tag, its notes, and what .github says of it. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { execute } from '../support/package.ts'
import { repository, tempFolder } from '../support/product.ts'
import { lacksAny } from '../support/programs.ts'
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
  let path: string
  beforeAll(() => {
    path = makeRepository('check')
    commitVersion(path, '1.1.0-rc.1')
  })
  const checked = (tag: string) => {
    gitIn(path, 'tag', '--force', tag)
    return runScript(path, script('check.mjs'), tag)
  }
  const refused = (said: string) => ({ code: 1, stdout: expect.stringContaining(said) as string })

  it('accepts the version of the package on main, as a release or a pre-release', () => {
    const outputs = 'version=1.1.0\ndist-tag=latest\nprerelease=false\n'
    const ofCandidate = 'version=1.1.0-rc.1\ndist-tag=next\nprerelease=true\n'
    expect(checked('v1.1.0-rc.1')).toEqual({ code: 0, stdout: '', outputs: ofCandidate })
    commitVersion(path, '1.1.0')
    expect(checked('v1.1.0')).toEqual({ code: 0, stdout: '', outputs })
  })

  it.each(['v1.1', '1.1.0', 'v1.1.0-beta.1', 'v1.1.0-rc.1.2', 'v1.1.0+build'])(
    'refuses the form %s',
    (tag) => {
      expect(checked(tag)).toMatchObject(refused(`${tag}: a release is v1.2.3`))
    },
  )

  it('refuses another version than that of the package, one without a section in the changelog, and a branch', () => {
    expect(checked('v1.3.0')).toMatchObject(refused('package.json of the tagged commit has version 1.1.0: '))
    commitVersion(path, '1.3.0')
    expect(checked('v1.3.0')).toMatchObject(refused('.github/CHANGELOG.md has no section "## 1.3.0"'))
    gitIn(path, 'update-ref', 'refs/remotes/origin/main', 'v1.0.0')
    expect(checked('v1.3.0')).toMatchObject(refused('is not on main'))
  })

  it.each(['node:24', 'node:24@sha256:0'])('refuses a base image without a digest: %s', (image) => {
    commitVersion(path, '1.4.0')
    writeBaseImage(path, image)
    const said = `templates/container/Dockerfile has "FROM ${image}" without a digest: write node:24@sha256:`
    expect(checked('v1.4.0')).toMatchObject(refused(said))
    writeBaseImage(path, pinned)
  })

  it('refuses a version after a newer one: tags that move would go back', () => {
    // It is no release.
    gitIn(path, 'tag', 'v9')
    gitIn(path, 'tag', 'v1.10.0-rc.10')
    for (const version of ['1.9.0', '1.10.0-rc.2']) {
      commitVersion(path, version)
      expect(checked(`v${version}`)).toMatchObject(refused('v1.10.0-rc.10 is newer'))
    }
  })
})

it('`npm version` gives the next release to all templates that name one', ({ skip }) => {
  skip(lacksAny('grep', 'xargs', 'perl'), 'needs grep, xargs, perl')
  const checkout = folder.file('version')
  const paths = [
    'package.json',
    'package-lock.json',
    ...['container', 'kubernetes'].map((of) => `templates/${of}`),
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

it('RELEASES.md trusts signatures of the workflow of a release, and of nothing else', () => {
  const text = readFileSync(join(repository, '.github/RELEASES.md'), 'utf8')
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
    identity('tags/v1.0.0', 'nightly.yml'),
    identity('tags/v1.0.0', 'release.yml', 'NAME2'),
  ])
    expect(wrong).not.toMatch(trusted)
})
