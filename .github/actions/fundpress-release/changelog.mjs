/** What .github/CHANGELOG.md says of a version. */

import { readFileSync } from 'node:fs'

export const changelog = '.github/CHANGELOG.md'

/**
 * Finds the section of a release, which is also that of its pre-releases.
 * @param {string} tag @returns {string} without its heading; empty if there is none
 */
export function sectionOf(tag) {
  const [version = ''] = tag.slice(1).split('-')
  const [, ...sections] = readFileSync(changelog, 'utf8').split(/^## /m)
  const section = sections.find((text) => text.startsWith(`${version}\n`))
  return section === undefined ? '' : section.slice(version.length).trim()
}
