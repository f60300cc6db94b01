import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from '../support/product.ts'
import { runAlone } from './run.ts'

/** A Node on this machine that is too old for the program. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => existsSync(node) && isTooOld(node))

function isTooOld(node: string): boolean {
  const [major = 0, minor = 0] = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    .split('.')
    .map(Number)
  return major < 22 || (major === 22 && minor < 18)
}

it.runIf(oldNode !== undefined)(
  'says in a line which Node is needed, instead of failing somewhere inside',
  async () => {
    const { code, stdout, stderr } = await runAlone(['--version'], { cwd: repository, node: oldNode ?? '' })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^fundpress: this is Node \d+\.\d+\.\d+; it needs 22\.18 or later \(24 recommended\)[^\n]*\n$/,
    )
    expect(stderr).toContain('`npm run -s fundpress -- …`')
  },
)
