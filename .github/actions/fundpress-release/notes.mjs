/**
 * Prints the notes of a release as Markdown: the section of its version in the changelog, and a link to all changes since the
 * release before. Those of a release count from the release before it, those of a pre-release from the tag before it.
 */

import { changelog, sectionOf } from './changelog.mjs'
import { absoluteLinks, repository } from './links.mjs'
import { listReleases } from './tags.mjs'

const { GITHUB_REF_NAME: tag = '' } = process.env

const [before] = listReleases('--merged', 'HEAD').filter(
  (other) => other !== tag && (tag.includes('-') || !other.includes('-')),
)
const parts = [
  absoluteLinks(sectionOf(tag), changelog),
  before === undefined ? '' : `[All changes since ${before}](${repository}/compare/${before}...${tag})`,
  `How to check these files: [Verify a release](${repository}/blob/${tag}/.github/RELEASES.md#verify-a-release).`,
]
process.stdout.write(parts.filter(Boolean).join('\n\n') + '\n')
