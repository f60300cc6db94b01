/** The table of guards in the README of their room, made from the list of guards and the shares that they let pass. */

import { type GuardName, guards } from '../core/guards/guards.ts'
import { limits } from '../core/guards/loss.ts'

const heading = '| `--allow` | refuses | limit |\n|---|---|---|\n'

/** @returns the README with the table of today @throws {Error} if it has none */
export function withGuardTable(readme: string): string {
  const [before, table] = readme.split(heading)
  if (before === undefined || table === undefined) throw new Error('the README has no table of guards')
  const after = table.slice(table.indexOf('\n\n'))
  const rows = (Object.keys(guards) as GuardName[]).map(rowOf)
  return before + heading + rows.join('\n') + after
}

function rowOf(name: GuardName): string {
  const { refuses, subject } = guards[name]
  const named = subject === null ? name : `${name}:<${subject.replace(',', '>,<')}>`
  return `| \`${named}\` | ${refuses} | ${limitOf(name)} |`
}

/** The limit of all, then those of single subjects: `0.2; price: 0.01`. */
function limitOf(name: GuardName): string {
  const shares = new Map(Object.entries(limits).map(([key, share]) => [key, Number(share.toFixed(2))]))
  const { setting } = guards[name]
  const ofAll = shares.get(name) ?? (setting === 'expectations.strictness' ? 'habits' : setting)
  const ofSubjects = [...shares].flatMap(([key, share]) =>
    key.startsWith(`${name}:`) ? [`${key.slice(name.length + 1)}: ${share}`] : [],
  )
  return [ofAll ?? [], ofSubjects].flat().join('; ')
}
