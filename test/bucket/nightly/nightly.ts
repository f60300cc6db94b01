/** `fundpress nightly` on a database of a fund or two and a bucket of its own, as anew before each test. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { buildNights } from '../../support/nights.ts'
import { openPress, type Press } from '../../support/press.ts'
import type { Run } from '../../support/product.ts'

export const asOf = '2026-11-11'

export let press: Press
let original: Buffer

/** To be called once in a file of tests. @param funds fewer are published sooner */
export function useNights(funds = 2): void {
  beforeAll(async () => {
    press = await openPress(await buildNights(1, funds, { years: 1 }))
    original = readFileSync(db())
  })
  afterAll(() => press.stop())
  beforeEach(() => {
    press.reset()
    writeFileSync(db(), original)
    for (const name of ['out', 'night.md', 'outputs']) rmSync(fileOf(name), { recursive: true, force: true })
  })
}

export const fileOf = (name: string) => press.nights.folder.file(name)
export const db = () => fileOf('funds.sqlite')
export const read = (name: string) => readFileSync(fileOf(name), 'utf8')

/** Reads few bodies after its publish. */
export const nightlyOf = (
  day: string,
  flags = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Run> => press.fundpress(`nightly --db funds.sqlite --as-of ${day} --sample 9 ${flags}`.trim(), env)
export const nightly = (flags = '', env: Readonly<Record<string, string>> = {}) => nightlyOf(asOf, flags, env)

/** The lines of `--json`. */
export const eventsOf = ({ stdout }: Run) => {
  const lines = stdout.trimEnd().split('\n')
  return lines.map(
    (line) => JSON.parse(line) as Record<'time' | 'step' | 'event', string> & Record<string, unknown>,
  )
}
export const lastOf = (run: Run) => eventsOf(run).at(-1)
export const buildOf = (run: Run) =>
  eventsOf(run).find(({ step, event }) => `${step} ${event}` === 'build done')
export const stepsOf = (run: Run) => eventsOf(run).map(({ step, event }) => `${step} ${event}`)

/** The steps of a run without problems. */
export const wholeNight = [
  'night begun',
  'check begun',
  'check done',
  'build done',
  'publish begun',
  'plan done',
  'publish done',
  'verify begun',
  'verify done',
  'status begun',
  'status done',
  'night done',
]
export const inWorkflow = () => ({ GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: fileOf('outputs') })
export const nothingToDo = ['night begun', 'night skipped']

const tables =
  'price performance_year structure_item key_figure legal_period legal_point launch_point profile'
    .split(' ')
    .concat('asset_allocation', 'emt', 'corporate_action', 'document', 'fund')
/** SQL that removes a fund. @param isin an expression */
export const withoutFund = (isin: string) =>
  tables.map((table) => `DELETE FROM ${table} WHERE isin = ${isin};`).join('')

type Entries = readonly Readonly<Record<string, unknown>>[]
const kept = () =>
  JSON.parse(press.bucket.body('nightly/history.json').toString()) as Readonly<
    Record<'nights' | 'events', Entries>
  >

/** What the bucket keeps of the last runs. */
export const history = () => kept().nights
/** What it keeps of refusals, failures, permissions and rollbacks. */
export const keptEvents = () => kept().events

/** Changes the figures of all nights. */
export function editHistory(fields: object): void {
  const nights = history().map((one) => ({ ...one, ...fields }))
  press.bucket.put('nightly/history.json', JSON.stringify({ ...kept(), nights }))
}
