/** Every workflow and action of the repository, by GitHub's own validation and shellcheck, and by rules of our own. */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { lint } from '../support/github/lint.ts'
import { readAction, readWorkflow } from '../support/github/files.ts'
import { lacksShellcheck, shellcheck } from '../support/programs.ts'

const all = readdirSync('.github', { recursive: true, encoding: 'utf8' }).map((file) => `.github/${file}`)
const files = all.filter((file) => /(?:workflows\/.*|action)\.yml$/.test(file)).sort()
const workflows = files.filter((file) => file.startsWith('.github/workflows/'))
const actions = files.filter((file) => file.endsWith('/action.yml'))
const textOf = (file: string) => readFileSync(file, 'utf8')
/** The workflows of users, read. */
const ours = ['nightly.yml', 'nightly-approved.yml', 'nightly-sharded.yml', 'watch.yml'].map(
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

  it.skipIf(lacksShellcheck).each([...scripts, ...shell])('finds nothing in %s', (_, input) => {
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
        expect([id, writes.length <= (id === 'image' ? 2 : 1)]).toEqual([id, true])
      }
    },
  )

  it('no two nightly runs overlap, and a run that waits for its reviewers delays no other', () => {
    const groups = ours.flatMap(([file, { jobs, concurrency }]) =>
      [concurrency, ...Object.values(jobs).map((job) => job.concurrency)].flatMap((group) =>
        group === undefined ? [] : [[file.replace('.github/workflows/', ''), group.group]],
      ),
    )
    expect(groups).toEqual([
      ['nightly.yml', 'fundpress-nightly'],
      // The only group is that of the job that stages: GitHub counts a job that waits for reviewers as running.
      ['nightly-approved.yml', 'fundpress-nightly'],
      ['nightly-sharded.yml', 'fundpress-nightly'],
      ['watch.yml', 'fundpress-watch'],
    ])
    const approved = readWorkflow('.github/workflows/nightly-approved.yml')
    expect(approved.concurrency).toBeUndefined()
    expect([approved.jobs['stage']?.concurrency?.group, approved.jobs['flip']?.environment]).toEqual([
      'fundpress-nightly',
      'fundpress-approval',
    ])
  })

  it('requests credentials for as long as a job may take, and the role allows that', () => {
    const action = readAction('.github/actions/fundpress/action.yml')
    const { default: ofAction = '' } = action.inputs['role-duration-seconds'] ?? { default: '' }
    const wanted = ours.flatMap(([name, { jobs }]) =>
      Object.values(jobs).flatMap((job) =>
        job.steps.flatMap(({ uses = '', with: given = {} }) => {
          if (given['role'] === undefined) return []
          // An hour is what the action of AWS asks for by itself.
          const byItself = uses === './.github/actions/fundpress' ? ofAction : 3600
          const seconds = Number(given['role-duration-seconds'] ?? byItself)
          return [{ name, seconds, minutes: job['timeout-minutes'] }]
        }),
      ),
    )
    expect(wanted.length).toBe(8)
    for (const { name, seconds, minutes } of wanted)
      expect([name, seconds >= minutes * 60]).toEqual([name, true])
    // Those of the role that publishes, and of the one that flips. The watch's are the hour that AWS gives.
    const sessions = [
      ...textOf('templates/cloudfront/template.jsonc').matchAll(/"MaxSessionDuration": (\d+)/g),
    ]
    expect(sessions).toHaveLength(2)
    for (const [, session] of sessions)
      expect(Number(session)).toBeGreaterThanOrEqual(Math.max(...wanted.map(({ seconds }) => seconds)))
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
        /^ {10}(?:(?:database-)?(?:access-key-id|secret-access-key)|heartbeat-url|notify-url|notify-smtp|signing-key|metrics-otlp-url): \$\{\{ secrets\.FUNDPRESS_[A-Z_]+ \}\}$/gm
      expect(text.match(asInput) ?? []).toHaveLength(uses.length)
      // Outputs can be read by everybody who may read the log.
      expect(text).not.toMatch(
        /^ +(?:value|reason): .*(?:secret|access-key|session-token|heartbeat|notify|otlp)/m,
      )
      const blocks = [...textOf(file).matchAll(/^( *)(?:- )?run: ?(.*(?:\n(?:\1 +.*)?)*)/gm)].map(
        ([, , run = '']) => run,
      )
      expect(blocks.filter((run) => run.includes(['$', '{{'].join('')))).toEqual([])
    },
  )

  it('gives each job the secrets of what it may tell: only a nightly run has a heartbeat', () => {
    const told = ours.flatMap(([file, { jobs }]) =>
      Object.entries(jobs).flatMap(([id, { steps }]) => {
        const inputs = steps.flatMap(({ with: given = {} }) => Object.keys(given))
        const names = inputs.filter((name) => /^(heartbeat|notify|signing|metrics)-/.test(name))
        return names.length === 0 ? [] : [[`${file.replace('.github/workflows/', '')} ${id}`, names] as const]
      }),
    )
    const notices = ['notify-url', 'notify-smtp']
    const everything = ['heartbeat-url', ...notices, 'signing-key', 'metrics-otlp-url']
    expect(Object.fromEntries(told)).toEqual({
      'nightly.yml night': everything,
      'nightly-approved.yml stage': everything,
      'nightly-approved.yml flip': notices,
      // The jobs that ask and render are no nightly runs yet.
      'nightly-sharded.yml ask': notices,
      'nightly-sharded.yml render': notices,
      'nightly-sharded.yml publish': everything,
      'watch.yml age': notices,
      'watch.yml verify': notices,
    })
  })

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
