/** A program that waits for what never comes: Node ends it as soon as nothing else is under way. */
import { afterAll, expect, it } from 'vitest'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { makeTempFolder } from '../support/product.ts'
import { runAlone } from './run.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

/** Threads that are asked, never hear of it, and keep no process. */
const deafThreads = `
  import { Worker } from 'node:worker_threads'
  Worker.prototype.postMessage = function () { this.unref() }`

it('says so and fails, since the command is not done', async () => {
  makeDatabase(folder.file('one.sqlite'), (insert) => {
    insertGood(insert, isinOf(0))
  })
  const args = `build --db one.sqlite --out out --as-of ${asOf} --jobs 1 --quiet`.split(' ')
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(deafThreads)}` }
  expect(await runAlone(args, { cwd: folder.path, env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'fundpress: it ended before its work was done, which is a fault of the program itself\n',
  })
})
