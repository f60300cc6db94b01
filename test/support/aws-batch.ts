/** Nights of templates/aws-batch: its state machines, whose jobs are processes with the environment of their definition. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import jsonata from 'jsonata'
import { cleanEnvironment, ended, installLauncher, run } from '../cli/run.ts'
import type { LiveJson } from './bucket.ts'
import type { Template } from './cloudformation.ts'
import { buildNights } from './nights.ts'
import { credentials } from './publishing.ts'
import { startS3 } from './s3/server.ts'
import { manifestOf } from './tree.ts'
import { writeWarmProgram } from './warm-program.ts'

interface NameAndValue {
  readonly Name: string
  readonly Value: string | number
}

export interface JobDefinition {
  readonly RetryStrategy: {
    readonly Attempts: number
    readonly EvaluateOnExit: readonly {
      readonly Action: string
      readonly OnExitCode?: string
      readonly OnReason?: string
    }[]
  }
  readonly ContainerProperties: {
    readonly Command: readonly string[]
    readonly Environment: readonly NameAndValue[]
    readonly Secrets: readonly { readonly Name: string }[]
    readonly Volumes: readonly Readonly<Record<string, unknown>>[]
  }
}

/** The arguments of `batch:submitJob.sync`. */
interface Submitted {
  readonly JobName: string
  readonly JobDefinition: string
  readonly ArrayProperties?: { readonly Size: number }
  readonly ContainerOverrides?: {
    readonly Command?: readonly string[]
    readonly Environment?: readonly NameAndValue[]
  }
}

interface Started {
  /** When the execution began, as ISO time. */
  readonly started: string
  readonly input?: Readonly<Record<string, string>>
  /** ARNs of executions that began earlier and still run. */
  readonly others?: readonly string[]
}

interface State {
  readonly Type: 'Task' | 'Choice' | 'Succeed' | 'Fail'
  readonly Resource?: string
  readonly Arguments?: unknown
  readonly Assign?: Readonly<Record<string, unknown>>
  readonly Choices?: readonly { readonly Condition: string; readonly Next: string }[]
  readonly Default?: string
  readonly Next?: string
  readonly Catch?: readonly [{ readonly Assign: Readonly<Record<string, unknown>>; readonly Next: string }]
  readonly Cause?: string
}

class TaskFailed extends Error {}

/**
 * Walks through the states of a machine, its expressions evaluated by the JSONata of npm. Retries of Step Functions are left out:
 * they are for faults of AWS.
 * @param template as `filledIn` makes it @param run does a task @returns the states, in order, and why it failed
 */
async function walk(
  { Resources }: Template,
  machine: string,
  given: { readonly input: object; readonly context: object },
  run: (resource: string, args: unknown) => Promise<unknown>,
) {
  const { Definition, DefinitionSubstitutions } = Resources[machine]?.Properties as {
    readonly Definition: unknown
    readonly DefinitionSubstitutions: Readonly<Record<string, string | number>>
  }
  const text = JSON.stringify(Definition).replace(/\$\{(\w+)\}/g, (_, key: string) => {
    if (!(key in DefinitionSubstitutions)) throw new Error(`nothing substitutes ${key}`)
    return String(DefinitionSubstitutions[key])
  })
  const { StartAt, States } = JSON.parse(text) as { StartAt: string; States: Readonly<Record<string, State>> }
  const variables: Record<string, unknown> = {}
  const evaluated = async (value: unknown, more: object = {}): Promise<unknown> => {
    if (typeof value === 'object' && value !== null) {
      const made: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {}
      for (const [name, item] of Object.entries(value))
        Object.assign(made, { [name]: await evaluated(item, more) })
      return made
    }
    const [, expression] = /^\{%(.*)%\}$/s.exec(String(value)) ?? []
    if (expression === undefined) return value
    const parsed = jsonata(expression)
    parsed.registerFunction('parse', (json: string) => JSON.parse(json) as unknown)
    const result: unknown = await parsed.evaluate({}, { ...variables, states: { ...given, ...more } })
    if (result === undefined) throw new Error(`${expression} returned nothing`)
    return result
  }
  const states: string[] = []
  for (let name = StartAt; ;) {
    const state = States[name]
    if (state === undefined) throw new Error(`there is no state ${name}`)
    states.push(name)
    if (state.Type === 'Fail') return { states, cause: String(await evaluated(state.Cause)) }
    let next = state.Next
    if (state.Type === 'Choice') {
      next = state.Default
      for (const choice of (state.Choices ?? []).toReversed())
        if ((await evaluated(choice.Condition)) === true) next = choice.Next
    } else if (state.Type === 'Task')
      try {
        const result = await run(String(state.Resource), await evaluated(state.Arguments))
        Object.assign(variables, await evaluated(state.Assign ?? {}, { result }))
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error
        const [caught] = state.Catch ?? []
        if (caught === undefined) return { states, cause: error.message }
        const errorOutput = { Cause: error.message }
        Object.assign(variables, await evaluated(caught.Assign, { errorOutput }))
        next = caught.Next
      }
    if (next === undefined) return { states, cause: null }
    name = next
  }
}

export type Batch = Awaited<ReturnType<typeof openBatch>>

/** A database in the bucket `fund-in`, an empty bucket `funds` to publish to below `nights/`, and what runs executions. */
export async function openBatch() {
  const nights = await buildNights(0, 2, { years: 1 })
  const { folder } = nights
  const db = folder.file('funds.sqlite')
  const original = readFileSync(db)
  const server = await startS3({ buckets: ['fund-in', 'funds'] })
  // The image: what its Dockerfile copies, and its entry point.
  const recipe = readFileSync('templates/aws-batch/Dockerfile', 'utf8')
  const [, home = ''] = /^WORKDIR (.*)$/m.exec(recipe) ?? []
  const entryPoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(recipe)?.[1] ?? '') as readonly string[]
  const image = folder.file(`image${home}`)
  mkdirSync(image, { recursive: true })
  copyFileSync('templates/aws-batch/job.sh', join(image, 'job.sh'))
  const config = {
    pages: false,
    downloads: false,
    bucket: { endpoint: server.endpoint, pathStyle: true, lateSeconds: 0, graceSeconds: 0 },
  }
  writeFileSync(join(image, 'fundpress.config.json'), JSON.stringify(config))
  const programs = installLauncher(folder.file('bin'), folder.file('fundpress.mjs'))
  writeWarmProgram(folder.file('fundpress.mjs'), folder.file('orders'))
  mkdirSync(folder.file('shared'))

  let log = ''
  let attempts: string[] = []
  let count = 0

  /** One attempt of a job, on a disk of its own. @returns its exit code */
  async function attempt(
    definition: JobDefinition,
    submitted: Submitted,
    index: number | null,
  ): Promise<number> {
    const { ContainerProperties } = definition
    const { Command = ContainerProperties.Command, Environment = [] } = submitted.ContainerOverrides ?? {}
    const disk = folder.file(`disk-${++count}`)
    mkdirSync(disk)
    const here = (text: string) =>
      text
        .replace(/^\/workdir(?=\/|$)/, disk)
        .replace(/^\/shared(?=\/|$)/, folder.file('shared'))
        .replace(new RegExp(`^${home}(?=/)`), image)
    const given = [...ContainerProperties.Environment, ...Environment].map(({ Name, Value }) => {
      if (typeof Value !== 'string' && Name !== 'SHARDS') throw new Error(`${Name} is no text`)
      return [Name, here(String(Value))]
    })
    const [program = '', ...args] = [...entryPoint, ...Command].map(here)
    const child = spawn(program, args, {
      cwd: image,
      env: {
        ...cleanEnvironment(),
        ...credentials,
        AWS_EC2_METADATA_DISABLED: 'true',
        PATH: `${programs}:${process.env['PATH'] ?? ''}`,
        ...(Object.fromEntries(given) as Record<string, string>),
        ...(index === null ? {} : { AWS_BATCH_JOB_ARRAY_INDEX: String(index) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { code, stdout, stderr } = await ended(child)
    log += `-- ${submitted.JobName} ${index ?? ''}: ${code}\n${stdout}${stderr}`
    attempts.push(`${submitted.JobName} ${code}`)
    return code ?? -1
  }

  async function submit(resources: Template['Resources'], submitted: Submitted): Promise<unknown> {
    const definition = resources[submitted.JobDefinition]?.Properties as unknown as JobDefinition
    const { Size } = submitted.ArrayProperties ?? {}
    const indexes = Size === undefined ? [null] : Array.from({ length: Size }, (_, index) => index)
    const codes = await Promise.all(indexes.map((index) => attempt(definition, submitted, index)))
    const ExitCode = codes.find((code) => code !== 0)
    if (ExitCode === undefined) return { Status: 'SUCCEEDED' }
    throw new TaskFailed(
      JSON.stringify({ JobName: submitted.JobName, Status: 'FAILED', Container: { ExitCode } }),
    )
  }

  return {
    /** Runs a state machine of a template that `filledIn` has made. */
    execute: (template: Template, name: string, { started, input = {}, others = [] }: Started) => {
      const id = `execution-${++count}`
      const context = { Execution: { Id: id, Name: id, StartTime: started }, StateMachine: { Id: name } }
      log = ''
      return walk(template, name, { input, context }, (resource, args) => {
        if (resource.endsWith('batch:submitJob.sync')) return submit(template.Resources, args as Submitted)
        if (resource.endsWith('aws-sdk:sfn:listExecutions'))
          return Promise.resolve({ Executions: [id, ...others].map((ExecutionArn) => ({ ExecutionArn })) })
        throw new Error(`nobody knows ${resource}`)
      })
    },
    /** What the jobs of the last execution said. */
    log: () => log,
    /** Jobs with their exit codes, in order, since the last call. */
    attempts: () => {
      const done = attempts
      attempts = []
      return done
    },
    live: () => {
      const { body } = server.objects('funds').get('nights/live.json') ?? {}
      return body === undefined ? undefined : (JSON.parse(body.toString()) as LiveJson)
    },
    /** The snapshot that one machine would make. */
    snapshotOf: async (day: string) => {
      const out = folder.file(`out-${day}`)
      const line = ['build', '--db', db, '--out', out, '--as-of', day, '--quiet']
      const { code, stderr } = await run(line, { cwd: image })
      if (code !== 0) throw new Error(stderr)
      return manifestOf(out).head.snapshot
    },
    /** As at the start. */
    reset: () => {
      server.empty('funds')
      server.put('fund-in', 'funds.sqlite', original)
      attempts = []
    },
    stop: async () => {
      await server.stop()
      nights.remove()
    },
  }
}
