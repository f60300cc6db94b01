/** AWS Batch and Step Functions for tests of templates/aws-batch: jobs are processes with the environment of their definition. */
import { spawn } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, ended, installLauncher, run } from '../cli/run.ts'
import type { LiveJson } from './bucket.ts'
import type { Template } from './cloudformation.ts'
import { editDatabase } from './database.ts'
import { buildNights } from './nights.ts'
import { credentials } from './publishing.ts'
import { startS3 } from './s3/server.ts'
import { execute, type StateMachine, TaskFailed } from './state-machine.ts'
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

/** The definition of a state machine as Step Functions gets it. @param template as `filledIn` makes it */
export function definitionOf({ Resources }: Template, name: string): StateMachine {
  const { Definition, DefinitionSubstitutions } = Resources[name]?.Properties as {
    readonly Definition: unknown
    readonly DefinitionSubstitutions: Readonly<Record<string, string | number>>
  }
  const valueOf = (_: string, key: string) => String(DefinitionSubstitutions[key])
  return JSON.parse(JSON.stringify(Definition).replace(/\$\{(\w+)\}/g, valueOf)) as StateMachine
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

  /** All attempts of a job. Source: AWS Batch, EvaluateOnExit: the first rule that matches counts. */
  async function runJob(
    definition: JobDefinition,
    submitted: Submitted,
    index: number | null,
  ): Promise<number> {
    const { Attempts, EvaluateOnExit } = definition.RetryStrategy
    for (let number = 1; ; number++) {
      const code = await attempt(definition, submitted, index)
      const rule = EvaluateOnExit.find(({ OnExitCode, OnReason }) =>
        OnExitCode === undefined ? OnReason === '*' : OnExitCode === String(code),
      )
      if (code === 0 || number === Attempts || rule?.Action === 'EXIT') return code
    }
  }

  async function submit(resources: Template['Resources'], submitted: Submitted): Promise<unknown> {
    const definition = resources[submitted.JobDefinition]?.Properties as unknown as JobDefinition
    const { Size } = submitted.ArrayProperties ?? {}
    const indexes = Size === undefined ? [null] : Array.from({ length: Size }, (_, index) => index)
    const codes = await Promise.all(indexes.map((index) => runJob(definition, submitted, index)))
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
      return execute(definitionOf(template, name), input, context, (resource, args) => {
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
    /** The newest price of a fund is implausible. */
    changePrice: () => {
      const changed = folder.file('changed.sqlite')
      cpSync(db, changed)
      const last =
        '(isin, date) = (SELECT isin, max(date) FROM price WHERE isin = (SELECT max(isin) FROM fund))'
      editDatabase(changed, `UPDATE price SET net_asset_value = '1000000' WHERE ${last}`)
      server.put('fund-in', 'funds.sqlite', readFileSync(changed))
    },
    dropDatabase: () => {
      server.remove('fund-in', 'funds.sqlite')
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
