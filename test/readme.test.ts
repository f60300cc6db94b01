import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTempFolder, mustRun, startServer, type Server } from './support/product.ts'

const readme = readFileSync('README.md', 'utf8')
const examples = [...readme.matchAll(/^\| \d+ ?●? \| `([^`]+)`/gm)].map(([, target = '']) => target)
const folders = [...readme.matchAll(/^\| `([a-z/]+\/)` \|/gm)].map(([, folder = '']) => folder)

const folder = makeTempFolder()
let server: Server | undefined

beforeAll(async () => {
  const db = folder.file('demo.sqlite')
  const out = folder.file('out')
  await mustRun(['demo', '--db', db, '--until', '2026-11-20'])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', '2026-11-20', '--quiet'])
  server = await startServer(out)
})

afterAll(async () => {
  await server?.stop()
  folder.remove()
})

it('has an example for each of the thirteen endpoints', () => {
  expect(examples).toHaveLength(13)
})

it.each(examples)('answers the example %s of the README', async (target) => {
  const response = await fetch(`${server?.base ?? ''}${target}`)
  expect(response.status).toBe(200)
})

/** Documents beside this one. Their paths are those of the repository or start at their own folder. */
const documents = [
  '.github/SECURITY.md',
  ...readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'README.md')
    .map((path) => join('src', path)),
]

it.each(documents)('names only files that are there: %s', (document) => {
  const text = readFileSync(document, 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  const named = [...text.matchAll(/`((?:\.\.?\/|src\/|test\/|templates\/)[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  )
  const missing = [...links, ...named].filter(
    (path) => !existsSync(path) && !existsSync(join(dirname(document), path)),
  )
  expect(missing).toEqual([])
})

it.each(folders)('has the folder %s of the map in the README', (path) => {
  expect(existsSync(path)).toBe(true)
})
