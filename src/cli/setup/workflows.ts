/** A company's workflows: those of this repository, with the released actions in place of the local ones and another time. */

import { readFile } from 'node:fs/promises'
import { parseRelease } from './release.ts'

/** Three folders up, from src/cli/setup and from dist/cli/setup alike: the package holds them, too. */
const folder = new URL('../../../.github/workflows/', import.meta.url)

export interface WorkflowChanges {
  /** `owner/name@version#commit` */
  readonly action: string
  /** Of the first attempt of a night, as HH:MM in UTC: all other times move with it. */
  readonly at: string
  /** '' : as they are. */
  readonly shards: string
}

const readWorkflow = (name: string) => readFile(new URL(name, folder), 'utf8')

/** @param name of the variant that has the schedule: the only nightly workflow that is written */
export async function makeWorkflows(name: string, changes: WorkflowChanges) {
  const nightly = await readWorkflow('nightly.yml')
  const schedule = /^ {2}schedule:\n(?: {4}.*\n)+/m.exec(nightly)?.[0] ?? ''
  const chosen = await readWorkflow(name)
  const scheduled = chosen.includes('\n  schedule:') ? chosen : chosen.replace('\non:\n', `$&${schedule}`)
  const minutes = firstMinutes(nightly)
  return [
    { path: `.github/workflows/${name}`, text: derive(scheduled, minutes, changes) },
    { path: '.github/workflows/guard.yml', text: derive(await readWorkflow('guard.yml'), minutes, changes) },
  ]
}

/** The times of the attempts and of the guard, as HH:MM in UTC, if the first attempt is at `at`. */
export async function timesFrom(at: string) {
  const nightly = await readWorkflow('nightly.yml')
  const guard = await readWorkflow('guard.yml')
  const by = shift(firstMinutes(nightly), at)
  const times = (text: string) => cronsIn(text).map((minutes) => clock(minutes + by))
  return { attempts: times(nightly), guard: times(guard) }
}

const cron = /(?<=cron: ')(\d+) (\d+)(?= \* \* \*')/g
const cronsIn = (text: string) =>
  [...text.matchAll(cron)].map(([, minute, hour]) => Number(hour) * 60 + Number(minute))
const firstMinutes = (nightly: string) => Math.min(...cronsIn(nightly))

const day = 24 * 60
const shift = (first: number, at: string) => {
  const [hour, minute] = at.split(':').map(Number)
  return (hour ?? 0) * 60 + (minute ?? 0) - first
}
const clock = (minutes: number) => {
  const within = (minutes + day) % day
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(within / 60))}:${two(within % 60)}`
}

/** @throws {Error} if something is left that only the repository of fundpress has */
function derive(text: string, first: number, { action, at, shards }: WorkflowChanges): string {
  const { repository = '', version = '', commit = '' } = parseRelease(action) ?? {}
  const derived = text
    .replaceAll(/uses: \.\/(\.github\/actions\/[\w-]+)/g, `uses: ${repository}/$1@${commit} # v${version}`)
    .replaceAll(cron, (_, minute: string, hour: string) => {
      const [newHour, newMinute] = clock(Number(hour) * 60 + Number(minute) + shift(first, at)).split(':')
      return `${Number(newMinute)} ${Number(newHour)}`
    })
    .replace(/shard: \[[\d, ]+\]/, (list) => (shards === '' ? list : `shard: [${numbersTo(shards)}]`))
    .replaceAll('templates/github/README.md', 'SETUP.md')
    .replace(/ To use it, move the schedule of nightly\.yml to this file\./, '')
  const [local] = /(?<![\w/-])(?:\.\/)?\.github\/actions\/\S*|\bsrc\/\S+/.exec(derived) ?? []
  if (local !== undefined)
    throw new Error(`a workflow of this release needs ${local}: it cannot be used elsewhere`)
  return derived
}

const numbersTo = (last: string) => Array.from({ length: Number(last) }, (_, index) => index + 1).join(', ')
