/** `fundpress nightly` on a database of a fund or two and a bucket of its own, as anew before each test. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { buildNights } from '../../support/nights.ts'
import { openPress, type Press } from '../../support/press.ts'
import type { Run } from '../../support/product.ts'

export const asOf = '2026-11-11'

let press: Press | undefined
let original: Buffer

/** To be called once in a file of tests. @param funds fewer are published sooner */
export function useNights(funds = 2): void {
  beforeAll(async () => {
    press = await openPress(await buildNights(1, funds, { years: 1 }))
    original = readFileSync(db())
  })
  afterAll(() => press?.stop())
  beforeEach(() => {
    thePress().reset()
    writeFileSync(db(), original)
    for (const name of ['out', 'night.md', 'outputs']) rmSync(fileOf(name), { recursive: true, force: true })
  })
}

export function thePress(): Press {
  if (press === undefined) throw new Error('useNights() makes the press before the tests')
  return press
}

export const theBucket = () => thePress().bucket
export const fileOf = (name: string) => thePress().nights.folder.file(name)
export const db = () => fileOf('funds.sqlite')
export const read = (name: string) => readFileSync(fileOf(name), 'utf8')

/** The night of {@link asOf}, unless the flags say otherwise. */
export const nightly = (flags = '', env: Readonly<Record<string, string>> = {}): Promise<Run> =>
  thePress().fundpress(`nightly --db funds.sqlite --as-of ${asOf} ${flags}`.trim(), env)

/** A line of `--json`. */
export interface Event {
  readonly time: string
  readonly step: string
  readonly event: string
  readonly [figure: string]: unknown
}

export const eventsOf = ({ stdout }: Run): readonly Event[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Event)
export const lastOf = (run: Run) => eventsOf(run).at(-1)
export const stepsOf = (run: Run) => eventsOf(run).map(({ step, event }) => `${step} ${event}`)

/** The steps of a night in which all is well. */
export const wholeNight = [
  ...['night begun', 'check begun', 'check done', 'build done', 'plan begun', 'plan done', 'publish begun'],
  ...['publish done', 'verify begun', 'verify done', 'status begun', 'status done', 'night done'],
]
export const nothingToDo = ['night begun', 'night skipped']

/** What the bucket keeps of the last nights. */
export const historyOf = () =>
  JSON.parse(theBucket().body('nightly/history.json').toString()) as {
    nights: readonly Readonly<Record<string, unknown>>[]
  }
