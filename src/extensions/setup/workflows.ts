/** Workflows of a company: those of this repository with released actions and other times. */

import { readFile } from 'node:fs/promises'
import { parseRelease } from '../../core/cli/release.ts'

/** The package holds the workflows, too. */
const folder = new URL('../../../.github/workflows/', import.meta.url)

interface WorkflowChanges {
  /** `owner/name@version#commit` */
  readonly action: string
  /** Time of the first attempt of a night, as HH:MM in Berlin. All other times move with it. */
  readonly at: string
}

const readWorkflow = (name: string) => readFile(new URL(name, folder), 'utf8')

export async function makeWorkflows(changes: WorkflowChanges) {
  const move = moverFrom(await readWorkflow('nightly.yml'), changes.at)
  const made = ['nightly.yml', 'watch.yml'].map(async (name) => ({
    path: `.github/workflows/${name}`,
    text: derive(await readWorkflow(name), move, changes),
  }))
  return Promise.all(made)
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
function derive(text: string, move: Mover, { action }: WorkflowChanges): string {
  const { repository = '', version = '', commit = '' } = parseRelease(action) ?? {}
  const derived = text
    .replaceAll(/uses: \.\/(\.github\/actions\/[\w-]+)/g, `uses: ${repository}/$1@${commit} # v${version}`)
    .replaceAll(cron, (_, minute: string, hour: string) => {
      const [newHour, newMinute] = move(`${two(Number(hour))}:${two(Number(minute))}`).split(':')
      return `${Number(newMinute)} ${Number(newHour)}`
    })
    .replaceAll('templates/github/README.md', 'SETUP.md')
  const [local] = /(?<![\w/-])(?:\.\/)?\.github\/actions\/\S*|\bsrc\/\S+/.exec(derived) ?? []
  if (local !== undefined)
    throw new Error(`a workflow of this release needs ${local}: it cannot be used elsewhere`)
  return derived
}
