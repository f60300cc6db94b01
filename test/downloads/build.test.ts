/** Downloads as a part of `build`: the same bytes however it was run, and none where none are wanted. */
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { runAlone } from '../cli/run.ts'
import { endingThreadCode, withEndingThread } from '../support/ending-thread.ts'
import { mustRun, tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { hashesOf } from '../support/tree.ts'
import { buildNight, demoDay, withDownloads, type Night } from './night.ts'
import { readCsv } from './readers.ts'

const folder = tempFolder()
const db = folder.file('demo.sqlite')
let first: Night | undefined

beforeAll(async () => {
  await mustRun(['init', '--demo', '--db', db, '--until', demoDay, '--years', '2'])
  first = await buildNight(db, folder.file('first'), demoDay, '--jobs', '1')
})

const hashes = (night: Night | undefined) => hashesOf(night?.folder ?? '')

it('gives the same bytes with more threads, another time zone and locale', async () => {
  const out = folder.file('threads')
  await mustRun(['build', '--db', db, '--out', out, '--as-of', demoDay, '--quiet', '--jobs', '3'], {
    env: { ...withDownloads.env, TZ: 'Asia/Kolkata', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' },
  })
  expect(hashesOf(join(out, 'downloads', demoDay))).toEqual(hashes(first))
})

it('gives the same bytes from a database in WAL mode, and from one with other pages', async () => {
  const other = folder.file('wal.sqlite')
  copyFileSync(db, other)
  const connection = new Database(other)
  connection.exec('PRAGMA page_size = 8192; VACUUM; PRAGMA journal_mode = WAL')
  connection.close()
  const night = await buildNight(other, folder.file('wal'), demoDay)
  expect(hashes(night)).toEqual(hashes(first))
})

it('holds only the files of the new as-of date after a build into the same folder', async () => {
  const out = folder.file('again')
  await buildNight(db, out, demoDay)
  const night = await buildNight(db, out, '2026-11-21', '--since', out)
  expect(readdirSync(join(out, 'downloads')).sort()).toEqual(['2026-11-21', 'latest'])
  expect(existsSync(join(night.folder, 'prices.parquet'))).toBe(true)
  expect(readdirSync(out).filter((name) => name.startsWith('.'))).toEqual([])
})

it('leads from downloads/latest/ to the as-of date if the folder is opened without a server', () => {
  const page = readFileSync(join(folder.file('first'), 'downloads/latest/index.html'), 'utf8')
  const [, target = ''] = /url=([^"]+)"/.exec(page) ?? []
  expect(existsSync(join(folder.file('first'), 'downloads/latest', target))).toBe(true)
})

it.skipIf(lacks('python3'))('holds no funds but those that are built', async () => {
  const [, [isin = ''] = []] = readCsv(first?.folder ?? '', 'prices.csv')
  const night = await buildNight(db, folder.file('only'), demoDay, '--only', isin)
  const isins = readCsv(night.folder, 'prices.csv')
    .slice(1)
    .map(([field]) => field)
  expect(new Set(isins)).toEqual(new Set([isin]))
  expect(readCsv(night.folder, 'funds.csv')).toHaveLength(2)
})

it('makes none with --no-downloads, which wins over the environment', async () => {
  const out = folder.file('none')
  const args = ['build', '--db', db, '--out', out, '--as-of', demoDay, '--no-downloads', '--json']
  const summary = JSON.parse(await mustRun(args, withDownloads)) as { downloads: unknown }
  expect(summary.downloads).toBeNull()
  expect(existsSync(join(out, 'downloads'))).toBe(false)
})

it('names a licence in the data package and on the page if the settings name one', async () => {
  const read = (out: string, name: string) =>
    readFileSync(join(folder.file(out), 'downloads', demoDay, name), 'utf8')
  expect(read('first', 'datapackage.json')).not.toContain('licenses')
  const name = 'CC-BY-4.0'
  const address = 'https://creativecommons.org/licenses/by/4.0/'
  await mustRun(['build', '--db', db, '--out', folder.file('licensed'), '--as-of', demoDay, '--quiet'], {
    env: { ...withDownloads.env, FUNDPRESS_LICENCE_NAME: name, FUNDPRESS_LICENCE_URL: address },
  })
  const { licenses } = JSON.parse(read('licensed', 'datapackage.json')) as { licenses: unknown }
  expect(licenses).toEqual([{ name, path: address, title: name }])
  expect(read('licensed', 'index.html')).toContain('rel="license"')
})

it('fails if a thread ends between two parts of the downloads, and leaves nothing', async () => {
  const out = folder.file('ended')
  const args = ['build', '--db', db, '--out', out, '--as-of', demoDay, '--jobs', '1', '--quiet']
  const env = { ...withEndingThread, ...withDownloads.env }
  const { code, stdout, stderr } = await runAlone(args, { cwd: folder.path, env })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `fundpress: a thread of the downloads ended too early (exit code ${endingThreadCode})\n`,
  })
  expect(readdirSync(folder.path).filter((name) => name.includes('ended'))).toEqual([])
})
