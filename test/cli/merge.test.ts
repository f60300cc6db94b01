/** `build --shard` and `merge` from the command line, and what the other commands make of a single shard. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights, type Nights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { docsUrl, type Run } from '../support/product.ts'
import { faultsOf, hashesOf, snapshotId } from '../support/tree.ts'

let nights: Nights
let press: Press
beforeAll(async () => {
  nights = await buildNights(1, 3)
  press = await openPress(nights)
})
afterAll(() => press.stop())

const folderOf = (out: string) => nights.folder.file(out)
const env = { FUNDPRESS_DOCS_URL: docsUrl }
const build = (out: string, ...flags: readonly string[]): Promise<Run> =>
  press.bare(
    ['build', '--db', folderOf('funds.sqlite'), '--out', out, '--as-of', '2026-11-11', ...flags],
    env,
  )
const merge = (...args: readonly string[]): Promise<Run> =>
  press.bare(['merge', '--db', folderOf('funds.sqlite'), ...args], env)

it('makes the snapshot of a whole build out of two shards, and publishes it', async () => {
  const built = [await build('one', '--shard', '1/2'), await build('two', '--shard', '2/2')]
  expect(built.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ])
  const merged = await merge('two', 'one', '--out', 'merged', '--json')
  expect([merged.code, merged.stderr]).toEqual([0, ''])
  expect(JSON.parse(merged.stdout)).toMatchObject({
    snapshot: snapshotId(folderOf('night-1')),
    funds: 3,
    isSparse: false,
  })
  expect(hashesOf(folderOf('merged'))).toEqual(hashesOf(folderOf('night-1')))
  expect(faultsOf(folderOf('merged'))).toEqual([])
  expect((await press.publish('merged')).code).toBe(0)
  press.reset()
})

it.each([
  ['serve', ['serve', '--out', 'one', '--port', '0']],
  ['diff', ['diff', 'night-1', 'one']],
])('%s refuses a single shard, and says what to do', async (_, args) => {
  await build('one', '--shard', '1/2')
  const { code, stderr } = await press.bare(args)
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'one is shard 1 of 2, it has only some of the funds: bring all of them together with `fundpress merge` first',
    ),
  ])
})

it.each(['publish', 'plan'])('%s refuses a single shard before it writes anything', async (command) => {
  await build('one', '--shard', '1/2')
  const { code, stderr } = await press.fundpress([command, '--out', 'one'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('one is shard 1 of 2')])
  expect(press.bucket.keys('')).toEqual([])
})

it.each(['0/2', '3/2', '1/0', '1', '1/1000', '-1/2', '1/2/3', '01/2'])(
  'refuses the shard %s as wrong usage',
  async (shard) => {
    const { code, stderr } = await build('never', '--shard', shard)
    expect([code, stderr]).toEqual([2, expect.stringContaining('such as 3/8')])
  },
)

it('refuses a shard of some funds only as wrong usage', async () => {
  const { code } = await build('never', '--shard', '1/2', '--only', 'DE0008471400')
  expect(code).toBe(2)
})

it('names the shards that are missing, and needs folders', async () => {
  await build('two', '--shard', '2/2')
  const missing = await merge('two', '--out', 'never')
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('of 2 shards 1 is missing')])
  expect((await merge('--out', 'never')).code).toBe(2)
  const none = await merge('night-1', '--out', 'never')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('night-1 is no shard')])
})

it('replaces a shard in its folder by the snapshot, and the other way round', async () => {
  await build('same', '--shard', '1/2')
  expect((await build('same')).code).toBe(0)
  expect(hashesOf(folderOf('same'))).toEqual(hashesOf(folderOf('night-1')))
  expect((await build('same', '--shard', '1/2')).code).toBe(0)
})
