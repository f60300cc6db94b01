/** Files and folders that a command is to read or write, and that are none: pipes, devices, and links to them. */
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { tempFolder } from '../support/product.ts'
import { run } from './run.ts'

const folder = tempFolder()
const bucket = `file://${folder.file('bucket')}`
const places = { 'link-to-pipe': 'a pipe', 'link-to-device': 'a device' }

beforeAll(async () => {
  execFileSync('mkfifo', [folder.file('pipe')])
  symlinkSync('pipe', folder.file('link-to-pipe'))
  symlinkSync('/dev/null', folder.file('link-to-device'))
  writeFileSync(folder.file('prices.csv'), 'isin;date\n')
  await run('init --demo --db funds.sqlite --funds 1 --years 1 --quiet', { cwd: folder.path })
  // What the commands write into their folder is there, and none of their files.
  for (const name of ['cloudflare', 'server']) mkdirSync(folder.file(name))
  symlinkSync('../pipe', folder.file('cloudflare/README.md'))
  symlinkSync('../pipe', folder.file('server/SETUP.md'))
})

const setup =
  'setup server --yes --package ./x.tgz --company K --base-url https://a.example --imprint https://a.example/i ' +
  '--privacy https://a.example/p --contact a@a.example --dest'

const commands: readonly (readonly [line: string, kind: 'file' | 'folder'])[] = [
  ['fetch s3://fund-in/funds.sqlite IT', 'file'],
  ['init --db IT', 'file'],
  ['init --demo --db IT --funds 1 --years 1', 'file'],
  ['build --db funds.sqlite --out IT', 'folder'],
  ['edge cloudflare --bucket fund-data --dest IT', 'folder'],
  [`${setup} IT`, 'folder'],
  ['serve --out IT', 'folder'],
  ['check --db IT', 'file'],
  ['build --db IT --out out', 'file'],
  [`nightly --db IT --bucket ${bucket}`, 'file'],
  ['conform --db IT', 'file'],
  ['import price IT --db funds.sqlite', 'file'],
  ['import price prices.csv --db IT', 'file'],
  ['import --undo --db IT', 'file'],
  ['check --config IT', 'file'],
  [`nightly --db none.sqlite --bucket ${bucket} --summary IT`, 'file'],
  [`nightly --db none.sqlite --bucket ${bucket} --metrics IT`, 'file'],
  [`status --bucket ${bucket} --metrics IT`, 'file'],
]

it.each(
  commands.map(([line, kind], at) => [line, kind, ...(Object.entries(places)[at % 2] ?? ['', ''])] as const),
)('is refused by %s, where it wants a %s: %s, and stays', async (line, kind, place, what) => {
  const before = lstatSync(folder.file(place))
  const target = statSync(folder.file(place))
  const { code, stderr } = await run(line.replaceAll('IT', place), { cwd: folder.path })
  expect({ code, stderr }).toEqual({
    code: expect.toSatisfy((one: number) => one === 1 || one === 2, 'a failure') as unknown,
    stderr: expect.stringContaining(`${place} is ${what}: name a ${kind}`) as unknown,
  })
  expect(lstatSync(folder.file(place)).ino).toBe(before.ino)
  expect(statSync(folder.file(place)).ino).toBe(target.ino)
})

it.each([
  ['edge cloudflare --bucket fund-data --dest cloudflare', 'cloudflare/README.md'],
  [`${setup} server`, 'server/SETUP.md'],
])('%s refuses a pipe in the place of a file', async (line, place) => {
  const { code, stderr } = await run(line, { cwd: folder.path })
  expect({ code, stderr }).toEqual({ code: 1, stderr: `fundpress: ${place} is a pipe: name a file\n` })
  expect(statSync(folder.file(place)).isFIFO()).toBe(true)
})
