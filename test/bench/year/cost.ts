/** What the guards cost a full build: samples of a profile of all its threads, by what they were about. */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoSnapshot, fundpress, timed } from '../bench.ts'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[]
}

const idle = new Set(['(idle)', '(program)'])

/** By the innermost file that is one of these. */
const rooms = { guards: '/src/core/guards/', check: '/src/core/data/check/' } as const
type Room = keyof typeof rooms

/** @returns shares of the CPU time of the build, from 0 to 1: of the guards, and of the checks that call them, too */
export async function costOfGuards(folder: string, funds: number, years: number) {
  const { db } = await demoSnapshot(folder, funds, years)
  const profiles = join(folder, 'profiles')
  mkdirSync(profiles)
  const words = ['build', '--db', db, '--as-of', '2026-11-19', '--out', join(folder, 'full'), '--jobs', '1']
  const flags = ['--no-pages', '--no-downloads', '--quiet', '--docs-url', 'https://docs.example.com']
  await timed(process.execPath, ['--cpu-prof', '--cpu-prof-dir', profiles, fundpress, ...words, ...flags])
  const total = { all: 0, guards: 0, check: 0 }
  for (const name of readdirSync(profiles)) {
    const profile = JSON.parse(readFileSync(join(profiles, name), 'utf8')) as Profile
    const roomOf = roomsOf(profile)
    const isIdle = new Set(
      profile.nodes.filter(({ callFrame }) => idle.has(callFrame.functionName)).map(({ id }) => id),
    )
    for (const [index, node] of profile.samples.entries()) {
      if (isIdle.has(node)) continue
      const time = profile.timeDeltas[index] ?? 0
      total.all += time
      const room = roomOf(node)
      if (room !== undefined) total[room] += time
    }
  }
  if (total.all === 0) throw new Error(`${profiles} has no profile`)
  return { guards: total.guards / total.all, checks: (total.guards + total.check) / total.all }
}

/** @returns the room of a node: its own, else that of its callers; a guard counts as one, whoever calls it */
function roomsOf({ nodes }: Profile): (id: number) => Room | undefined {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const own = new Map(
    nodes.map(({ id, callFrame }) => {
      const found = Object.entries(rooms).find(([, path]) => callFrame.url.includes(path))
      return [id, found?.[0] as Room | undefined] as const
    }),
  )
  return (id) => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const room = own.get(at)
      if (room !== undefined) return room
    }
    return undefined
  }
}
