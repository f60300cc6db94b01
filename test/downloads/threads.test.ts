/** Threads of the downloads that end when they should not. */
import { readdirSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { runAlone } from '../cli/run.ts'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { endingThreadCode, withEndingThread } from '../support/ending-thread.ts'
import { makeTempFolder } from '../support/product.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

it('a build whose thread ends between two parts of the downloads fails, and leaves nothing', async () => {
  makeDatabase(folder.file('one.sqlite'), (insert) => {
    insertGood(insert, isinOf(0))
  })
  const args = `build --db one.sqlite --out out --as-of ${asOf} --jobs 1 --quiet`.split(' ')
  const env = { ...withEndingThread, FUNDPRESS_DOWNLOADS: 'true' }
  const { code, stdout, stderr } = await runAlone(args, { cwd: folder.path, env })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `fundpress: a thread of the downloads ended too early (exit code ${endingThreadCode})\n`,
  })
  expect(readdirSync(folder.path)).toEqual(['one.sqlite'])
})
