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

it('ends with a staged and verified snapshot, and does nothing again', async () => {
  await nightly()
  const before = press.bucket.body('live.json')
  editDatabase(db(), newBenchmark(1))
  const run = await nightly('--stage --json', inWorkflow())
  expect(run.code, run.stderr).toBe(0)
  expect(stepsOf(run)).toEqual(wholeNight)
  expect(press.bucket.body('live.json')).toEqual(before)
  const { snapshot, slot } = staged()
  expect(lastOf(run)).toMatchObject({ snapshot, slot, outcome: 'staged', isVerified: true })
  expect(press.bucket.faultsOf(slot)).toEqual([])
  expect(history().at(-1)).toMatchObject({ snapshot, isVerified: true })
  expect(keptEvents().at(-1)).toMatchObject({ kind: 'staged', snapshot })
  const outputs = read('outputs')
  expect(outputs).toMatch(/^staged=true$/m)
  expect(outputs).toContain(`\nsnapshot=${snapshot}\n`)

  for (const flags of ['--stage', '--stage --ask']) {
    const again = await nightly(`${flags} --json --summary night.md`, inWorkflow())
    expect(again.code, again.stderr).toBe(0)
    expect(stepsOf(again)).toEqual(nothingToDo)
  }
  expect(read('outputs').split('skipped=').at(-1)).toMatch(/^true\n(.*\n)*staged=true\n/)
  expect(read('night.md')).toContain(`fundpress flip ${snapshot}`)

  expect((await press.fundpress(`flip ${snapshot}`)).code).toBe(0)
  expect(press.bucket.live()).toMatchObject({ snapshot, slot })
  for (const flags of ['--json', '--json --stage']) expect(stepsOf(await nightly(flags))).toEqual(nothingToDo)
})
