/** Who may import whom: the table of the architecture, held. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './support/product.ts'

const src = join(repository, 'src')

/** By folder, the longest match counts: other folders, packages, and `node:` for the built-in modules. */
const mayImport: Readonly<Record<string, string>> = {
  routes: '',
  contract: 'routes date-fns',
  encode: 'contract routes',
  disk: 'node:',
  source: 'contract disk routes better-sqlite3 node:',
  endpoints: 'contract routes source date-fns',
  derive: 'contract routes endpoints',
  freshness: 'catalogue/chart pages routes date-easter date-holidays',
  pages: 'contract routes node:',
  catalogue: 'catalogue/chart catalogue/sections contract endpoints pages routes date-fns',
  'catalogue/sections': 'catalogue catalogue/chart contract pages routes',
  'catalogue/chart': '',
  'catalogue/browser': 'catalogue/chart',
  docs: 'contract derive edge encode endpoints pages routes shell node:',
  shell: '',
  threads: 'node:',
  downloads: 'contract encode pages routes source threads better-sqlite3 hyparquet hyparquet-writer node:',
  snapshot:
    'catalogue disk docs downloads endpoints encode contract freshness pages routes derive source threads node:',
  changes: 'node:',
  publish: 'changes snapshot freshness routes node: @aws-sdk p-limit',
  night: 'publish snapshot',
  edge: 'routes',
  'edge/adapters': 'edge routes lru-cache node:',
  deploy: 'derive endpoints routes node: esbuild @swc',
  conform: 'conform/oracle shell node:',
  'conform/oracle': 'better-sqlite3 node:',
  import: 'source contract routes shell better-sqlite3 node: csv-parse read-excel-file',
  demo: 'source routes better-sqlite3 node:',
  cli: 'catalogue/chart conform contract demo deploy derive disk edge edge/adapters encode endpoints freshness import night publish routes snapshot source threads commander date-fns esbuild node:',
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(ts|mjs)$/.test(file))
  .map((file) => file.split(sep).join('/'))

it.each(Object.entries(mayImport))('%s imports from nowhere but: %s', (folder, allowed) => {
  const strangers = files
    .filter((file) => folderOf(file) === folder)
    .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
    .filter(({ target }) => target !== folder && !allowed.split(' ').includes(target))
  expect(strangers).toEqual([])
})

it('every file of src lies in one of these folders', () => {
  expect(files.filter((file) => folderOf(file) === undefined)).toEqual([])
})

/** The folders and packages that a file imports from, statically or not. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  const imports = text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|(?<!')\bimport\(?\s*'([^']+)'/gm)
  return [...imports].map(([, named, other]) => targetOf(file, named ?? other ?? ''))
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:'
  if (!specifier.startsWith('.')) return specifier.split('/')[0] ?? specifier
  const target = relative(src, join(src, dirname(file), specifier))
  return folderOf(target.split(sep).join('/')) ?? target
}

function folderOf(file: string): string | undefined {
  const folders = Object.keys(mayImport).filter((folder) => file.startsWith(`${folder}/`))
  return folders.sort((a, b) => b.length - a.length)[0]
}
