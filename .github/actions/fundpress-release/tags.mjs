/** The release tags of the repository that the working folder lies in, as git sorts them. */

import { execFileSync } from 'node:child_process'

/** A release, `v1.2.3`, or a pre-release of it, `v1.2.3-rc.1`. */
export const releaseTag = /^v\d+\.\d+\.\d+(-rc\.\d+)?$/

/** @param {readonly string[]} args @returns {string} without the line's end */
export const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trimEnd()

/** @param {readonly string[]} filters of `git tag` @returns {string[]} the newest version first: 1.2.3, 1.2.3-rc.2, 1.2.3-rc.1, 1.2.2 */
export const listReleases = (...filters) =>
  git('-c', 'versionsort.suffix=-', 'tag', '--list', '--sort=-version:refname', ...filters)
    .split('\n')
    .filter((tag) => releaseTag.test(tag))

/** @param {string} text @returns {unknown} */
export const parseJson = (text) => JSON.parse(text)

/** Ends the step with a line that GitHub shows beside the run. @param {unknown} error */
export function fail(error) {
  const said = error instanceof Error ? error.message : String(error)
  process.stdout.write(`::error title=release::${said.replace(/[%\r\n]/g, encodeURIComponent)}\n`)
  process.exitCode = 1
}
