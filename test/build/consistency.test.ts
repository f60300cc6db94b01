/** Builds while a writer commits: each snapshot holds one state of the database, the funds that it had and no others. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { readHeadOf } from '../../src/core/snapshot/manifest.ts'
import { openFile } from '../../src/core/data/read/digest.ts'
import { ended, run, type Ended } from '../cli/run.ts'
import { asOf, editDatabase, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { repository, tempFolder } from '../support/product.ts'
import { faultsOf, filesIn } from '../support/tree.ts'
import { build as buildHere } from './builds.ts'

const folder = tempFolder()
const fundsAlways = 24
/** Funds that come and go: of each three in a row, a generation has the one that its number says. */
const isinOfGeneration = (generation: number): string => isinOf(100 + (generation % 3))

beforeAll(() => {
  makeDatabase(folder.file('first.sqlite'), (insert) => {
    for (let fund = 0; fund < fundsAlways; fund++) {
      insertGood(insert, isinOf(fund), { fund: { name: 'Generation 0' } })
      for (let day = 1; day <= 100; day++) {
        const date = new Date(Date.UTC(2022, 6, day)).toISOString().slice(0, 10)
        insert('price', { isin: isinOf(fund), ...goodRows['price'], date })
      }
    }
    insert('fund', { isin: isinOfGeneration(0), ...goodRows['fund'], name: 'Generation 0' })
  })
})

/** Commits one generation after the other, each in a transaction, until its input ends; prints how many. */
const writer = `
  const [file, mode, ...isins] = process.argv.slice(1)
  const db = new (require('better-sqlite3'))(file, { timeout: 60_000 })
  db.pragma('journal_mode = ' + mode)
  db.pragma('synchronous = OFF')
  db.pragma('foreign_keys = OFF')
  let generation = 0
  const commit = db.transaction(() => {
    generation++
    db.prepare('DELETE FROM fund WHERE isin IN (?, ?, ?)').run(isins)
    db.prepare('INSERT INTO fund (isin, wkn, name, fund_inception_date, status_date, url, currency) ' +
      'SELECT ?, wkn, name, fund_inception_date, status_date, url, currency FROM fund LIMIT 1').run(isins[generation % 3])
    db.prepare('UPDATE fund SET name = ?').run('Generation ' + generation)
    db.prepare('UPDATE price SET net_asset_value = ?').run(generation + '.00')
  })
  let isToEnd = false
  process.stdin.on('end', () => { isToEnd = true }).resume()
  const work = () => {
    commit.immediate()
    if (generation === 1) console.log('writing')
    if (isToEnd) console.log(generation)
    else setTimeout(work, 1)
  }
  work()`

function startWriter(db: string, mode: string): ChildProcess {
  const isins = [0, 1, 2].map(isinOfGeneration)
  return spawn(process.execPath, ['-e', writer, db, mode, ...isins], { cwd: repository })
}

/** Each price has the number of the generation as its NAV: funds whose NAVs always stay may have one that stays. */
const build = (db: string): Promise<Ended> =>
  run(`build --db ${db} --out out --as-of ${asOf} --jobs 2 --quiet`.split(' '), { cwd: folder.path })

/** All generations that a snapshot's documents tell of, by name and by price. */
function generationsIn(out: string): Set<number> {
  const found = new Set<number>()
  for (const file of filesIn(out).filter((name) => name.startsWith('api/'))) {
    const text = readFileSync(join(out, file), 'utf8')
    const names = text.matchAll(/Generation (\d+)/g)
    const prices = text.matchAll(/Net asset value(?:","value":"|<\/name><value>)(\d+)[.,]00/g)
    for (const [, number] of [...names, ...prices]) found.add(Number(number))
  }
  return found
}

describe.each(['WAL', 'DELETE'])('with a journal in mode %s', (mode) => {
  it('a snapshot holds one state of the database while another program commits', async () => {
    const db = folder.file(`${mode}.sqlite`)
    copyFileSync(folder.file('first.sqlite'), db)
    const child = startWriter(db, mode)
    const end = ended(child)
    await once(child.stdout ?? child, 'data')
    const generations: number[] = []
    for (let round = 0; round < 4; round++) {
      expect(await build(db)).toMatchObject({ code: 0, stderr: '' })
      const found = [...generationsIn(folder.file('out'))]
      expect(found).toHaveLength(1)
      const [generation = 0] = found
      const isins = Array.from({ length: fundsAlways }, (_, fund) => isinOf(fund))
      const expected = [...isins, isinOfGeneration(generation)].sort()
      expect(readdirSync(folder.file('out/api/v1/profile')).sort()).toEqual(expected)
      generations.push(generation)
    }
    child.stdin?.end()
    const { code, stdout, stderr } = await end
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(faultsOf(folder.file('out'))).toEqual([])
    // The writer did write in between, and was not kept out for good.
    const last = Number(stdout.trim().split('\n').at(-1))
    expect([...generations, last]).toEqual([...new Set([...generations, last])].sort((a, b) => a - b))
  })
})

const generation = (number: number) =>
  `UPDATE fund SET name = 'Generation ${number}'; UPDATE price SET net_asset_value = '${number}.00'`

it('the manifest names the database without commits that came to the log during the build', async () => {
  const db = folder.file('log.sqlite')
  copyFileSync(folder.file('first.sqlite'), db)
  const writer = new Database(db)
  writer.pragma('journal_mode = WAL')
  // So much of a file that funds are read before its digest is there.
  writer.exec('CREATE TABLE filler (bytes BLOB)')
  for (let part = 0; part < 16; part++) writer.exec('INSERT INTO filler VALUES (zeroblob(25000000))')
  writer.exec('DROP TABLE filler')
  writer.pragma('wal_checkpoint(TRUNCATE)')
  writer.exec(generation(1))
  let isLate = false
  const { snapshot } = await buildHere(db, folder.file('log'), {
    onProgress: () => {
      if (!isLate) writer.exec(generation(2))
      isLate = true
    },
  })
  const head = await readHeadOf(folder.file('log/manifest.ndjson.gz'))
  const file = await openFile(db)
  const later = await file.digest()
  await file.close()
  writer.close()
  expect(isLate).toBe(true)
  expect({ snapshot: head?.snapshot, generations: [...generationsIn(folder.file('log'))] }).toEqual({
    snapshot,
    generations: [1],
  })
  expect(head?.source).not.toBe(later)
})

it('a build fails if a plain copy overwrites the database while it is read', async () => {
  const db = folder.file('overwritten.sqlite')
  const next = folder.file('next.sqlite')
  for (const file of [db, next]) copyFileSync(folder.file('first.sqlite'), file)
  editDatabase(db, generation(1))
  editDatabase(next, generation(2))
  let isWritten = false
  const built = buildHere(db, folder.file('overwritten'), {
    onProgress: () => {
      if (!isWritten) writeFileSync(db, readFileSync(next), { flag: 'r+' })
      isWritten = true
    },
  })
  await expect(built).rejects.toThrow(
    `${db} was overwritten while it was being read: build again, and replace databases by a rename (mv)`,
  )
  expect(isWritten).toBe(true)
  expect(existsSync(folder.file('overwritten'))).toBe(false)
})
