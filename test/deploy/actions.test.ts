/** The inputs of the actions, and the files that they find in any repository. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { guards } from '../../src/core/guards/guards.ts'
import { readAction, readWorkflow } from '../support/github/files.ts'
import { known } from '../support/settings.ts'

const names = readdirSync('.github/actions')
const actionOf = (name: string) => readAction(`.github/actions/${name}/action.yml`)
const { inputs, runs } = actionOf('fundpress')
const program = runs.steps.find(({ id }) => id === 'night')?.env ?? {}

/** `expectations.onImplausible`: `on-implausible` */
const inputOf = (key: string) =>
  (key.split('.').at(-1) ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

it('has an input for each setting of a guard, and for the rules of expectations, that sets its variable', () => {
  const limits = Object.values(guards).flatMap(({ setting }) => setting ?? [])
  const wanted = known.list.filter(
    ({ key }) => limits.some((limit) => limit === key) || key.startsWith('expectations.'),
  )
  expect(wanted.length).toBeGreaterThan(2)
  for (const { key, variable } of wanted) {
    const name = inputOf(key)
    expect(inputs[name]).toEqual({ description: `The setting ${key}`, default: '' })
    // Without the input, a variable that the workflow has set itself stays.
    expect({ key, value: program[variable] }).toEqual({
      key,
      value: `\${{ inputs.${name} || env.${variable} }}`,
    })
  }
})

it('sets no variable but of settings, and those that a config file names by env:', () => {
  const variables = [...known.list.map(({ variable }) => variable), 'FUNDPRESS_NOTIFY_URL']
  for (const name of names)
    for (const { env = {} } of actionOf(name).runs.steps) {
      const set = Object.keys(env).filter((variable) => variable.startsWith('FUNDPRESS_'))
      expect(set.filter((variable) => !variables.includes(variable))).toEqual([])
    }
})

it('finds its own files wherever GitHub puts it: no action and no workflow names a path of this repository', () => {
  for (const name of names)
    for (const { uses = '', run = '' } of actionOf(name).runs.steps) {
      // A path of the workspace would be one of the company's repository.
      expect(uses).not.toMatch(/^\.\.?\//)
      const paths = run.match(/\S*(?:\.mjs|\.sh|\.\.)(?=["\s]|$)\S*/g) ?? []
      expect(paths.filter((path) => !path.startsWith('"$GITHUB_ACTION_PATH/'))).toEqual([])
    }
  // Only this repository uses these three.
  const workflows = readdirSync('.github/workflows').filter((file) => !/^(bench|ci|release)\.yml$/.test(file))
  expect(workflows.length).toBe(2)
  for (const file of workflows)
    for (const [id, { steps }] of Object.entries(readWorkflow(`.github/workflows/${file}`).jobs)) {
      for (const { uses = '', run = '' } of steps) {
        expect(run).not.toMatch(/\.github|src\/|node |\.sh\b/)
        // `fundpress setup` puts the released action in the place of just these.
        if (uses.startsWith('./')) expect(names.map((name) => `./.github/actions/${name}`)).toContain(uses)
      }
      expect({ file, id, uses: steps[0]?.uses }).toEqual({
        file,
        id,
        uses: expect.stringContaining('actions/checkout@'),
      })
    }
})

it('the keys of secrets are in the environment of the steps that use the store, and of no other', () => {
  const withKeys = names.flatMap((name) =>
    actionOf(name).runs.steps.flatMap((step) => {
      const text = JSON.stringify({ env: step.env, with: step.with })
      // Whether there is one is no secret.
      return /inputs\.((database-)?(secret-access-key|session-token)|notify-url|signing-key)(?! != '')/.test(
        text,
      )
        ? [`${name}: ${step.name ?? ''}`]
        : []
    }),
  )
  expect(withKeys).toEqual([
    'fundpress: Get the database',
    'fundpress: Run fundpress',
    'fundpress-watch: Look at what is live',
  ])
})

it('the watch begins as the nightly run does: GitHub has no way to share these steps', () => {
  const stepsOf = (name: string) =>
    actionOf(name).runs.steps.filter(
      ({ uses = '', name: title }) => uses.includes('setup-node@') || title === 'Install fundpress',
    )
  expect(stepsOf('fundpress')).toHaveLength(2)
  expect(stepsOf('fundpress-watch')).toEqual(stepsOf('fundpress'))
  const text = readFileSync('.github/actions/fundpress-watch/action.yml', 'utf8')
  expect(text).toMatch(
    /^ *args=\(status --max-age [^]*^ *bash "\$GITHUB_ACTION_PATH\/\.\.\/fundpress\/run\.sh" .*args/m,
  )
})
