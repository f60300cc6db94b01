/** Benchmarks of another revision of the repository beside this checkout: in turn, so that what disturbs the machine disturbs both. */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { makeTempFolder, repository } from '../support/product.ts'
import { joinRuns, parseRun, type MeasuredRun } from './tables.ts'

/** How often each of the two is measured. */
const turns = 2

/**
 * @param revision a commit, a branch or a tag @param args a benchmark and its options; none: all
 * @returns the measures of the revision, and of this checkout
 * @throws {Error} if git does not know the revision, its packages cannot be installed, or a benchmark fails
 */
export function measureBoth(
  revision: string,
  args: readonly string[],
): readonly [before: MeasuredRun, after: MeasuredRun] {
  const folder = makeTempFolder()
  const other = join(folder.path, 'before')
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', repository, ...words], { stdio: 'inherit' })
  try {
    git('worktree', 'add', '--detach', '--quiet', other, revision)
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: other,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const measured: readonly [MeasuredRun[], MeasuredRun[]] = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      for (const [index, cwd] of [other, repository].entries()) {
        const words = ['test/bench/main.ts', ...args, '--json']
        const text = execFileSync(process.execPath, words, {
          cwd,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        measured[index]?.push(parseRun(text, cwd))
      }
    }
    const [before, after] = measured
    return [joinRuns(before), joinRuns(after)]
  } finally {
    git('worktree', 'remove', '--force', other)
    folder.remove()
  }
}
