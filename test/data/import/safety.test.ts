/** Imports that are killed, interrupted, out of disk, or not alone: the database is as it was, or has all of it. */
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
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
import { ended, launcher, run, runAlone, says, start } from '../../cli/run.ts'
import { insertGood, isinOf, makeDatabase } from '../../support/database.ts'
import { userWithoutRights } from '../../support/other-user.ts'
import { repository, tempFolder } from '../../support/product.ts'
import { canRun } from '../../support/programs.ts'
import { dump, writeCsv } from './dialects.ts'
import { times } from '../../support/rounds.ts'

const folder = tempFolder()
const here = { cwd: folder.path }
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
  writeCsv(folder.file('many.csv'), [['isin', 'date', 'value'], ...points('100')])
  mkdirSync(disk)
  isMounted = canRun('mount', '-t', 'tmpfs', '-o', 'size=1m,mode=0777', 'tmpfs', disk)
})
afterAll(() => {
  if (isMounted) canRun('umount', '--lazy', disk)
})

const points = (value: string): string[][] =>
  Array.from({ length: funds * daysOfFund }, (_, index) => {
    const day = new Date(Date.UTC(2000, 0, 1 + (index % daysOfFund))).toISOString().slice(0, 10)
    return [isinOf(Math.floor(index / daysOfFund)), day, value]
  })

const line = (db: string) =>
  `import launch_point many.csv --db ${db} --replace-all --quiet --force --reason test`

/** A database of its own for a test, under a name. */
function copy(db: string, mode = 'DELETE'): string {
  copyFileSync(folder.file(`${mode}.sqlite`), folder.file(db))
  return db
}

/** Reads a database as a build does: in one transaction until its end. */
function startReading(db: string) {
  const reader = new Database(folder.file(db), { readonly: true })
  reader.exec('BEGIN')
  const count = reader.prepare('SELECT count(*) FROM launch_point').pluck()
  expect(count.get()).toBe(funds)
  return { reader, count }
}

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
    const whole = copy(`${mode}-whole.sqlite`, mode)
    const begun = performance.now()
    expect(await run(line(whole), here)).toMatchObject({ code: 0, stderr: '' })
    const duration = performance.now() - begun
    expect(pointsIn(whole)).toBe(funds * daysOfFund)

    const runs = times(6, 3)
    const again = copy(`${mode}-killed.sqlite`, mode)
    /** Kills an import after a time; what a kill leaves is checked. */
    const isHitAfter = async (ms: number): Promise<boolean> => {
      copy(again, mode)
      const child = start(line(again), here)
      const end = ended(child)
      await setTimeout(ms)
      child.kill('SIGKILL')
      const { signal } = await end
      const found = pointsIn(again)
      expect([funds, funds * daysOfFund]).toContain(found)
      return signal === 'SIGKILL' && found === funds
    }
    let hits = 0
    for (let index = 1; index <= runs; index++)
      hits += Number(await isHitAfter((duration * (index + 1)) / (runs + 1)))
    // One has to hit the work, however fast the machine is: each further kill comes earlier.
    for (let ms = duration / 2; hits === 0; ms /= 2) hits += Number(await isHitAfter(ms))
    expect(await run(line(again), here)).toMatchObject({ code: 0, stderr: '' })
    expect(pointsIn(again)).toBe(funds * daysOfFund)
  })

  it('an import during a build does not change what the build reads, and succeeds', async () => {
    const db = copy(`${mode}-busy.sqlite`, mode)
    const { reader, count } = startReading(db)
    const child = start(line(db), here)
    const end = ended(child)
    // With a WAL it needs not wait for the reader; else it waits, and nothing shows that it has begun to.
    if (mode === 'WAL') await end
    else await setTimeout(1000)
    expect(count.get()).toBe(funds)
    // Others may start to read while it waits.
    const check = await run(`check --db ${db} --as-of 2024-05-03 --json`, here)
    expect(JSON.parse(check.stdout)).toMatchObject({ errors: 0 })
    expect(count.get()).toBe(funds)
    expect(child.exitCode).toBe(mode === 'WAL' ? 0 : null)
    reader.exec('COMMIT')
    expect(await end).toMatchObject({ code: 0, stderr: '' })
    expect(count.get()).toBe(funds * daysOfFund)
    reader.close()
  })
})

it('import says that other programs kept the database busy', async () => {
  const { reader } = startReading(copy('held.sqlite'))
  const { code, stderr } = await run(`${line('held.sqlite')} --wait 0`, here)
  reader.close()
  expect(code).toBe(1)
  expect(stderr).toMatch(/^fundpress: held\.sqlite: other programs kept it busy: [^\n]*\(--wait\)[^\n]*\n$/)
  expect(pointsIn('held.sqlite')).toBe(funds)
})

it('import ends when a signal arrives while it waits', async () => {
  const { reader } = startReading(copy('waiting.sqlite'))
  const child = start(line('waiting.sqlite').replace(' --quiet', ''), here)
  const end = ended(child)
  await says(child, 'waiting for other users')
  child.kill('SIGTERM')
  const { signal, stderr } = await end
  reader.close()
  expect({ signal, stderr }).toEqual({
    signal: 'SIGTERM',
    stderr: 'fundpress: waiting for other users of waiting.sqlite\n',
  })
  expect(pointsIn('waiting.sqlite')).toBe(funds)
})

it('import takes nothing from a file that is still being written', async () => {
  copy('early.sqlite')
  const [header, ...lines] = readFileSync(folder.file('many.csv'), 'utf8').split(/(?<=\n)/)
  writeFileSync(folder.file('early.csv'), [header, ...lines.slice(0, 10_000)].join(''))
  const child = start(line('early.sqlite').replace('many.csv', 'early.csv'), here)
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
  copy('disk/funds.sqlite')
  expect(statSync(folder.file('many.csv')).size).toBeGreaterThan(800_000)
  const { code, stdout, stderr } = await run(line('disk/funds.sqlite'), here)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^fundpress: disk\/funds\.sqlite: the disk is full[^\n]*; the database is as it was[^\n]*\n$/,
  )
  expect(readdirSync(disk)).toEqual(['funds.sqlite'])
  expect(pointsIn('disk/funds.sqlite')).toBe(funds)
})

it('check and import roll back what a killed writer has left, as far as they may write', async ({ skip }) => {
  if (userWithoutRights === undefined) skip('only root can read this checkout')
  copy('hot.sqlite')
  const writer = `
    const db = new (require('better-sqlite3'))(process.argv[1])
    db.exec('PRAGMA cache_size = 2; BEGIN; CREATE TABLE other (text TEXT)')
    const insert = db.prepare('INSERT INTO other VALUES (?)')
    for (let row = 0; row < 100; row++) insert.run('x'.repeat(4000))
    db.exec("UPDATE fund SET name = 'half'")
    process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['-e', writer, folder.file('hot.sqlite')], { cwd: repository })
  for (const name of ['again.sqlite', 'again.sqlite-journal'])
    copyFileSync(folder.file(name.replace('again', 'hot')), folder.file(name))
  chmodSync(folder.path, 0o755)
  const refused = await runAlone('check --db hot.sqlite --as-of 2024-05-03', {
    ...here,
    ...userWithoutRights,
  })
  expect(refused.stderr).toContain('its writer was interrupted')
  const check = await run('check --db again.sqlite --as-of 2024-05-03', here)
  expect(check.stderr).toBe('')
  expect(dump(folder.file('again.sqlite'), 'fund', 'DISTINCT name').rows).toEqual([['Good Fund']])
  expect(await run(line('hot.sqlite'), here)).toMatchObject({ code: 0, stderr: '' })
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
  copy('long.sqlite')
  const args = 'import launch_point long.csv --db long.sqlite --quiet'.split(' ')
  // As cells, the lines are several times as much.
  const limited = spawn(process.execPath, ['--max-old-space-size=24', launcher, ...args], here)
  expect(await ended(limited)).toMatchObject({ code: 0, stderr: '' })
  expect(dump(folder.file('long.sqlite'), 'launch_point', 'count(*)').rows).toEqual([[lines + funds]])
})
