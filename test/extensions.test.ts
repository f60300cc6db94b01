/**
 * The wall from outside: without an extension (its folder, and its line in `src/extensions.ts`) everything else type-checks, makes
 * its generated files, builds the real sample, and serves the same answers.
 */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { extensions } from '../src/extensions.ts'
import { repository } from './support/folders.ts'
import { startServing, tempFolder } from './support/product.ts'
import { rawRequest } from './support/request.ts'
import { sample } from './support/rounds.ts'
import { fillCaptor } from './support/snapshots.ts'
import { filesIn } from './support/tree.ts'

const execute = promisify(execFile)
const asOf = '2026-11-20'
const folder = tempFolder()
const db = folder.file('funds.sqlite')
const whole = folder.file('whole')
const environment = {
  ...process.env,
  FUNDPRESS_DOCS_URL: 'https://example.com/docs',
  FUNDPRESS_PAGES: 'true',
  FUNDPRESS_DOWNLOADS: 'true',
  NO_COLOR: '1',
}

/** What TypeScript found in all of the source: it looks again only at what the lack of an extension can change. */
const known = 'known-types.json'

function makeCheckout(name: string): string {
  const place = folder.file(name)
  for (const part of ['src', 'templates', 'package.json', 'tsconfig.json'])
    cpSync(join(repository, part), join(place, part), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(place, 'node_modules'))
  writeFileSync(
    join(place, 'tsconfig.src.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      compilerOptions: { incremental: true, tsBuildInfoFile: known },
      include: ['src'],
      exclude: ['src/**/browser/**'],
    }),
  )
  return place
}

function removeExtension(place: string, name: string): void {
  rmSync(join(place, 'src/extensions', name), { recursive: true })
  const list = join(place, 'src/extensions.ts')
  const lines = readFileSync(list, 'utf8').split('\n')
  const others = lines.filter((line) => !line.includes(`'./extensions/${name}/index.ts'`))
  expect(others).toHaveLength(lines.length - 1)
  writeFileSync(list, others.join('\n'))
}

/** @returns errors, as TypeScript prints them */
async function typeErrorsIn(place: string): Promise<string> {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout } = await execute(process.execPath, [tsc, '--noEmit', '-p', 'tsconfig.src.json'], {
    cwd: place,
  }).catch((error: unknown) => error as { readonly stdout: string })
  return stdout
}

const build = (checkout: string, out: string) =>
  execute(
    process.execPath,
    [
      join(checkout, 'src/fundpress.mjs'),
      ...`build --db ${db} --out ${out} --as-of ${asOf} --quiet`.split(' '),
    ],
    { env: environment, cwd: folder.path },
  )

/** The address of a document; for prices of all days, that of a year. */
const addressOf = (key: string) =>
  key.replace(/[^/]*$/, '').replace(/(?<=\/prices-historic\/[^/]+\/)$/, '2025-01-01/2025-12-31/')

const differencesOf = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name))

/** Digests of all files of the API, by name. */
function answersOf(out: string): ReadonlyMap<string, string> {
  const files = readdirSync(join(out, 'api'), { recursive: true, withFileTypes: true })
  return new Map(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(out.length), hash('sha256', readFileSync(file))]),
  )
}

/** Pages of the snapshot by what they are: of the pages of all funds, and of all endpoints in the documentation, those of one. */
function pagesIn(out: string): readonly string[] {
  const pages = filesIn(out).filter((key) => key.endsWith('.html'))
  const kindOf = (key: string) =>
    key.replace(/[A-Z]{2}[A-Z0-9]{9}[0-9]/, 'ISIN').replace(/\d{4}-\d{2}-\d{2}/, 'day')
  return [...new Map(pages.map((key) => [kindOf(key), key])).values()]
}

/** `page: link` for each link of these pages to this host that is not answered, or leads to a place that its page lacks. */
async function deadLinks(base: string, pages: readonly string[]): Promise<readonly string[]> {
  const bodies = new Map<string, Promise<string | null>>()
  const ask = async (path: string): Promise<string | null> => {
    const { status, headers, body } = await rawRequest(base, { target: path })
    const [, location] = headers.find(([name]) => name === 'location') ?? []
    if (status >= 300 && status < 400 && location !== undefined)
      return bodyOf(new URL(location, new URL(path, base)).pathname)
    return status === 200 ? body.toString() : null
  }
  const bodyOf = (path: string): Promise<string | null> => {
    const asked = bodies.get(path) ?? ask(path)
    bodies.set(path, asked)
    return asked
  }
  const dead: string[] = []
  for (const page of pages) {
    const markup = (await bodyOf(`/${page}`)) ?? ''
    for (const [, text = ''] of markup.matchAll(/<[^>]*\s(?:href|src)="([^"]*)"/g)) {
      const link = text.replaceAll('&#38;', '&').replaceAll('&amp;', '&')
      const { origin, pathname, search, hash } = new URL(link, new URL(page, `${base}/`))
      // The documentation has requests that are errors on purpose.
      if (origin !== new URL(base).origin || pathname.startsWith('/api/')) continue
      const body = await bodyOf(pathname + search)
      const isThere = body !== null && (hash === '' || body.includes(`id="${hash.slice(1)}"`))
      if (!isThere) dead.push(`${page}: ${link}`)
    }
  }
  return dead
}

beforeAll(async () => {
  await fillCaptor(db)
  await build(repository, whole)
  expect(await typeErrorsIn(makeCheckout('all'))).toBe('')
})

describe.each(
  sample(
    extensions.list.map(({ name }) => name),
    { least: 2 },
  ),
)('without %s, the rest', (name) => {
  let place: string
  beforeAll(() => {
    place = makeCheckout(name.replace('/', '-'))
    copyFileSync(folder.file(join('all', known)), join(place, known))
    removeExtension(place, name)
  })

  it('type-checks', async () => {
    expect(await typeErrorsIn(place)).toBe('')
  })

  it('makes its generated files', async () => {
    const made = await execute(process.execPath, [join(place, 'src/make/generate.ts')])
    expect(made).toMatchObject({ stderr: '' })
  })

  it('builds and serves the same answers of all endpoints, and no link of a page is dead', async () => {
    const out = join(place, 'out')
    await build(place, out)
    const answers = answersOf(out)
    expect(answers.size).toBeGreaterThan(1000)
    expect(differencesOf(answers, answersOf(whole))).toEqual([])
    const { base, stop } = await startServing(['--out', out], { checkout: place })
    try {
      // A document of each endpoint, and of each kind of investment structure.
      const documents = new Map([...answers.keys()].map((key) => [key.split('/')[3], key]))
      expect(documents.size).toBeGreaterThan(13)
      const stored = new Set(answers.values())
      for (const [endpoint, key] of documents) {
        const { status, body } = await rawRequest(base, { target: addressOf(key) })
        // A range of prices is joined: no file has it.
        const isJoined = endpoint === 'prices-historic' && status === 200
        const isAnswer = isJoined || stored.has(hash('sha256', body))
        expect({ endpoint, status, isAnswer }).toMatchObject({ endpoint, isAnswer: true })
      }
      const pages = pagesIn(out)
      expect(pages.length).toBeGreaterThan(10)
      expect(await deadLinks(base, pages)).toEqual([])
    } finally {
      await stop()
    }
  })
})
