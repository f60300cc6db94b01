/** The structure of src/: the wall between core and extensions, which room may import which, and no cycles. `src/README.md` explains it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './support/folders.ts'

const src = join(repository, 'src')

/**
 * For each folder of the core, what it may import besides itself: other folders with all that is in them, packages, and `node:`
 * for the built-in modules. A folder below a room can have rules of its own: the longest match counts.
 */
const mayImport: Readonly<Record<string, string>> = {
  'core/system': '@date-fns date-fns node:',
  'core/api': 'core/system',
  'core/api/routes': '',
  'core/api/contract': 'core/api/routes core/system',
  'core/api/derive': 'core/api core/system',
  'core/api/encode': 'core/api/contract',
  'core/api/endpoints': 'core/api/contract core/api/routes',
  'core/data': 'core/api core/guards core/system better-sqlite3 node:',
  'core/guards': 'core/api core/system date-easter simple-statistics',
  'core/layout': 'core/api core/guards core/system node:',
  'core/layout/browser': 'core/api/routes core/layout',
  'core/snapshot': 'core/api core/data core/guards core/layout core/system zod node:',
  'core/bucket':
    'core/api core/guards core/layout core/snapshot core/system @aws-sdk better-sqlite3 p-limit zod node:',
  'core/edge': 'core/api core/system lru-cache p-limit node: esbuild @swc',
  'core/edge/core': 'core/api/routes',
  'core/cli': 'core @commander-js zod node:',
  'extensions/conform': 'core/extension.ts core/cli core/data core/system node:',
  'extensions/conform/checks': 'extensions/conform core/system node:',
  'extensions/conform/oracle': 'better-sqlite3 node:',
  'extensions/site/funds/chart': 'core/api/routes core/layout core/system',
  'extensions/site/funds/browser':
    'core/api/contract core/api/routes core/layout core/system extensions/site/funds/chart',
  'extensions/site/status/browser': 'core/api/contract core/layout extensions/site/status',
}

/** Extensions import the core, packages, and nothing of each other. */
const extensionOf = (file: string) => /^extensions\/((?:platforms\/)?[^/]+)\//.exec(file)?.[1]

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

it('the core imports no extension, and no extension another one', () => {
  const crossing = files.flatMap((file) => {
    const own = extensionOf(file)
    const isFree = own === undefined && !file.startsWith('core/')
    return (imports.get(file) ?? [])
      .filter((target) => !isFree && extensionOf(target) !== undefined && extensionOf(target) !== own)
      .map((target) => `${file} -> ${target}`)
  })
  expect([...new Set(crossing)].sort()).toEqual([])
})

it('each room of the core, and each extension, has a README', () => {
  const rooms = ['core', 'extensions'].flatMap((place) =>
    readdirSync(join(src, place), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${place}/${name}/README.md`),
  )
  expect(rooms.filter((readme) => !existsSync(join(src, readme)))).toEqual([])
})

it('has as many lines to read as its map says, to within a tenth', () => {
  const linesBelow = (place: string) =>
    files
      .filter((file) => file === place || file.startsWith(`${place}/`))
      .reduce((sum, file) => sum + readFileSync(join(src, file), 'utf8').split('\n').length - 1, 0)
  const rows = readFileSync(join(src, 'README.md'), 'utf8').matchAll(
    /^\| [^|`]+ \| ([^|]*`[^|]+) \| ([\d,]+) \|$/gm,
  )
  const said = [...rows].map(([, places = '', lines = '']) => {
    const found = [...places.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place)
    const actual = found.map(linesBelow).reduce((sum, lines) => sum + lines)
    return { places, lines, isRight: Math.abs(Number(lines.replace(',', '')) / actual - 1) < 0.1 }
  })
  expect(said).toHaveLength(4)
  expect(said.filter(({ isRight }) => !isRight)).toEqual([])
  const extensions = readdirSync(join(src, 'extensions'))
  const longest = extensions.toSorted(
    (one, other) => linesBelow(`extensions/${other}`) - linesBelow(`extensions/${one}`),
  )
  expect(said.at(-1)?.places).toContain(`extensions/${longest[0]}`)
})

it('has no cycle of imports, imports of types included, but that of commands and extensions', () => {
  // A command gets the extensions, and an extension has commands and hooks, which get the session of a command.
  expect(cyclesOf(imports)).toEqual([['core/cli/command.ts', 'core/cli/ended.ts', 'core/extension.ts']])
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
