/** The wall in the tests: those that need the source of an extension are known, so whoever deletes it knows which tests go with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { extensions } from '../src/extensions.ts'
import { repository } from './support/folders.ts'

const folder = join(repository, 'test')
const imports =
  /^(?:import|export)\b[^'"]*? from '(\.[^']+\.ts)'|(?<!')\bimport\(\s*'(\.[^']+\.ts)'|^import '(\.[^']+\.ts)'/gm

const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.replace('.test.ts', ''))
  .sort()

const known = new Map<string, readonly string[]>()
function importsOf(file: string): readonly string[] {
  const found =
    known.get(file) ??
    [...readFileSync(file, 'utf8').matchAll(imports)].map(([, ...paths]) =>
      join(dirname(file), paths.find(Boolean) ?? ''),
    )
  known.set(file, found)
  return found
}

/** Extensions whose files a test imports, directly or by files in test/. */
function extensionsOf(test: string): readonly string[] {
  const reached = new Set([join(folder, `${test}.test.ts`)])
  for (const file of reached)
    if (file.startsWith(`${folder}/`)) for (const target of importsOf(file)) reached.add(target)
  const found = [...reached].flatMap((file) => {
    const path = relative(join(repository, 'src/extensions'), file)
    const [, name] = /^((?:platforms\/)?\w+)\//.exec(path) ?? []
    return name === undefined ? [] : [name]
  })
  return [...new Set(found)]
}

const namesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** The rows of the table: an extension, what goes with it, and other tests that import it. A long one goes on in the next row. */
const lines = [
  ...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(
    /^\| `((?:platforms\/)?\w+)` \|([^|]*)\|([^|]*)\|$/gm,
  ),
].map(([, extension = '', own = '', others = '']) => {
  return { extension, own: namesIn(own), others: namesIn(others) }
})
const rows = [...Map.groupBy(lines, ({ extension }) => extension)].map(([extension, parts]) => {
  return {
    extension,
    own: parts.flatMap(({ own }) => own),
    others: parts.flatMap(({ others }) => others).sort(),
  }
})

it('the README has each extension, and its tests are there', () => {
  expect(rows.map(({ extension }) => extension).sort()).toEqual(
    extensions.list.map(({ name }) => name).sort(),
  )
  const missing = rows
    .flatMap(({ own }) => own)
    .filter((name) => !existsSync(join(folder, name.endsWith('/') ? name : `${name}.test.ts`)))
  expect(missing).toEqual([])
})

it('no test imports an extension that it does not go with, directly or by a helper, but those of the README', () => {
  const found = rows.map(({ extension, own }) => {
    const goesWith = (test: string) =>
      own.some((name) => (name.endsWith('/') ? test.startsWith(name) : test === name))
    const others = tests.filter((test) => !goesWith(test) && extensionsOf(test).includes(extension))
    return { extension, others }
  })
  expect(found).toEqual(
    rows.map(({ extension, others }) => {
      return { extension, others }
    }),
  )
})
