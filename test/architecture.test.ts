/** The structure of src/: which room may import which, and no cycles. `src/README.md` explains the rooms. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './support/folders.ts'

const src = join(repository, 'src')

/**
 * For each folder, what it may import besides itself: other folders with all that is in them, packages, and `node:` for the
 * built-in modules. A folder below a room can have rules of its own: the longest match counts.
 */
const mayImport: Readonly<Record<string, string>> = {
  system: '@date-fns date-fns node:',
  api: 'system',
  'api/routes': '',
  'api/contract': 'api/routes system',
  'api/derive': 'api system xmlbuilder2',
  'api/encode': 'api/contract',
  'api/endpoints': 'api/contract api/routes',
  data: 'api guards system better-sqlite3 node:',
  'data/import': 'api data guards system better-sqlite3 csv-parse fflate read-excel-file saxen node:',
  guards: 'api system date-easter',
  site: 'api guards system xmlbuilder2 node:',
  'site/changes': 'api site',
  'site/funds/chart': 'api/routes system',
  'site/funds/browser': 'api/contract api/routes site/changes site/funds/chart system',
  downloads: 'api data site system better-sqlite3 fflate hyparquet hyparquet-writer node:',
  build: 'api data downloads guards site system zod node:',
  bucket: 'api build guards site system @aws-sdk better-sqlite3 p-limit zod node:',
  edge: 'api system lru-cache p-limit node: esbuild @swc',
  'edge/cloudfront': 'api edge @aws-sdk lru-cache node:',
  'edge/core': 'api/routes',
  conform: 'system node:',
  'conform/oracle': 'better-sqlite3 node:',
  demo: 'api data guards system better-sqlite3 node:',
  'cli/monitoring': 'bucket data guards cli system zod node:',
  cli: 'api bucket build conform data demo downloads edge guards site system @commander-js date-easter date-holidays esbuild zod node:',
}

/** Folders of src/, top-level only. */
const rooms = [...new Set(Object.keys(mayImport).map((folder) => folder.split('/')[0]))].sort()

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(ts|mjs)$/.test(file) && statSync(join(src, file)).isFile())
  .map((file) => file.split(sep).join('/'))
const imports = new Map(files.map((file) => [file, importsOf(file)]))

it.each(Object.entries(mayImport))('%s imports from nowhere but: %s', (folder, allowed) => {
  const allowedTargets = [folder, ...allowed.split(' ')]
  const isAllowed = (target: string) =>
    allowedTargets.some((each) => target === each || target.startsWith(`${each}/`))
  const strangers = files
    .filter((file) => folderOf(file) === folder)
    .flatMap((file) => (imports.get(file) ?? []).map((target) => ({ file, target: placeOf(target) })))
    .filter(({ target }) => !isAllowed(target))
  expect(strangers).toEqual([])
})

it('has at most twelve rooms, each with a README of at most 80 lines beside its tables', () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).sort()).toEqual(rooms)
  expect(rooms.length).toBeLessThanOrEqual(12)
  for (const room of rooms) {
    const lines = readFileSync(join(src, room ?? '', 'README.md'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.filter((line) => !line.startsWith('|')).length, `src/${room}/README.md`).toBeLessThanOrEqual(
      80,
    )
  }
})

it('has no cycle of imports, imports of types included', () => {
  expect(cyclesOf(imports)).toEqual([])
})

/** What a file imports, statically or not: files of src/ by their path, else the package's name or `node:`. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found = text.matchAll(
    /^(?:import|export)\b[^'"]*? from '([^']+)'|(?<!')\bimport\(\s*'([^']+)'|^import '([^']+)'/gm,
  )
  return [...found].map(([, ...names]) => targetOf(file, names.find(Boolean) ?? ''))
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:'
  if (!specifier.startsWith('.')) return specifier.split('/')[0] ?? specifier
  return relative(src, join(src, dirname(file), specifier))
    .split(sep)
    .join('/')
}

/** The folder of a file of src/, or the package itself. */
function placeOf(target: string): string {
  return folderOf(target) ?? target
}

function folderOf(file: string): string | undefined {
  const folders = Object.keys(mayImport).filter((folder) => file.startsWith(`${folder}/`))
  return folders.sort((a, b) => b.length - a.length)[0]
}

/** The groups of files that import each other, directly or not (Tarjan's strongly connected components). */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (file: string) => {
    const at = order.size
    order.set(file, at)
    lowest.set(file, at)
    stack.push(file)
    const targets = graph.get(file) ?? []
    for (const target of targets.filter((each) => graph.has(each))) {
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) {
        lowest.set(file, Math.min(lowest.get(file) ?? at, lowest.get(target) ?? at))
      }
    }
    if (lowest.get(file) !== at) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1 || targets.includes(file)) cycles.push(group.sort())
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return cycles
}
