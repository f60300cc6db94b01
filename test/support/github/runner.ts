/** Runs our workflows step by step: bash for real, with stand-ins for the actions of others. A job leaves no files behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { makeTempFolder, repository } from '../product.ts'
import { writeWarmProgram } from '../warm-program.ts'
import { fillIn, holds, type Contexts } from './expressions.ts'
import { readAction, readWorkflow, type Job, type Step } from './files.ts'

type Texts = Readonly<Record<string, string>>

export interface Surroundings {
  /** http://127.0.0.1:port of the API. */
  readonly api: string
  readonly vars: Texts
  readonly secrets?: Texts
  /** The cron of a scheduled run. */
  readonly schedule?: string
  /** Inputs of workflow_dispatch; the defaults unless given. */
  readonly inputs?: Readonly<Record<string, string | boolean>>
  /** Databases that other runs have uploaded, by run and artifact: `815/fund-database`. */
  readonly artifacts?: Texts
  /** The variables that the role brings. */
  readonly credentials: Texts
  /** The branch or the tag of the run, main unless given. */
  readonly ref?: string
  /** Jobs to leave out, which no other job needs. */
  readonly without?: readonly string[]
}

export interface RanJob {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: Texts
  /** Both streams of all steps. */
  readonly log: string
  readonly summary: string
}

export type Runner = ReturnType<typeof openRunner>

export function openRunner() {
  const folder = makeTempFolder()
  const root = folder.file('checkout')
  const bin = folder.file('bin')
  const uploads = folder.file('uploads')
  for (const made of [bin, join(root, 'src/cli')]) mkdirSync(made, { recursive: true })
  // The real npm would change node_modules of the repository.
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\ntest "$PWD" = '${root}'\n`, { mode: 0o755 })
  cpSync(join(repository, '.github'), join(root, '.github'), { recursive: true })
  writeWarmProgram(join(root, 'src/cli/fundpress.mjs'), folder.file('orders'))
  const namesIn = (under: string) => readdirSync(join(repository, under)).map((name) => join(under, name))
  for (const name of ['templates', 'node_modules', 'package.json', ...namesIn('src'), ...namesIn('src/cli')])
    if (!existsSync(join(root, name))) symlinkSync(join(repository, name), join(root, name))
  return {
    /** A checkout that tests may change: copies of .github and the program, links to everything else. */
    checkout: { path: root, file: (name: string) => join(root, name) },
    /** Programs that steps find before those of the machine. */
    bin,
    /** The artifacts of the last run, a folder each. */
    uploads: join(uploads, ownRun),
    remove: folder.remove,
    /** @param earlier jobs of an earlier attempt: successful jobs do not run again, and their artifacts stay */
    run: async (
      workflow: string,
      surroundings: Surroundings,
      earlier: Readonly<Record<string, RanJob>> = {},
    ) => {
      const ran: Record<string, RanJob> = {}
      const { jobs, name, on } = readWorkflow(join(root, '.github/workflows', workflow))
      const defaults = mapValues(on.workflow_dispatch?.inputs, (input) => input.default)
      if (Object.keys(earlier).length === 0) rmSync(uploads, { recursive: true, force: true })
      for (const [artifact, file] of Object.entries(surroundings.artifacts ?? {}))
        cpSync(file, join(uploads, artifact, 'funds.sqlite'))
      const place = { ...surroundings, root, bin, uploads, workflow: name, temp: folder.file('temp') }
      for (const [id, job] of Object.entries(jobs)) {
        if (surroundings.without?.includes(id)) continue
        const needs = Object.fromEntries([job.needs ?? []].flat().map((one) => [one, ran[one]]))
        const hasFailed = Object.values(needs).some((one) => one?.result !== 'success')
        const contexts: Contexts = {
          inputs: { ...defaults, ...surroundings.inputs },
          vars: surroundings.vars,
          secrets: surroundings.secrets ?? {},
          github: { token: `${workflow}/${id}`, event: { schedule: surroundings.schedule } },
          needs: mapValues(needs, (one) => ({ result: one?.result, outputs: one?.outputs })),
        }
        if (earlier[id]?.result === 'success') ran[id] = earlier[id]
        else if (holds(job.if, contexts, hasFailed)) ran[id] = await runMachines(job, contexts, place)
        else ran[id] = { result: 'skipped', outputs: {}, log: '', summary: '' }
      }
      return ran as Readonly<typeof ran>
    },
  }
}

const ownRun = '4711'

/** Runs a job on one machine, or on one for each value of a matrix, which has one row. */
async function runMachines(job: Job, contexts: Contexts, place: Place): Promise<RanJob> {
  const [[name, values] = ['', ['']]] = Object.entries(job.strategy?.matrix ?? {})
  const ran: RanJob[] = []
  for (const value of values)
    ran.push(
      await runJob(
        job,
        { ...contexts, matrix: { [name]: value }, strategy: { 'job-total': values.length } },
        place,
      ),
    )
  const outputs = ran.flatMap((one) => Object.entries(one.outputs).filter(([, output]) => output !== ''))
  return {
    result: ran.every(({ result }) => result === 'success') ? 'success' : 'failure',
    outputs: Object.fromEntries(outputs),
    log: ran.map(({ log }) => log).join(''),
    summary: ran.map(({ summary }) => summary).join(''),
  }
}

interface Place extends Surroundings {
  readonly root: string
  readonly bin: string
  readonly workflow: string
  /** RUNNER_TEMP */
  readonly temp: string
  /** Folders of artifacts, by run and name. */
  readonly uploads: string
}

/** A job under way. */
interface Running {
  readonly place: Place
  readonly job: Job
  readonly env: Record<string, string>
  log: string
  summary: string
}

async function runJob(job: Job, contexts: Contexts, place: Place): Promise<RanJob> {
  const { root, temp } = place
  const before = new Set(readdirSync(root))
  rmSync(temp, { recursive: true, force: true })
  mkdirSync(temp, { recursive: true })
  const env = {
    PATH: [place.bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: temp,
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: place.api,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_ACTOR: 'operator',
    GITHUB_REPOSITORY: 'owner/funds',
    GITHUB_REPOSITORY_OWNER: 'Owner',
    GITHUB_RUN_ID: ownRun,
    GITHUB_REF_NAME: place.ref ?? 'main',
    GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
    GITHUB_WORKFLOW: place.workflow,
    GITHUB_WORKSPACE: root,
    RUNNER_TEMP: temp,
    // HOME differs from ours: compiled code is kept elsewhere.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    // Nothing of the machine's own has a say, and no slot is left alone for long.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
  }
  const running: Running = { place, job, env, log: '', summary: '' }
  const all = { ...contexts, runner: { temp } }
  const { hasFailed, steps } = await runSteps(running, job.steps, all, {})
  for (const made of readdirSync(root).filter((one) => !before.has(one)))
    rmSync(join(root, made), { recursive: true })
  const { log, summary } = running
  return {
    result: hasFailed ? 'failure' : 'success',
    outputs: filled(job.outputs, { ...all, steps }),
    log,
    summary,
  }
}

async function runSteps(running: Running, steps: readonly Step[], contexts: Contexts, env: Texts) {
  let hasFailed = false
  const ran: Record<string, { outputs: Texts }> = {}
  for (const step of steps) {
    const known = { ...contexts, env: running.env, steps: ran }
    if (!holds(step.if, known, hasFailed)) continue
    const done = await (step.uses === undefined
      ? runScript(running, step, known, env)
      : useAction(running, step, known))
    if (step.id !== undefined) ran[step.id] = { outputs: done.outputs }
    hasFailed ||= done.hasFailed
  }
  return { hasFailed, steps: ran }
}

interface DoneStep {
  readonly hasFailed: boolean
  readonly outputs: Texts
}

/** Source: GitHub's documentation, `jobs.<job_id>.steps[*].shell`. */
async function runScript(running: Running, step: Step, contexts: Contexts, own: Texts): Promise<DoneStep> {
  const [output, summary] = ['output', 'summary'].map((name) => join(running.place.temp, name)) as [
    string,
    string,
  ]
  for (const file of [output, summary]) writeFileSync(file, '')
  const options = step.shell === 'bash' ? ['-eo', 'pipefail'] : ['-e']
  const child = spawn('/bin/bash', [...options, '-c', step.run ?? ''], {
    cwd: running.place.root,
    env: {
      ...running.env,
      ...own,
      ...filled(step.env, contexts),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      running.log += chunk.toString()
    })
  const [code] = (await once(child, 'close')) as [number | null]
  running.summary += readFileSync(summary, 'utf8')
  const outputs = readFileSync(output, 'utf8').matchAll(/^([a-z-]+)=(.*)$/gm)
  return {
    hasFailed: code !== 0,
    outputs: Object.fromEntries([...outputs].map(([, name, value]) => [name, value])),
  }
}

const mapValues = <T, R>(values: Readonly<Record<string, T>> = {}, map: (value: T, name: string) => R) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))

const filled = (texts: Readonly<Record<string, unknown>> | undefined, contexts: Contexts): Texts =>
  mapValues(texts, (text) => String(fillIn(String(text), contexts)))

async function useAction(running: Running, step: Step, contexts: Contexts): Promise<DoneStep> {
  const { place, job, env } = running
  const uses = step.uses ?? ''
  const given = filled(step.with, contexts)
  if (uses.startsWith('./')) return useOwnAction(running, join(place.root, uses), given, contexts)
  const mayUse = (scope: string, right: 'read' | 'write') => {
    if (job.permissions[scope] !== right && job.permissions[scope] !== 'write')
      throw new Error(`${uses} needs ${scope}: ${right}`)
  }
  switch (uses.replace(/@[0-9a-f]{40}$/, '')) {
    case 'actions/checkout':
      mayUse('contents', 'read')
      break
    case 'aws-actions/configure-aws-credentials':
      mayUse('id-token', 'write')
      if (!/^arn:aws:iam::\d{12}:role\//.test(given['role-to-assume'] ?? '')) throw new Error('no role')
      Object.assign(env, place.credentials)
      break
    case 'actions/upload-artifact':
      return { hasFailed: !upload(given, place), outputs: {} }
    case 'actions/download-artifact':
      if (given['run-id'] !== undefined) mayUse('actions', 'read')
      return { hasFailed: !download(given, place), outputs: {} }
    default:
  }
  return { hasFailed: false, outputs: {} }
}

/** A folder gives its files. @returns whether there is such a file or folder */
function upload({ name = '', path = '' }: Texts, { root, uploads }: Place): boolean {
  const from = join(root, path)
  const to = join(uploads, ownRun, name)
  if (!existsSync(from)) return false
  cpSync(from, statSync(from).isDirectory() ? to : join(to, basename(from)), { recursive: true })
  return true
}

/** @returns whether the run has such an artifact */
function download(given: Texts, { root, uploads }: Place): boolean {
  const { name = '', path = '', pattern, 'run-id': run = ownRun } = given
  const ofRun = join(uploads, run)
  const found = (existsSync(ofRun) ? readdirSync(ofRun) : []).filter((one) =>
    pattern === undefined ? one === name : one.startsWith(pattern.replace('*', '')),
  )
  const to = resolve(root, path)
  for (const one of found)
    cpSync(join(ofRun, one), pattern === undefined ? to : join(to, one), { recursive: true })
  return found.length > 0
}

async function useOwnAction(running: Running, folder: string, given: Texts, contexts: Contexts) {
  const action = readAction(join(folder, 'action.yml'))
  const inputs = mapValues(
    action.inputs,
    ({ default: fallback = '' }, name) => given[name] ?? String(fillIn(fallback, contexts)),
  )
  const { github, runner } = contexts
  const own: Contexts = { github, runner, inputs }
  const { hasFailed, steps } = await runSteps(running, action.runs.steps, own, { GITHUB_ACTION_PATH: folder })
  return {
    hasFailed,
    outputs: mapValues(action.outputs, ({ value }) => String(fillIn(value, { ...own, steps }))),
  }
}
