/** A signal within a statement of SQLite that never ends: no handler of ours can run then, and the command ends all the same. */
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { asOf, editDatabase, insertGood, isinOf, makeDatabase, readDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { ended, run, start } from './run.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }

beforeAll(() => {
  makeDatabase(folder.file('good.sqlite'), (insert) => insertGood(insert, isinOf(0)))
  makeEndless(folder.file('endless.sqlite'))
  copyFileSync(folder.file('good.sqlite'), folder.file('trigger.sqlite'))
  editDatabase(
    folder.file('trigger.sqlite'),
    `CREATE TRIGGER endless AFTER INSERT ON launch_point BEGIN SELECT count(*) FROM
      (WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e) SELECT x FROM e); END`,
  )
  writeFileSync(folder.file('points.csv'), `isin;date;value\n${isinOf(0)};2024-05-01;101.5\n`)
})

/**
 * A table whose pages lead to one another, sixty times each, ten levels deep: a walk through it takes for ever. The check of the
 * pages (PRAGMA integrity_check) finds that at once.
 */
function makeEndless(file: string): void {
  const pageBytes = 512
  copyFileSync(folder.file('good.sqlite'), file)
  const db = new Database(file)
  db.exec(`PRAGMA page_size = ${pageBytes}; VACUUM; CREATE TABLE beside (text TEXT)`)
  const insert = db.prepare('INSERT INTO beside VALUES (?)')
  for (let row = 0; row < 200; row++) insert.run('x'.repeat(100))
  const leaves = db
    .prepare<[], number>(
      "SELECT pageno FROM dbstat WHERE name = 'beside' AND pagetype = 'leaf' ORDER BY pageno",
    )
    .pluck()
    .all()
  const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'beside'").pluck().get())
  db.close()
  const chain = [root, ...leaves.slice(0, 10)]
  const opened = openSync(file, 'r+')
  for (const [index, page] of chain.entries())
    writeSync(
      opened,
      interiorPage(pageBytes, chain[index + 1] ?? leaves[11] ?? 0),
      0,
      pageBytes,
      (page - 1) * pageBytes,
    )
  closeSync(opened)
}

/** An interior page of a table, each cell of which leads to the same page. Source: SQLite, Database File Format. */
function interiorPage(pageBytes: number, child: number): Buffer {
  const cells = 60
  const page = Buffer.alloc(pageBytes)
  page[0] = 5
  page.writeUInt16BE(cells, 3)
  page.writeUInt16BE(pageBytes - 5 * cells, 5)
  page.writeUInt32BE(child, 8)
  for (let cell = 0; cell < cells; cell++) {
    const at = pageBytes - 5 * (cell + 1)
    page.writeUInt32BE(child, at)
    page[at + 4] = 1
    page.writeUInt16BE(at, 12 + 2 * cell)
  }
  return page
}

const opens = (child: ChildProcess, file: string): boolean => {
  try {
    const files = `/proc/${child.pid ?? 0}/fd`
    return readdirSync(files).some((name) => readlinkSync(`${files}/${name}`) === file)
  } catch {
    return false
  }
}

/** Sends SIGTERM a while after the command has opened the database. */
async function stopWithin(line: string, db: string) {
  const child = start(line, inFolder)
  const end = ended(child)
  while (!opens(child, folder.file(db)) && child.exitCode === null) await setTimeout(10)
  await setTimeout(1000)
  child.kill('SIGTERM')
  const { code, signal, stderr } = await end
  return { code, signal, stderr }
}

describe.runIf(process.platform === 'linux')('SIGTERM within an endless statement ends', () => {
  it('check', async () => {
    const stopped = await stopWithin(
      `check --db endless.sqlite --as-of ${asOf} --no-quick-check`,
      'endless.sqlite',
    )
    expect(stopped).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  it.each([
    ['build', ''],
    ['nightly', ` --bucket file://${folder.file('bucket')}`],
  ])('%s, which says so and leaves nothing', async (command, flags) => {
    const line = `${command} --db endless.sqlite --as-of ${asOf} --out ${command}-out --no-quick-check${flags}`
    const stopped = await stopWithin(line, 'endless.sqlite')
    expect(stopped).toMatchObject({ code: null, signal: 'SIGTERM' })
    expect(stopped.stderr).toContain('fundpress: stopped by SIGTERM\n')
    // Whoever is stopped by the end of the time to stop removes nothing.
    expect(readdirSync(folder.path).filter((name) => name.includes('-out'))).toEqual([])
  })

  it('import, and the next command reads the database as it was', async () => {
    const stopped = await stopWithin('import launch_point points.csv --db trigger.sqlite', 'trigger.sqlite')
    expect(stopped).toMatchObject({ code: null, signal: 'SIGTERM' })
    const check = await run(`check --db trigger.sqlite --as-of ${asOf}`, inFolder)
    expect(check).toMatchObject({ code: 0, stderr: '' })
    const days = readDatabase(folder.file('trigger.sqlite'), 'SELECT date FROM launch_point')
    expect(days).toEqual([{ date: '2024-03-29' }])
  })
})

it('check and build find pages that lead to one another before they walk through them', async () => {
  const check = await run(`check --db endless.sqlite --as-of ${asOf}`, inFolder)
  const build = await run(`build --db endless.sqlite --as-of ${asOf} --out out --quiet`, inFolder)
  for (const { code, stderr } of [check, build]) {
    expect(code).toBe(1)
    expect(stderr).toContain('endless.sqlite: it is damaged: ')
  }
})
