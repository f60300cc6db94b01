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

/** Frames of a stack, and what the sample is about then: the first one that fits. */
const parts = {
  'learned habits': /\/src\/core\/guards\/(?:habits|across|arrivals)\.ts$/,
  'all guards': /\/src\/core\/guards\//,
  'guards and checks': /\/src\/core\/data\/check\//,
} as const
type Part = keyof typeof parts
const partNames = Object.keys(parts) as readonly Part[]

/** @returns shares of the CPU time of a full build with pages and downloads, in per cent; each part has those before it */
export async function costOfGuards(folder: string, funds: number, years: number) {
  const { db } = await demoSnapshot(folder, funds, years)
  const profiles = join(folder, 'profiles')
  mkdirSync(profiles)
  const words = ['build', '--db', db, '--as-of', '2026-11-19', '--out', join(folder, 'full'), '--jobs', '1']
  const flags = ['--quiet', '--docs-url', 'https://docs.example.com']
  await timed(process.execPath, ['--cpu-prof', '--cpu-prof-dir', profiles, fundpress, ...words, ...flags])
  let all = 0
  const times: Record<Part, number> = { 'learned habits': 0, 'all guards': 0, 'guards and checks': 0 }
  for (const name of readdirSync(profiles)) {
    const profile = JSON.parse(readFileSync(join(profiles, name), 'utf8')) as Profile
    const partOf = partsOf(profile)
    for (const [index, node] of profile.samples.entries()) {
      const part = partOf.get(node)
      if (part === 'idle') continue
      const time = profile.timeDeltas[index] ?? 0
      all += time
      const first = part === undefined ? partNames.length : partNames.indexOf(part)
      for (const each of partNames.slice(first)) times[each] += time
    }
  }
  if (all === 0) throw new Error(`${profiles} has no profile`)
  return Object.fromEntries(partNames.map((part) => [part, (100 * times[part]) / all]))
}

/** By the node of a profile: the part that it or a caller belongs to. */
function partsOf({ nodes }: Profile): ReadonlyMap<number, Part | 'idle' | undefined> {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const urlsOf = (id: number | undefined): readonly string[] =>
    id === undefined ? [] : [frames.get(id)?.url ?? '', ...urlsOf(parents.get(id))]
  return new Map(
    nodes.map(({ id, callFrame }) => {
      const urls = urlsOf(id)
      const part = partNames.find((one) => urls.some((url) => parts[one].test(url)))
      return [id, callFrame.functionName === '(idle)' ? 'idle' : part] as const
    }),
  )
}
