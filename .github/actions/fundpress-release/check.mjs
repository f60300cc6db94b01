/**
 * Refuses a tag that must not become a release. Outputs: `version`, `dist-tag` (of npm) and `prerelease` (true or false).
 * The checkout has to have all branches and tags.
 */

import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { changelog, sectionOf } from './changelog.mjs'
import { fail, listReleases, parseJson, releaseTag } from './tags.mjs'

const { GITHUB_REF_NAME: tag = '', GITHUB_OUTPUT = '' } = process.env

const refusal = findRefusal()
if (refusal === null) {
  const isPrerelease = tag.includes('-')
  const outputs = [
    `version=${tag.slice(1)}`,
    `dist-tag=${isPrerelease ? 'next' : 'latest'}`,
    `prerelease=${String(isPrerelease)}`,
  ]
  appendFileSync(GITHUB_OUTPUT, `${outputs.join('\n')}\n`)
} else fail(`${tag}: ${refusal}`)

/** @returns {string | null} why this tag is no release, and what to do */
function findRefusal() {
  if (!releaseTag.test(tag)) return 'a release is v1.2.3, a pre-release v1.2.3-rc.1'
  for (const file of ['package.json', 'package-lock.json']) {
    const { version } = /** @type {{ version: string }} */ (parseJson(readFileSync(file, 'utf8')))
    if (`v${version}` !== tag)
      return `${file} of the tagged commit has version ${version}: run npm version, commit, and tag that commit`
  }
  const isOnMain = spawnSync('git', ['merge-base', '--is-ancestor', 'HEAD', 'origin/main']).status === 0
  if (!isOnMain) return 'the tagged commit is not on main: merge it first'
  // Otherwise the tags that move (latest, 1, 1.2) would go back to an older version.
  const [newest = ''] = listReleases()
  if (newest !== tag)
    return `${newest} is newer: give this release a higher version. If ${newest} never became a release, an owner can delete that tag`
  return findUnpinned() ?? findUndescribed()
}

/** @returns {string | null} a base image that can change under its tag: nobody could build the same image again */
function findUnpinned() {
  const files = readdirSync('templates', { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('Dockerfile')))
    for (const line of readFileSync(`templates/${file}`, 'utf8').split('\n')) {
      const [, image = ''] = /^\s*FROM\s+(?:--\S+\s+)*(\S+)/i.exec(line) ?? []
      // An argument is the image that whoever builds it names.
      if (image !== '' && !image.startsWith('$') && !/@sha256:[0-9a-f]{64}$/.test(image))
        return `templates/${file} has "FROM ${image}" without a digest: write ${image.replace(/@.*/, '')}@sha256:…, as .github/CONTRIBUTING.md says below "Make a release", commit, and tag that commit`
    }
  return null
}

/** @returns {string | null} */
function findUndescribed() {
  return sectionOf(tag) === ''
    ? `${changelog} has no section "## ${tag.slice(1).replace(/-.*/, '')}", which becomes its notes: write what operators must know, and tag that commit`
    : null
}
