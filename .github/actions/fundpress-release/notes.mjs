/**
 * Prints the notes of a release as Markdown: how to upgrade, from RELEASES.md, then the commits since the release before. Those
 * of a release count from the release before it, those of a pre-release from the tag before it.
 */

import { readFileSync } from 'node:fs'
import { absoluteLinks, repository } from './links.mjs'
import { git, listReleases } from './tags.mjs'

const { GITHUB_REF_NAME: tag = '' } = process.env
/** Characters of the list of commits. GitHub takes 125,000 in all, and refuses a release with more. */
const maxLength = 100_000
const [version = ''] = tag.slice(1).split('-')

const [before] = listReleases('--merged', 'HEAD').filter(
  (other) => other !== tag && (tag.includes('-') || !other.includes('-')),
)
const parts = [upgradeNotes(), before === undefined ? '' : changesSince(before), verification()]
process.stdout.write(parts.filter(Boolean).join('\n\n') + '\n')

/** The section of this version in "Upgrade notes". */
function upgradeNotes() {
  const [, ...sections] = readFileSync('.github/RELEASES.md', 'utf8').split(/^### To /m)
  const section = sections.find((text) => text.startsWith(`${version}\n`))
  if (section === undefined) return ''
  const text = section.slice(version.length).split(/^## /m)[0] ?? ''
  return `## Upgrade\n\n${absoluteLinks(text.trim(), '.github/RELEASES.md')}`
}

/** @param {string} from a tag */
function changesSince(from) {
  const log = git('log', '--no-merges', '--reverse', '--format=%H %s', `${from}..HEAD`)
  const lines = log.split('\n').filter(Boolean).map(describe)
  let left = maxLength
  const shown = lines.filter((line) => (left -= line.length) > 0)
  if (shown.length < lines.length) shown.push(`- and ${lines.length - shown.length} more`)
  const all = `[All changes](${repository}/compare/${from}...${tag})`
  return [`## Changes since ${from}`, '', ...shown, '', all].join('\n')
}

/** A message is text: it draws nothing, and mentions nobody. @param {string} line of the log */
function describe(line) {
  const hash = line.slice(0, 40)
  const text = line
    .slice(41)
    .replace(/[\\`*_[\]<>|~#]/g, '\\$&')
    .replaceAll('@', '@<!-- -->')
  return `- ${text} ([${hash.slice(0, 7)}](${repository}/commit/${hash}))`
}

function verification() {
  return `How to check these files: [Verify a release](${repository}/blob/${tag}/.github/RELEASES.md#verify-a-release).`
}
