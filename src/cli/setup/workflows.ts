/** Workflows of a company: those of this repository with released actions and other times. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseRelease } from './release.ts'

/** The package holds the workflows, too. */
const folder = new URL('../../../.github/workflows/', import.meta.url)

interface WorkflowChanges {
  /** `owner/name@version#commit` */
  readonly action: string
  /** Time of the first attempt of a night, as HH:MM in Berlin. All other times move with it. */
  readonly at: string
  /** '': unchanged. */
  readonly shards: string
}

/** The workflows that a repository has, by name. */
export function workflowsIn(dest: string) {
  const place = join(dest, '.github/workflows')
  const names = existsSync(place) ? readdirSync(place).filter((name) => /\.ya?ml$/.test(name)) : []
  return names.sort().map((name) => {
    const file = join(place, name)
    return { name, file, text: readFileSync(file, 'utf8') }
  })
}

const readWorkflow = (name: string) => readFile(new URL(name, folder), 'utf8')

/** Runs nights of a released fundpress by itself. Only one workflow may, as two would publish past each other. */
export const publishesOnSchedule = (text: string): boolean =>
  /^ *schedule:/m.test(text) && /uses: \S+\/\.github\/actions\/fundpress@/.test(text)

/** @param name of the nightly workflow, which gets the schedule */
export async function makeWorkflows(name: string, changes: WorkflowChanges) {
  const nightly = await readWorkflow('nightly.yml')
  const schedule = /^ {2}schedule:\n(?: {4}.*\n)+/m.exec(nightly)?.[0] ?? ''
  const chosen = await readWorkflow(name)
  const scheduled = chosen.includes('\n  schedule:') ? chosen : chosen.replace('\non:\n', `$&${schedule}`)
  const move = moverFrom(nightly, changes.at)
  return [
    { path: `.github/workflows/${name}`, text: derive(scheduled, move, changes) },
    { path: '.github/workflows/watch.yml', text: derive(await readWorkflow('watch.yml'), move, changes) },
  ]
}

type Mover = (time: string) => string

/** @returns the times of all attempts in Berlin, and the function that moves other times */
export async function timesFrom(at: string): Promise<{ attempts: readonly string[]; move: Mover }> {
  const nightly = await readWorkflow('nightly.yml')
  const move = moverFrom(nightly, at)
  return { attempts: timesIn(nightly).map(move), move }
}

/** Each day, or Sundays. */
const cron = /(?<=')(\d+) (\d+)(?= \* \* [*0]')/g
const two = (value: number) => String(value).padStart(2, '0')
const timesIn = (text: string) =>
  [...text.matchAll(cron)].map(([, minute, hour]) => `${two(Number(hour))}:${two(Number(minute))}`).sort()

function moverFrom(nightly: string, at: string): Mover {
  const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  const day = 24 * 60
  const by = minutesOf(at) - minutesOf(timesIn(nightly)[0] ?? at)
  return (time) => {
    const within = (minutesOf(time) + by + day) % day
    return `${two(Math.floor(within / 60))}:${two(within % 60)}`
  }
}

/** @throws {Error} if the result names a file that only the repository of fundpress has */
function derive(text: string, move: Mover, { action, shards }: WorkflowChanges): string {
  const { repository = '', version = '', commit = '' } = parseRelease(action) ?? {}
  const derived = text
    .replaceAll(/uses: \.\/(\.github\/actions\/[\w-]+)/g, `uses: ${repository}/$1@${commit} # v${version}`)
    .replaceAll(cron, (_, minute: string, hour: string) => {
      const [newHour, newMinute] = move(`${two(Number(hour))}:${two(Number(minute))}`).split(':')
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
