/** Reads workflow and action files. A key that the runner of the tests would ignore throws. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

type Texts = Readonly<Record<string, string>>

export interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Texts
  readonly run?: string
  readonly shell?: string
  readonly env?: Texts
}

export interface Job {
  readonly needs?: string | readonly string[]
  readonly if?: string
  readonly environment?: string
  readonly concurrency?: Concurrency
  readonly 'timeout-minutes': number
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>
  readonly outputs?: Texts
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> }
  readonly steps: readonly Step[]
}

interface Concurrency {
  readonly group: string
  readonly 'cancel-in-progress': boolean
}

interface Workflow {
  readonly name: string
  readonly on: {
    readonly push?: { readonly tags: readonly string[] }
    readonly schedule?: readonly { readonly cron: string; readonly timezone: string }[]
    readonly workflow_dispatch?: {
      readonly inputs?: Readonly<Record<string, { readonly default: string | boolean }>>
    } | null
  }
  readonly permissions: Readonly<Record<string, never>>
  readonly concurrency?: Concurrency
  readonly jobs: Readonly<Record<string, Job>>
}

interface Action {
  readonly name: string
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>
  readonly outputs?: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

const stepKeys = 'id name if uses with run shell env'
const jobKeys = 'needs if runs-on timeout-minutes environment concurrency permissions outputs strategy steps'

export function readWorkflow(file: string): Workflow {
  const workflow = parse(readFileSync(file, 'utf8')) as Workflow
  expectOnly(file, workflow, 'name on permissions concurrency jobs')
  expectOnly(file, workflow.on, 'push schedule workflow_dispatch')
  for (const time of workflow.on.schedule ?? []) expectOnly(file, time, 'cron timezone')
  for (const job of Object.values(workflow.jobs)) {
    expectOnly(file, job, jobKeys)
    if (job.strategy !== undefined) expectOnly(file, job.strategy, 'matrix')
    for (const step of job.steps) expectOnly(file, step, stepKeys)
  }
  return workflow
}

export function readAction(file: string): Action {
  const action = parse(readFileSync(file, 'utf8')) as Action
  expectOnly(file, action, 'name description author inputs outputs runs')
  expectOnly(file, action.runs, 'using steps')
  for (const step of action.runs.steps) expectOnly(file, step, stepKeys)
  return action
}

/** @param known names between blanks */
export function expectOnly(where: string, value: object, known: string): void {
  const strange = Object.keys(value).filter((key) => !known.split(' ').includes(key))
  if (strange.length > 0) throw new Error(`${where}: the runner of the tests knows no ${strange.join(', ')}`)
}
