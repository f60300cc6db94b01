/** Columns of all tables against what is live: `check`, `build` and a merge of shards find the same, and say it in the same words. */
import { beforeAll, expect, it } from 'vitest'
import type { Finding } from '../../src/core/data/check/finding.ts'
import { editDatabase, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { hashesOf, manifestOf } from '../support/tree.ts'
import { run } from './run.ts'

const folder = tempFolder()
const isins = [1, 2, 3, 4, 5, 6].map(isinOf)
const [one = '', two = '', three = ''] = isins
const fundpress = (line: string) => run(line.split(' '), { cwd: folder.path })
const build = (flags: string, db = 'next.sqlite') =>
  fundpress(`build --db ${db} --as-of 2024-05-03 --jobs 2 --quiet ${flags}`)

const ofSrri = `emt.srri: 6 of 6 funds have the same value, and they differed before (${one}: 2 before, 1 now, ${two}: 3 before, 1 now, ${three}: 4 before, 1 now and 3 more)`
const ofFigures = 'its row is gone, and the fund has no other'

/** Live is `first`; the next database has one SRRI for all funds, and a fund without key figures. */
beforeAll(async () => {
  for (const name of ['first.sqlite', 'next.sqlite'])
    makeDatabase(folder.file(name), (insert) => {
      for (const [fund, isin] of isins.entries()) {
        insertGood(insert, isin, { emt: { srri: (fund % 5) + 2 } })
      }
    })
  editDatabase(
    folder.file('next.sqlite'),
    `UPDATE emt SET srri = 1; DELETE FROM key_figure WHERE isin = '${two}'`,
  )
  expect(await build('--out first', 'first.sqlite')).toMatchObject({ code: 0, stderr: '' })
})

it('check shows what build refuses, and the warning about one fund', async () => {
  const { code, stdout } = await fundpress('check --db next.sqlite --as-of 2024-05-03 --since first --json')
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
  expect(code).toBe(1)
  expect(findings).toMatchObject([
    { severity: 'warning', isin: two, table: 'key_figure', message: ofFigures },
    { severity: 'error', guard: 'column', subject: 'emt.srri', isin: null, table: 'emt', message: ofSrri },
  ])
})

it('build refuses it with exit code 3, and --allow lets it pass by name', async () => {
  const refused = await build('--since first --out out')
  expect(refused.code).toBe(3)
  expect(refused.stderr).toContain(
    `${ofSrri}. If that is right, allow it: --allow column:emt.srri --reason "…"`,
  )
  const allowed = await build('--since first --out out --allow column:emt.srri --reason checked')
  expect(allowed.code).toBe(0)
  const { head } = manifestOf(folder.file('out'))
  expect(head).toMatchObject({
    allowed: [{ guard: 'column', subject: 'emt.srri', message: ofSrri, reason: 'checked' }],
  })
  // It is live now.
  expect(await build('--since out --out again')).toMatchObject({ code: 0, stderr: '' })
})

it('a merge judges all funds, where no shard can', async () => {
  for (const part of [1, 2])
    expect((await build(`--shard ${part}/2 --out part-${part} --since first`)).code).toBe(0)
  const merge = `build --db next.sqlite --since first --jobs 2 --quiet --out merged --merge part-1 part-2`
  const refused = await fundpress(merge)
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining(ofSrri),
  })
  expect((await fundpress(`${merge} --allow column --reason checked`)).code).toBe(0)
  const file = 'statistics.ndjson'
  expect(hashesOf(folder.file('merged'))[file]).toBe(hashesOf(folder.file('out'))[file])
})
