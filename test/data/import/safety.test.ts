/** Imports that are killed, interrupted, out of disk, or not alone: the database is as it was, or has all of it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, launcher, run, start } from '../../cli/run.ts'
import { insertGood, isinOf, makeDatabase } from '../../support/database.ts'
import { makeTempFolder, repository } from '../../support/product.ts'
import { dump, writeCsv } from './dialects.ts'
import { times } from '../../support/rounds.ts'

const folder = makeTempFolder()
const disk = folder.file('disk')
let isMounted = false
const funds = 20
const daysOfFund = 1500

beforeAll(() => {
  for (const mode of ['DELETE', 'WAL'] as const) {
    makeDatabase(folder.file(`${mode}.sqlite`), (insert) => {
      for (let fund = 0; fund < funds; fund++) insertGood(insert, isinOf(fund))
    })
    const db = new Database(folder.file(`${mode}.sqlite`))
    db.pragma(`journal_mode = ${mode}`)
    db.close()
  }
  writeCsv(folder.file('many.csv'), [['isin', 'date', 'value'], ...points('1.5')])
  mkdirSync(disk)
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0777', 'tmpfs', disk]).status === 0
})
afterAll(() => {
  if (isMounted) spawnSync('umount', ['--lazy', disk])
  folder.remove()
})

const points = (value: string): string[][] =>
  Array.from({ length: funds * daysOfFund }, (_, index) => {
    const day = new Date(Date.UTC(2000, 0, 1 + (index % daysOfFund))).toISOString().slice(0, 10)
    return [isinOf(Math.floor(index / daysOfFund)), day, value]
  })

const line = (db: string): string[] =>
  `import launch_point many.csv --db ${db} --replace-all --quiet`.split(' ')

/** How many points the database has, seen by a program that may mend it. */
function pointsIn(db: string): number {
  const opened = new Database(folder.file(db))
  try {
    expect(opened.pragma('integrity_check', { simple: true })).toBe('ok')
    return Number(opened.prepare('SELECT count(*) FROM launch_point').pluck().get())
  } finally {
    opened.close()
  }
}

describe.each(['DELETE', 'WAL'])('with a journal in mode %s', (mode) => {
  it('an import that is killed at any moment leaves all lines or none', async () => {
    const names = Array.from({ length: times(6, 3) + 1 }, (_, index) => `${mode}-killed-${index}.sqlite`)
    for (const name of names) copyFileSync(folder.file(`${mode}.sqlite`), folder.file(name))
    const [whole = ''] = names
    const begun = performance.now()
    expect(await run(line(whole), { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' })
    const duration = performance.now() - begun
    expect(pointsIn(whole)).toBe(funds * daysOfFund)

    const killed: number[] = []
    for (const [index, name] of names.slice(1).entries()) {
      const child = start(line(name), { cwd: folder.path })
      const end = ended(child)
      await setTimeout((duration * (index + 2)) / names.length)
      child.kill('SIGKILL')
      const { signal } = await end
      const found = pointsIn(name)
      if (signal === 'SIGKILL') killed.push(found)
      expect([funds, funds * daysOfFund]).toContain(found)
    }
    // Some were hit while they worked.
    expect(killed.filter((found) => found === funds).length).toBeGreaterThan(0)
    const [, again = ''] = names
    expect(await run(line(again), { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' })
    expect(pointsIn(again)).toBe(funds * daysOfFund)
  })

  it('an import during a build does not change what the build reads, and succeeds', async () => {
    const db = `${mode}-busy.sqlite`
    copyFileSync(folder.file(`${mode}.sqlite`), folder.file(db))
    const reader = new Database(folder.file(db), { readonly: true })
    // A build is a reader that holds one transaction until its end.
    reader.exec('BEGIN')
    const count = reader.prepare('SELECT count(*) FROM launch_point').pluck()
    expect(count.get()).toBe(funds)
    const child = start(line(db), { cwd: folder.path })
    const end = ended(child)
    // With a WAL it needs not wait for the reader; else it waits, and nothing shows that it has begun to.
    if (mode === 'WAL') await end
    else await setTimeout(1000)
    expect(count.get()).toBe(funds)
    // Others may start to read while it waits.
    const check = await run(['check', '--db', db, '--as-of', '2024-05-03', '--json'], { cwd: folder.path })
    expect(JSON.parse(check.stdout)).toMatchObject({ errors: 0 })
    expect(count.get()).toBe(funds)
    expect(child.exitCode).toBe(mode === 'WAL' ? 0 : null)
    reader.exec('COMMIT')
    expect(await end).toMatchObject({ code: 0, stderr: '' })
    expect(count.get()).toBe(funds * daysOfFund)
    reader.close()
  })
})

it('a build and an import at the same time both succeed', async () => {
  copyFileSync(folder.file('DELETE.sqlite'), folder.file('both.sqlite'))
  const build = run('build --db both.sqlite --out out --as-of 2024-05-03 --jobs 2 --quiet'.split(' '), {
    cwd: folder.path,
  })
  const imported = run(line('both.sqlite'), { cwd: folder.path })
  expect(await Promise.all([build, imported])).toMatchObject([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ])
  expect(pointsIn('both.sqlite')).toBe(funds * daysOfFund)
})

it('import says that other programs kept the database busy', async () => {
  copyFileSync(folder.file('DELETE.sqlite'), folder.file('held.sqlite'))
  const reader = new Database(folder.file('held.sqlite'), { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM fund').get()
  const { code, stderr } = await run([...line('held.sqlite'), '--wait', '0'], { cwd: folder.path })
  reader.close()
  expect(code).toBe(1)
  expect(stderr).toMatch(/^fundpress: held\.sqlite: other programs kept it busy: [^\n]*\(--wait\)[^\n]*\n$/)
  expect(pointsIn('held.sqlite')).toBe(funds)
})

it('import ends by a signal while it waits', async () => {
  copyFileSync(folder.file('DELETE.sqlite'), folder.file('waiting.sqlite'))
  const reader = new Database(folder.file('waiting.sqlite'), { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM fund').get()
  const child = start(
    line('waiting.sqlite').filter((word) => word !== '--quiet'),
    { cwd: folder.path },
  )
  const end = ended(child)
  await once(child.stderr ?? child, 'data')
  child.kill('SIGTERM')
  const { signal, stderr } = await end
  reader.close()
  expect({ signal, stderr }).toEqual({
    signal: 'SIGTERM',
    stderr: 'fundpress: waiting for other users of waiting.sqlite\nfundpress: stopped by SIGTERM\n',
  })
  expect(pointsIn('waiting.sqlite')).toBe(funds)
})

it('import takes nothing from a file that is still being written', async () => {
  copyFileSync(folder.file('DELETE.sqlite'), folder.file('early.sqlite'))
  const [header, ...lines] = readFileSync(folder.file('many.csv'), 'utf8').split(/(?<=\n)/)
  writeFileSync(folder.file('early.csv'), [header, ...lines.slice(0, 10_000)].join(''))
  const words = 'import launch_point early.csv --db early.sqlite --replace-all --quiet'.split(' ')
  const child = start(words, { cwd: folder.path })
  const end = ended(child)
  for (const line of lines.slice(10_000)) {
    appendFileSync(folder.file('early.csv'), line)
    await setTimeout(1)
    if (child.exitCode !== null) break
  }
  expect(await end).toMatchObject({
    code: 1,
    stderr:
      'fundpress: early.csv changed while it was being read: nothing was imported; import it when it is complete\n',
  })
  expect(pointsIn('early.sqlite')).toBe(funds)
})

it('import says that the disk is full, and leaves the database as it was', async ({ skip }) => {
  if (!isMounted) skip('this machine lets nobody mount a small disk')
  copyFileSync(folder.file('DELETE.sqlite'), `${disk}/funds.sqlite`)
  expect(statSync(folder.file('many.csv')).size).toBeGreaterThan(800_000)
  const { code, stdout, stderr } = await run(line('disk/funds.sqlite'), { cwd: folder.path })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^fundpress: disk\/funds\.sqlite: the disk is full[^\n]*; the database is as it was[^\n]*\n$/,
  )
  expect(readdirSync(disk)).toEqual(['funds.sqlite'])
  expect(pointsIn('disk/funds.sqlite')).toBe(funds)
})

it('import refuses a database that is none or does not exist', async () => {
  copyFileSync(folder.file('DELETE.sqlite'), folder.file('folder.sqlite'))
  writeFileSync(folder.file('no-database.sqlite'), 'no database')
  for (const [db, reason] of [
    ['no-database.sqlite', 'it is not a SQLite database'],
    ['missing.sqlite', 'missing.sqlite does not exist'],
  ] as const) {
    const { code, stderr } = await run(line(db), { cwd: folder.path })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) })
  }
})

it('import rolls back what a killed writer has left', async () => {
  copyFileSync(folder.file('DELETE.sqlite'), folder.file('hot.sqlite'))
  const writer = `
    const db = new (require('better-sqlite3'))(process.argv[1])
    db.exec('PRAGMA cache_size = 2; BEGIN; CREATE TABLE other (text TEXT)')
    const insert = db.prepare('INSERT INTO other VALUES (?)')
    for (let row = 0; row < 100; row++) insert.run('x'.repeat(4000))
    db.exec("UPDATE fund SET name = 'half'")
    process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['-e', writer, folder.file('hot.sqlite')], { cwd: repository })
  const check = 'check --db hot.sqlite --as-of 2024-05-03'.split(' ')
  expect((await run(check, { cwd: folder.path })).stderr).toContain('its writer was interrupted')
  expect(await run(line('hot.sqlite'), { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' })
  expect(pointsIn('hot.sqlite')).toBe(funds * daysOfFund)
  expect(dump(folder.file('hot.sqlite'), 'fund', 'DISTINCT name').rows).toEqual([['Good Fund']])
})

it('import needs no more memory for more lines', async () => {
  const lines = 200_000
  const daysOf = lines / 10
  const text = Array.from({ length: lines }, (_, index) => {
    const day = new Date(Date.UTC(1900, 0, 1 + (index % daysOf))).toISOString().slice(0, 10)
    return `${isinOf(Math.floor(index / daysOf))};${day};1.5\n`
  })
  writeFileSync(folder.file('long.csv'), `isin;date;value\n${text.join('')}`)
  copyFileSync(folder.file('DELETE.sqlite'), folder.file('long.sqlite'))
  const args = 'import launch_point long.csv --db long.sqlite --quiet'.split(' ')
  // As cells, the lines are several times as much.
  const limited = spawn(process.execPath, ['--max-old-space-size=24', launcher, ...args], {
    cwd: folder.path,
  })
  expect(await ended(limited)).toMatchObject({ code: 0, stderr: '' })
  expect(dump(folder.file('long.sqlite'), 'launch_point', 'count(*)').rows).toEqual([[lines + funds]])
})
