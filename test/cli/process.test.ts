/** The process around the program: a Node that is too old, and work that never ends. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { makeTempFolder, repository } from '../support/product.ts'
import { runAlone } from './run.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

/** Threads that never get a message, and keep no process alive. */
const deafThreads = `
  import { Worker } from 'node:worker_threads'
  Worker.prototype.postMessage = function () { this.unref() }`

it('fails if Node ends it before its work is done, because nothing keeps the process alive', async () => {
  makeDatabase(folder.file('one.sqlite'), (insert) => {
    insertGood(insert, isinOf(0))
  })
  const args = `build --db one.sqlite --out out --as-of ${asOf} --jobs 1 --quiet`.split(' ')
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(deafThreads)}` }
  expect(await runAlone(args, { cwd: folder.path, env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'fundpress: it ended before its work was done. This is a bug in fundpress\n',
  })
})

/** A Node on this machine that is too old for the program, if there is one. */
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

it.runIf(oldNode !== undefined)('names in one line the Node that it needs', async () => {
  const { code, stdout, stderr } = await runAlone(['--version'], { cwd: repository, node: oldNode ?? '' })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^fundpress: this is Node \d+\.\d+\.\d+; fundpress needs 22\.18 or later \(24 recommended\)[^\n]*\n$/,
  )
  expect(stderr).toContain('`npm run -s fundpress -- …`')
})
