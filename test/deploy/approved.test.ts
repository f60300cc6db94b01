/** The night that somebody has to approve: which jobs of the workflow run when, and what the issue says. */
import { writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { holds } from '../support/github/expressions.ts'
import { readWorkflow } from '../support/github/files.ts'
import type { RanJob } from '../support/github/runner.ts'
import { press } from '../bucket/nightly/nightly.ts'
import { api, logOf, resultsOf, runner, surroundings, useRunner } from './workflow-runs.ts'

const workflow = 'nightly-approved.yml'
const program = () => runner.checkout.file('src/cli/fundpress.mjs')

useRunner([workflow, 'watch.yml'], 1)
beforeEach(() => {
  api.issues.length = 0
  writeFileSync(
    runner.checkout.file('fundpress.config.json'),
    JSON.stringify({ pages: false, downloads: false }),
  )
})

const allWell = { stage: 'success', flip: 'success', report: 'success', keep: 'success' }
const night = (inputs = {}) =>
  runner.run(workflow, surroundings({ inputs: { 'as-of': '2026-11-11', ...inputs } }))

it('stages in the first job, makes just that live in the second, and has nothing to do afterwards', async () => {
  const first = await night()
  expect(resultsOf(first), logOf(first)).toEqual(allWell)
  expect(first['stage']?.outputs).toMatchObject({ staged: 'true', snapshot: press.bucket.live()?.snapshot })
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  expect(resultsOf(await night())).toEqual({ ...allWell, flip: 'skipped' })
  expect(api.issues).toEqual([])
})

/** Another program in the place of fundpress: it writes its arguments, and ends as told for the command. */
function answer(
  commands: Readonly<Record<string, { outputs?: object; code?: number; said?: string }>>,
): void {
  writeFileSync(
    program(),
    `import { appendFileSync } from 'node:fs'
const args = process.argv.slice(2)
const { outputs = {}, code = 0, said = '' } = ${JSON.stringify(commands)}[args[0]] ?? {}
process.stdout.write(\`ran \${args.filter((arg) => !arg.includes('/')).join(' ')}\\n\`)
process.stderr.write(said)
for (const [name, value] of Object.entries(outputs)) appendFileSync(process.env.GITHUB_OUTPUT, \`\${name}=\${value}\\n\`)
process.exitCode = code
`,
  )
}
const ran = (job: RanJob | undefined) => (job?.log.match(/^ran .*/gm) ?? []).map((line) => line.slice(4))
const staged = { outputs: { staged: true, skipped: false, snapshot: '2026-11-11-abc' } }

it('flips the snapshot that it has staged, verifies it, and closes the issue', async () => {
  answer({ nightly: { code: 1, said: 'fundpress: no answer\n' } })
  expect(resultsOf(await night())).toEqual({ ...allWell, stage: 'failure', flip: 'skipped' })
  expect(api.issues).toMatchObject([{ state: 'open', body: expect.stringContaining('no answer') as string }])
  answer({ nightly: staged })
  const jobs = await night({ allow: 'lost-funds', reason: 'merged' })
  expect(resultsOf(jobs)).toEqual(allWell)
  const given = '--allow lost-funds --reason merged'
  expect(ran(jobs['stage'])).toEqual([expect.stringMatching(/^nightly .* --stage --as-of 2026-11-11 /)])
  expect(ran(jobs['stage'])[0]).toContain(given)
  expect(ran(jobs['flip'])).toEqual([`flip 2026-11-11-abc ${given}`, 'verify --sample 100'])
  expect(api.issues).toMatchObject([{ state: 'closed' }])
})

it('waits for nobody if nothing is staged, and says nothing if the night is staged already', async () => {
  answer({ nightly: { code: 1 } })
  await night()
  answer({ nightly: { outputs: { ...staged.outputs, skipped: true } } })
  const again = await night()
  expect(resultsOf(again)).toEqual({ ...allWell, flip: 'skipped', report: 'skipped' })
  expect(api.issues[0]?.state).toBe('open')
  answer({ nightly: { outputs: { staged: '', skipped: true } } })
  expect(resultsOf(await night())).toEqual({ ...allWell, flip: 'skipped' })
  expect(api.issues[0]?.state).toBe('closed')
})

it.each([
  ['skipped', {}, 'skipped', false],
  ['cancelled', {}, 'skipped', false],
  ['cancelled', { began: 'true' }, 'skipped', true],
  ['failure', {}, 'skipped', true],
  ['success', { began: 'true', staged: 'true' }, 'skipped', false],
  ['success', { began: 'true', staged: 'true' }, 'failure', true],
  ['success', { began: 'true', staged: 'true' }, 'cancelled', true],
])(
  'reports about a stage that was %s with %j, and a flip that was %s: %s',
  (result, outputs, flip, reports) => {
    const { report } = readWorkflow(`.github/workflows/${workflow}`).jobs
    const needs = { stage: { result, outputs }, flip: { result: flip, outputs: {} } }
    expect(holds(report?.if, { needs }, result !== 'success')).toBe(reports)
  },
)

it('fails with the reason if a later night has replaced the staged one, and tries a refused flip once', async () => {
  const said = 'fundpress: s3://funds: 2026-11-12-def is staged, not 2026-11-11-abc\n'
  answer({ nightly: staged, flip: { code: 1, said } })
  const replaced = await night()
  expect(resultsOf(replaced)).toEqual({ ...allWell, flip: 'failure' })
  expect(api.issues[0]?.body).toContain('2026-11-12-def is staged, not 2026-11-11-abc')
  const refusal = JSON.stringify('| guard |\n')
  answer({ nightly: staged, flip: { code: 3, outputs: { refusal, refused: true } } })
  const refused = await night()
  expect(ran(refused['flip'])).toHaveLength(1)
  expect(api.issues[0]?.comments).toEqual([expect.stringContaining('was refused.\n\n| guard |\n')])
})
