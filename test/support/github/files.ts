/** Reads workflow and action files. GitHub's validation (lint.ts) finds unknown keys. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

type Texts = Readonly<Record<string, string>>
type Concurrency = Readonly<Record<'group', string> & Record<'cancel-in-progress', boolean>>

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
  readonly steps: readonly Step[]
}

interface Workflow {
  readonly on: {
    readonly push?: { readonly tags: readonly string[] }
    readonly schedule?: readonly { readonly cron: string; readonly timezone: string }[]
  }
  readonly name: string
  readonly permissions: object
  readonly concurrency?: Concurrency
  readonly jobs: Readonly<Record<string, Job>>
}

interface Action {
  readonly name: string
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs?: Readonly<Record<string, object>>
  readonly runs: { readonly steps: readonly Step[] }
}

export const readWorkflow = (file: string) => parse(readFileSync(file, 'utf8')) as Workflow

export const readAction = (file: string) => parse(readFileSync(file, 'utf8')) as Action
