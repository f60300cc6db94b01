/** Runs our workflows and composite actions step by step, as GitHub would: bash for real, the actions of others in their place. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeTempFolder, repository } from '../product.ts'
import { writeWarmProgram } from '../warm-program.ts'
import { fillIn, holds, type Contexts } from './expressions.ts'
import { readAction, readWorkflow, type Job, type Step } from './files.ts'

export interface Surroundings {
  /** http://127.0.0.1:port of the API. */
  readonly api: string
  /** The repository's variables. */
  readonly vars: Readonly<Record<string, string>>
  /** The secrets of the repository, none unless given. */
  readonly secrets?: Readonly<Record<string, string>>
  /** The cron of a scheduled run. */
  readonly schedule?: string
  /** Of workflow_dispatch; the defaults unless given. */
  readonly inputs?: Readonly<Record<string, string | boolean>>
  /** Artifacts: a file each, by run and name: `815/fund-database`. */
  readonly artifacts?: Readonly<Record<string, string>>
  /** What whoever assumes the role gets. */
  readonly credentials: Readonly<Record<string, string>>
  /** The branch or the tag that the run is of, main unless given. */
  readonly ref?: string
  /** Jobs that no other one needs: as if the workflow had none of them. */
  readonly without?: readonly string[]
  /** Whether a job leaves what it writes into the checkout to those after it, and to the test; a matrix never does. */
  readonly keepsFiles?: false
}

export interface RanJob {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: Readonly<Record<string, string>>
  /** What the steps wrote to both streams, all of them. */
  readonly log: string
  /** The Markdown of the step summaries. */
  readonly summary: string
}

export type Runner = ReturnType<typeof openRunner>

export function openRunner() {
  const folder = makeTempFolder()
  const bin = folder.file('bin')
  const calls = folder.file('npm-calls')
  mkdirSync(bin)
  // Never the real one: node_modules of the checkout are those of the repository.
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$PWD: npm $*" >> '${calls}'\n`, { mode: 0o755 })
  const root = folder.file('checkout')
  mkdirSync(root)
  cpSync(join(repository, '.github'), join(root, '.github'), { recursive: true })
  mkdirSync(join(root, 'src/cli'), { recursive: true })
  writeWarmProgram(join(root, 'src/cli/fundpress.mjs'), folder.file('orders'))
  const namesIn = (under: string) => readdirSync(join(repository, under)).map((name) => join(under, name))
  for (const name of ['templates', 'node_modules', 'package.json', ...namesIn('src'), ...namesIn('src/cli')])
    if (!existsSync(join(root, name))) symlinkSync(join(repository, name), join(root, name))
  return {
    /** A checkout that tests may change: a copy of .github, links to everything else but the program. */
    checkout: { ...folder, path: root, file: (name: string) => join(root, name) },
    /** Programs that steps find before those of the machine. */
    bin,
    /** The artifacts of the last run, a folder each. */
    uploads: folder.file('uploads'),
    /** How npm was called. */
    npmCalls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : []),
    remove: folder.remove,
    /** @param earlier an attempt whose failed jobs are run again: the others are not, and their artifacts stay */
    run: async (
      workflow: string,
      surroundings: Surroundings,
      earlier: Readonly<Record<string, RanJob>> = {},
    ) => {
      const ran: Record<string, RanJob> = {}
      const { jobs, name, on } = readWorkflow(join(root, '.github/workflows', workflow))
      const defaults = mapValues(on.workflow_dispatch?.inputs, (input) => input.default)
      const inputs = { ...defaults, ...surroundings.inputs }
      const uploads = folder.file('uploads')
      if (Object.keys(earlier).length === 0) rmSync(uploads, { recursive: true, force: true })
      mkdirSync(uploads, { recursive: true })
      for (const [id, job] of Object.entries(jobs)) {
        if (surroundings.without?.includes(id)) continue
        const done = earlier[id]
        if (done?.result === 'success') {
          ran[id] = done
          continue
        }
        const needed = neededBy(job, ran)
        const contexts: Contexts = {
          inputs,
          vars: surroundings.vars,
          secrets: surroundings.secrets ?? {},
          github: { token: `token-of-${id}`, event: { schedule: surroundings.schedule } },
          ...(needed.length === 0 ? {} : { needs: Object.fromEntries(needed) }),
        }
        const hasFailed = needed.some(([, { result }]) => result !== 'success')
        const temp = folder.file(`temp-${id}`)
        const place = { ...surroundings, root, bin, workflow: name, temp, uploads }
        ran[id] = holds(job.if, contexts, hasFailed)
          ? await runMachines(job, contexts, place)
          : { result: 'skipped', outputs: {}, log: '', summary: '' }
      }
      return ran as Readonly<typeof ran>
    },
  }
}

function neededBy({ needs = [] }: Job, ran: Readonly<Record<string, RanJob>>) {
  return [needs].flat().map((id) => {
    const job = ran[id]
    if (job === undefined) throw new Error(`a job comes before ${id}, which it needs`)
    return [id, { result: job.result, outputs: job.outputs }] as const
  })
}

/** One machine, or one for each value of a matrix. */
async function runMachines(job: Job, contexts: Contexts, place: Place): Promise<RanJob> {
  if (job.strategy === undefined) return runJob(job, contexts, place)
  const [row, ...others] = Object.entries(job.strategy.matrix)
  if (row === undefined || others.length > 0)
    throw new Error('the runner of the tests knows matrices of one row')
  const [name, values] = row
  const ran: RanJob[] = []
  for (const value of values) {
    const own = { ...contexts, matrix: { [name]: value }, strategy: { 'job-total': values.length } }
    ran.push(await runJob(job, own, { ...place, keepsFiles: false, temp: `${place.temp}-${value}` }))
  }
  const said = ran.flatMap(({ outputs }) => Object.entries(outputs).filter(([, output]) => output !== ''))
  return {
    result: ran.every(({ result }) => result === 'success') ? 'success' : 'failure',
    outputs: Object.fromEntries(said),
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
  /** The artifacts of this run, a folder each. */
  readonly uploads: string
}

/** A job under way. */
interface Running {
  readonly place: Place
  readonly job: Job
  readonly env: Record<string, string>
  log: string
  summary: string
  files: number
}

async function runJob(job: Job, contexts: Contexts, place: Place): Promise<RanJob> {
  const before = new Set(readdirSync(place.root))
  if (place.keepsFiles === false) rmSync(place.temp, { recursive: true, force: true })
  mkdirSync(place.temp, { recursive: true })
  const env = {
    PATH: [place.bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: place.temp,
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: place.api,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_ACTOR: 'operator',
    GITHUB_REPOSITORY: 'owner/funds',
    GITHUB_REPOSITORY_OWNER: 'Owner',
    GITHUB_RUN_ID: '4711',
    GITHUB_REF_NAME: place.ref ?? 'main',
    GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
    GITHUB_WORKFLOW: place.workflow,
    GITHUB_WORKSPACE: place.root,
    RUNNER_TEMP: place.temp,
    // Each job has a HOME of its own: the compiled program is kept for all of them.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    // So that nothing of the machine's own has a say, and no slot is left alone for long.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
  }
  const running: Running = { place, job, env, log: '', summary: '', files: 0 }
  const all = { ...contexts, runner: { temp: place.temp } }
  const { hasFailed, steps } = await runSteps(running, job.steps, all, {})
  const outputs = filled(job.outputs, { ...all, steps })
  if (place.keepsFiles === false)
    for (const made of readdirSync(place.root).filter((one) => !before.has(one)))
      rmSync(join(place.root, made), { recursive: true })
  const { log, summary } = running
  return { result: hasFailed ? 'failure' : 'success', outputs, log, summary }
}

type Outputs = Readonly<Record<string, string>>

async function runSteps(running: Running, steps: readonly Step[], contexts: Contexts, env: Outputs) {
  let hasFailed = false
  const ran: Record<string, { outputs: Outputs }> = {}
  for (const step of steps) {
    const known = { ...contexts, env: { ...running.env }, steps: ran }
    if (!holds(step.if, known, hasFailed)) continue
    const isScript = step.uses === undefined
    const done = await (isScript ? runScript(running, step, known, env) : useAction(running, step, known))
    if (step.id !== undefined) ran[step.id] = { outputs: done.outputs }
    hasFailed ||= done.hasFailed
  }
  return { hasFailed, steps: ran }
}

interface DoneStep {
  readonly hasFailed: boolean
  readonly outputs: Outputs
}

type Four = [string, string, string, string]

/** Source: GitHub's documentation, `jobs.<job_id>.steps[*].shell`. */
async function runScript(running: Running, step: Step, contexts: Contexts, own: Outputs): Promise<DoneStep> {
  const { place } = running
  const file = join(place.temp, `step-${++running.files}`)
  const [script, output, summary, env] = ['sh', 'output', 'summary', 'env'].map(
    (end) => `${file}.${end}`,
  ) as Four
  writeFileSync(script, step.run ?? '')
  for (const file of [output, summary, env]) writeFileSync(file, '')
  const options = step.shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e']
  const files = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, GITHUB_ENV: env }
  const child = spawn('/bin/bash', [...options, script], {
    cwd: place.root,
    env: { ...running.env, ...own, ...filled(step.env, contexts), ...files },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      running.log += chunk.toString()
    })
  const [code] = (await once(child, 'close')) as [number | null]
  running.summary += readFileSync(summary, 'utf8')
  Object.assign(running.env, readOutputs(env))
  return { hasFailed: code !== 0, outputs: readOutputs(output) }
}

function readOutputs(file: string): Outputs {
  const outputs: Record<string, string> = {}
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [, name = '', value = ''] = /^([a-z-]+|[A-Z_]+)=(.*)$/.exec(line) ?? []
    if (name === '') throw new Error(`${line} is no output`)
    outputs[name] = value
  }
  return outputs
}

const mapValues = <T, R>(values: Readonly<Record<string, T>> = {}, map: (value: T, name: string) => R) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))

const filled = (texts: Readonly<Record<string, unknown>> | undefined, contexts: Contexts): Outputs =>
  mapValues(texts, (text) => String(fillIn(String(text), contexts)))

async function useAction(running: Running, step: Step, contexts: Contexts): Promise<DoneStep> {
  const { place, job } = running
  const uses = step.uses ?? ''
  const given = filled(step.with, contexts)
  if (uses.startsWith('./')) return useOwnAction(running, join(place.root, uses), given, contexts)
  const mayUse = (scope: string, right: 'read' | 'write') => {
    if (job.permissions[scope] !== right && job.permissions[scope] !== 'write')
      throw new Error(`${uses} needs ${scope}: ${right}`)
  }
  const done: DoneStep = { hasFailed: false, outputs: {} }
  const action = uses.replace(/@[0-9a-f]{40}$/, '')
  switch (action) {
    case 'actions/checkout':
      mayUse('contents', 'read')
      return done
    case 'aws-actions/configure-aws-credentials':
      mayUse('id-token', 'write')
      if (!/^arn:aws:iam::\d{12}:role\//.test(given['role-to-assume'] ?? '')) throw new Error('no role')
      Object.assign(running.env, place.credentials)
      return done
    case 'actions/upload-artifact':
      return { hasFailed: !upload(given, place), outputs: {} }
    case 'actions/download-artifact':
      if (given['pattern'] !== undefined) {
        downloadAll(given['pattern'], given['path'] ?? '', place)
        return done
      }
      if (given['run-id'] === undefined) return { hasFailed: !downloadOwn(given, place), outputs: {} }
      mayUse('actions', 'read')
      return { hasFailed: !downloadOfRun(given, place), outputs: {} }
    default:
      return done
  }
}

/** An artifact of this run: a file, or what is in a folder. @returns whether there is such a one */
function upload({ name = '', path = '' }: Outputs, { root, uploads }: Place): boolean {
  const from = join(root, path)
  if (!existsSync(from)) return false
  rmSync(join(uploads, name), { recursive: true, force: true })
  mkdirSync(join(uploads, name))
  const isFolder = statSync(from).isDirectory()
  cpSync(from, join(uploads, name, isFolder ? '' : basename(from)), { recursive: true })
  return true
}

/** @returns whether there is such an artifact of this run */
function downloadOwn({ name = '', path = '' }: Outputs, { root, uploads }: Place): boolean {
  if (!existsSync(join(uploads, name))) return false
  cpSync(join(uploads, name), join(root, path), { recursive: true })
  return true
}

/** Artifacts of this run, a folder each. */
function downloadAll(pattern: string, path: string, { root, uploads }: Place): void {
  const [, prefix] = /^([\w-]+)\*$/.exec(pattern) ?? []
  if (prefix === undefined) throw new Error(`the runner of the tests knows no pattern like ${pattern}`)
  for (const name of readdirSync(uploads).filter((one) => one.startsWith(prefix)))
    cpSync(join(uploads, name), join(root, path, name), { recursive: true })
}

/** @returns whether there is such an artifact */
function downloadOfRun({ path = '', name = '', 'run-id': run = '' }: Outputs, { artifacts }: Place): boolean {
  const artifact = artifacts?.[`${run}/${name}`]
  if (artifact === undefined) return false
  cpSync(artifact, join(path, 'funds.sqlite'))
  return true
}

async function useOwnAction(running: Running, folder: string, given: Outputs, contexts: Contexts) {
  const action = readAction(join(folder, 'action.yml'))
  const inputs = mapValues(
    action.inputs,
    ({ default: fallback = '' }, name) => given[name] ?? String(fillIn(fallback, contexts)),
  )
  const own: Contexts = { github: contexts['github'], runner: contexts['runner'], inputs }
  const { hasFailed, steps } = await runSteps(running, action.runs.steps, own, { GITHUB_ACTION_PATH: folder })
  const outputs = mapValues(action.outputs, ({ value }) => String(fillIn(value, { ...own, steps })))
  return { hasFailed, outputs }
}
