/** Every workflow and action of the repository, by GitHub's own validation and shellcheck, and by rules of our own. */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { lint } from '../support/github/lint.ts'
import { readAction, readWorkflow, type Job } from '../support/github/files.ts'
import { lacks, shellcheck } from '../support/programs.ts'

const all = readdirSync('.github', { recursive: true, encoding: 'utf8' }).map((file) => `.github/${file}`)
const files = all.filter((file) => /(?:workflows\/.*|action)\.yml$/.test(file)).sort()
const workflows = files.filter((file) => file.startsWith('.github/workflows/'))
const actions = files.filter((file) => file.endsWith('/action.yml'))
const textOf = (file: string) => readFileSync(file, 'utf8')
/** The workflows of users, read. */
const ours = ['nightly.yml', 'watch.yml'].map(
  (name) => [`.github/workflows/${name}`, readWorkflow(`.github/workflows/${name}`)] as const,
)

const releaseFile = '.github/workflows/release.yml'
const withRelease = [...ours, [releaseFile, readWorkflow(releaseFile)] as const]

/** A composite action as a workflow: only there are its expressions checked. */
function asWorkflow(file: string): string {
  const { name, inputs, runs } = readAction(file)
  const declared = Object.keys(inputs).map((input) => [input, { type: 'string' }])
  const jobs = { composite: { 'runs-on': 'ubuntu-24.04', steps: runs.steps } }
  return stringify({ name, on: { workflow_call: { inputs: Object.fromEntries(declared) as object } }, jobs })
}

describe("GitHub's validation", () => {
  it.each(files)('finds nothing in %s', async (file) => {
    expect(await lint(textOf(file), file)).toEqual([])
    if (actions.includes(file)) expect(await lint(asWorkflow(file), '.github/workflows/a.yml')).toEqual([])
  })
})

it('every output of an action that a workflow reads is one', () => {
  const wrong = withRelease.flatMap(([file, { jobs }]) =>
    Object.values(jobs).flatMap(({ steps, outputs = {} }) =>
      [...JSON.stringify({ steps, outputs }).matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)].flatMap(
        ([said, id, output = '']) => {
          const { uses = '' } = steps.find((step) => step.id === id) ?? {}
          const action = uses.startsWith('./') ? readAction(`${uses.slice(2)}/action.yml`) : undefined
          return action === undefined || output in (action.outputs ?? {}) ? [] : [`${file}: ${said}`]
        },
      ),
    ),
  )
  expect(wrong).toEqual([])
})

describe('shellcheck', () => {
  const steps = [
    ...actions.flatMap((file) => readAction(file).runs.steps.map((step) => [file, step] as const)),
    ...withRelease.flatMap(([file, { jobs }]) =>
      Object.values(jobs).flatMap((job) => job.steps.map((step) => [file, step] as const)),
    ),
  ]
  const declare = (names: readonly string[]) => names.map((name) => `export ${name}=''\n`).join('')
  /** What GitHub sets itself. */
  const github =
    'ACTION_PATH ACTOR OUTPUT REF_NAME REPOSITORY REPOSITORY_OWNER RUN_ID SERVER_URL SHA STEP_SUMMARY'
  const given = ['RUNNER_TEMP', ...github.split(' ').map((name) => `GITHUB_${name}`)]
  const scripts = steps.flatMap(([file, { name = '', run, env = {} }]) => {
    const declared = declare([...given, ...Object.keys(env)])
    return run === undefined ? [] : [[`${file}: ${name}`, `set -eo pipefail\n${declared}${run}`] as const]
  })
  /** Steps that run a script give it their variables. */
  const ofSteps = declare([...given, ...new Set(steps.flatMap(([, { env = {} }]) => Object.keys(env)))])
  const shell = all
    .filter((file) => file.endsWith('.sh'))
    .map((file) => [file, textOf(file).replace('\n', `\n${ofSteps}`)] as const)

  it.skipIf(lacks('shellcheck')).each([...scripts, ...shell])('finds nothing in %s', (_, input) => {
    expect(shellcheck(input, '--shell=bash', '--enable=check-unassigned-uppercase')).toBe('')
  })
})

describe('our own rules', () => {
  it.each(files)('%s pins the actions of others by commit, with their version beside', (file) => {
    const used = [...textOf(file).matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, what = '']) => what)
    const pinned = /^(\.\/\S+|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/
    expect(used.filter((what) => !pinned.test(what))).toEqual([])
  })

  it('pins an action everywhere alike', () => {
    const pins = files.flatMap((file) => textOf(file).match(/(?<=uses: )[\w./-]+@\S+/g) ?? [])
    const names = [...new Set(pins)].map((pin) => pin.split('@')[0])
    expect(names.length).toBeGreaterThan(3)
    expect(names).toEqual([...new Set(names)])
  })

  it.each(withRelease)(
    '%s gives no right to all jobs, ends in time, and never cancels a run',
    (_, { permissions, jobs, concurrency }) => {
      expect(permissions).toEqual({})
      const groups = [concurrency, ...Object.values(jobs).map((job) => job.concurrency)]
      expect(new Set(groups.flatMap((group) => group?.['cancel-in-progress'] ?? []))).toEqual(
        new Set([false]),
      )
      for (const [id, job] of Object.entries(jobs)) {
        expect(job['timeout-minutes']).toBeLessThanOrEqual(120)
        const writes = Object.values(job.permissions).filter((right) => right === 'write')
        // Only the image is both pushed and signed.
        expect(writes.length, id).toBeLessThanOrEqual(id === 'image' ? 2 : 1)
      }
    },
  )

  it('no two nights overlap, and a run that waits for its reviewers delays no other', () => {
    const { concurrency, jobs } = readWorkflow('.github/workflows/nightly.yml')
    // GitHub counts a job that waits for reviewers as running, so the run has no group.
    expect(concurrency).toBeUndefined()
    const groups = Object.entries(jobs).flatMap(([id, job]) =>
      job.concurrency ? [{ id, group: job.concurrency.group }] : [],
    )
    expect(groups).toEqual([{ id: 'night', group: 'fundpress-nightly' }])
  })

  it('any value of FUNDPRESS_APPROVAL lets a night only stage, and the job of its reviewers flips just that', () => {
    const { night, flip } = readWorkflow('.github/workflows/nightly.yml').jobs
    const expression = (text: string) => `\${{ ${text} }}`
    expect(night?.steps[1]?.with?.['stage']).toBe(expression("vars.FUNDPRESS_APPROVAL != ''"))
    expect({ needs: flip?.needs, environment: flip?.environment }).toEqual({
      needs: 'night',
      environment: 'fundpress-approval',
    })
    const outputs = 'needs.night.outputs'
    expect(flip?.if).toBe(expression(`${outputs}.staged == 'true' && ${outputs}.skipped != 'true'`))
    expect(flip?.steps[1]?.with).toMatchObject({
      flip: expression('needs.night.outputs.snapshot'),
      role: expression('vars.FUNDPRESS_FLIP_ROLE'),
    })
  })

  it('a failed night is told, and the schedules stay enabled, whatever has happened before', () => {
    const { report, keep } = readWorkflow('.github/workflows/nightly.yml').jobs
    expect(report?.needs).toEqual(['night', 'flip'])
    expect(keep?.needs).toBe('night')
    for (const job of [report, keep, readWorkflow('.github/workflows/watch.yml').jobs['report']])
      expect(job?.if).toMatch(/^\$\{\{ always\(\) && /)
    expect(keep?.steps[1]?.with).toEqual({ workflows: 'nightly.yml watch.yml' })
  })

  it('each job has the rights that its actions use', () => {
    const needed: Readonly<Record<string, Job['permissions']>> = {
      fundpress: { contents: 'read', 'id-token': 'write' },
      'fundpress-watch': { contents: 'read', 'id-token': 'write' },
      'fundpress-issue': { contents: 'read', issues: 'write' },
      'fundpress-schedules': { contents: 'read', actions: 'write' },
    }
    for (const [file, { jobs }] of ours)
      for (const [id, { steps, permissions }] of Object.entries(jobs)) {
        const [, { uses = '' } = {}] = steps
        const rights = needed[uses.replace('./.github/actions/', '')]
        // Only the night reads artifacts of other runs.
        const all = id === 'night' ? { ...rights, actions: 'read' } : rights
        expect({ file, id, permissions }).toEqual({ file, id, permissions: all })
      }
  })

  it('requests credentials for as long as a job may take, and the role allows that', () => {
    const { inputs } = readAction('.github/actions/fundpress/action.yml')
    // The longest job takes two hours. The watch has the hour that AWS gives by itself.
    expect(inputs['role-duration-seconds']?.default).toBe('7200')
    const watch = Object.values(readWorkflow('.github/workflows/watch.yml').jobs)
    expect(Math.max(...watch.map((job) => job['timeout-minutes']))).toBeLessThanOrEqual(60)
    const template = textOf('templates/cloudfront/template.jsonc')
    expect(template.match(/(?<="MaxSessionDuration": )\d+/g)).toEqual(['7200', '7200'])
  })

  it('schedules nothing on the hour, all in the time of Berlin, and the watch after the nightly runs', () => {
    const times = (name: string) => {
      const schedule = readWorkflow(`.github/workflows/${name}`).on.schedule ?? []
      expect(schedule.filter(({ timezone }) => timezone !== 'Europe/Berlin')).toEqual([])
      return schedule.map(({ cron }) => cron.split(' '))
    }
    const nights = times('nightly.yml')
    expect(nights.length).toBeGreaterThan(2)
    for (const [minute = ''] of [...nights, ...times('watch.yml')]) expect(Number(minute) % 15).not.toBe(0)
    const hours = (some: readonly string[][]) => some.map(([, hour = '']) => Number(hour))
    expect(Math.min(...hours(times('watch.yml')))).toBeGreaterThan(Math.max(...hours(nights)) + 2)
  })

  it('the watch knows by its schedule when to read all that is live', () => {
    const { on, jobs } = readWorkflow('.github/workflows/watch.yml')
    const [, weekly] = /startsWith\(github\.event\.schedule, '(.*?)'\)/.exec(jobs['verify']?.if ?? '') ?? []
    const crons = on.schedule?.map(({ cron }) => cron) ?? []
    expect(crons.filter((cron) => !cron.endsWith(' * * *'))).toEqual([weekly])
  })

  it.each([...workflows, ...actions])(
    '%s gives secrets to inputs only, and has no expression in a script',
    (file) => {
      const text = textOf(file)
      const uses = text.match(/\bsecrets\..*/g) ?? []
      const asInput =
        /^ {10}(?:(?:database-)?(?:access-key-id|secret-access-key)|notify-url|signing-key): \$\{\{ secrets\.FUNDPRESS_[A-Z_]+ \}\}$/gm
      expect(text.match(asInput) ?? []).toHaveLength(uses.length)
      // Outputs can be read by everybody who may read the log.
      expect(text).not.toMatch(/^ +(?:value|reason): .*(?:secret|access-key|session-token|notify)/m)
      const blocks = [...textOf(file).matchAll(/^( *)(?:- )?run: ?(.*(?:\n(?:\1 +.*)?)*)/gm)].map(
        ([, , run = '']) => run,
      )
      expect(blocks.filter((run) => run.includes(['$', '{{'].join('')))).toEqual([])
    },
  )

  it('the README of the set-up names all variables, secrets, environments and roles that workflows use, and no others', () => {
    const readme = textOf('templates/github/README.md')
    const text = ours.map(([file]) => textOf(file)).join('')
    const told = new Set(readme.match(/FUNDPRESS_[A-Z_]+/g))
    const used = new Set(
      [...text.matchAll(/(?:vars|secrets)\.(FUNDPRESS_[A-Z_]+)/g)].map(([, name = '']) => name),
    )
    expect([...told].sort()).toEqual([...used].sort())
    for (const [, environment = ''] of text.matchAll(/environment: (.*)/g))
      expect(readme).toContain(`\`${environment}\``)
  })
})
