/** `nightly --stage`: a night that an operator looks at before it goes live. */
import { expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { newBenchmark } from '../../support/nights.ts'
import {
  db,
  history,
  inWorkflow,
  keptEvents,
  lastOf,
  nightly,
  press,
  read,
  stepsOf,
  useNights,
} from './nightly.ts'
import { nothingToDo, wholeNight } from './nightly.ts'

useNights(1)

const staged = () =>
  JSON.parse(press.bucket.body('staged.json').toString()) as { snapshot: string; slot: string }

it('ends with a staged and verified snapshot, says how to look at it, and does nothing again', async () => {
  await nightly()
  const before = press.bucket.body('live.json')
  editDatabase(db(), newBenchmark(1))
  const run = await nightly('--stage --json --summary night.md', inWorkflow())
  expect([run.code, stepsOf(run)]).toEqual([0, wholeNight])
  expect(press.bucket.body('live.json')).toEqual(before)
  const { snapshot, slot } = staged()
  expect(lastOf(run)).toMatchObject({ snapshot, slot, outcome: 'staged', isVerified: true })
  expect(press.bucket.faultsOf(slot)).toEqual([])
  expect(history().at(-1)).toMatchObject({ snapshot, isVerified: true })
  expect(keptEvents().at(-1)).toMatchObject({ kind: 'staged', snapshot })
  const outputs = read('outputs')
  expect([/^staged=true$/m.test(outputs), outputs.includes(`\nsnapshot=${snapshot}\n`)]).toEqual([true, true])
  const summary = read('night.md')
  expect(summary).toMatch(/^## fundpress \S+: staged$/m)
  expect(summary).toContain(`fundpress serve --bucket … --snapshot ${snapshot}`)
  expect(summary).toContain(`fundpress flip ${snapshot}`)

  for (const flags of ['--stage', '--stage --ask']) {
    const again = await nightly(`${flags} --summary night.md`, inWorkflow())
    const text = `night    ${snapshot} is staged already in ${slot}, made from this very database: nothing to do\n`
    expect(again).toEqual({ code: 0, stdout: text, stderr: '' })
  }
  expect(read('outputs').split('skipped=').at(-1)).toMatch(/^true\n(.*\n)*staged=true\n/)
  expect(read('night.md')).toContain(`fundpress flip ${snapshot}`)

  expect((await press.fundpress(`flip ${snapshot}`)).code).toBe(0)
  expect(press.bucket.live()).toMatchObject({ snapshot, slot })
  for (const flags of ['--json', '--json --stage']) expect(stepsOf(await nightly(flags))).toEqual(nothingToDo)
})

it('stages the very first night, and another one over it', async () => {
  expect((await nightly('--stage')).code).toBe(0)
  const first = staged().snapshot
  expect((await press.fundpress('status')).stderr).toContain(
    `nothing is live yet; staged is ${first} in blue`,
  )
  expect((await nightly('--stage')).stdout).toContain(`${first} is staged already in blue`)
  editDatabase(db(), newBenchmark(1))
  expect((await nightly('--stage')).code).toBe(0)
  expect([press.bucket.live(), staged().snapshot === first]).toEqual([undefined, false])
  // Without --stage the night of the staged data only flips.
  expect((await nightly()).code).toBe(0)
  expect([press.bucket.live()?.slot, press.bucket.keys('staged.json')]).toEqual(['blue', []])
})
