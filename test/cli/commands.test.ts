/** The commands one after the other, as a user runs them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../support/product.ts'
import { run } from './run.ts'

const folder = makeTempFolder()
const fundpress = (line: string) => run(line.split(' '), { cwd: folder.path })
beforeAll(async () => {
  await fundpress('demo --funds 12 --years 2 --until 2026-11-19 --quiet')
})
afterAll(folder.remove)

describe('demo', () => {
  it('writes data/demo.sqlite and says what is in it', async () => {
    const { code, stdout, stderr } = await fundpress(
      'demo --funds 3 --years 1 --until 2026-11-19 --db new/small.sqlite',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^database {2}new\/small\.sqlite\nfunds {5}3\nprices {4}\d+, up to 2026-11-19\nbytes /,
    )
    expect(existsSync(folder.file('data/demo.sqlite'))).toBe(true)
  })

  it('prints the same as JSON with --json', async () => {
    const { stdout } = await fundpress('demo --funds 3 --years 1 --until 2026-11-19 --db small.sqlite --json')
    const numbers = { prices: expect.any(Number), bytes: expect.any(Number) }
    expect(JSON.parse(stdout)).toEqual({
      database: 'small.sqlite',
      until: '2026-11-19',
      funds: 3,
      ...numbers,
    })
  })

  it('leaves a file alone that is no demo, and so the database of the config file', async () => {
    writeFileSync(folder.file('precious.sqlite'), 'precious')
    const { code, stderr } = await fundpress('demo --db precious.sqlite')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^fundpress: precious\.sqlite exists and is not a demo database[^\n]*\n$/)
    expect(readFileSync(folder.file('precious.sqlite'), 'utf8')).toBe('precious')
    const configured = { cwd: folder.path, env: { FUNDPRESS_DB: 'precious.sqlite' } }
    expect(
      await run(['demo', '--funds', '1', '--years', '1', '--db', 'one.sqlite'], configured),
    ).toMatchObject({ code: 0 })
  })

  it('takes options that reach back too far together for wrong usage', async () => {
    const { code, stderr } = await fundpress('demo --db far.sqlite --years 100 --until 1950-01-01')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^fundpress: [^\n]*1900[^\n]*\n$/)
  })
})

describe('init', () => {
  it('makes an empty database once', async () => {
    expect(await fundpress('init --db empty.sqlite')).toMatchObject({
      code: 0,
      stdout: 'made empty.sqlite\n',
      stderr: '',
    })
    const { code, stderr } = await fundpress('init --db empty.sqlite')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^fundpress: empty\.sqlite exists[^\n]*\n$/)
  })
})

describe('check', () => {
  beforeAll(async () => {
    await fundpress('demo --funds 3 --years 1 --until 2026-11-19 --db broken.sqlite')
    const db = new Database(folder.file('broken.sqlite'))
    db.exec(`PRAGMA foreign_keys = OFF;
      UPDATE fund SET fund_inception_date = '2024-13-01' WHERE isin = (SELECT max(isin) FROM fund);
      INSERT INTO performance_year VALUES ('DE0008471400', 2020, 1.5)`)
    db.close()
  })

  it('finds nothing in a demo', async () => {
    const { code, stdout } = await fundpress('check --db data/demo.sqlite --as-of 2026-11-20')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '0 errors, 0 warnings\n' })
  })

  it('is content with warnings: prices that are old', async () => {
    const { code, stdout, stderr } = await fundpress('check --db data/demo.sqlite --as-of 2027-06-01')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^[A-Z]{2}[A-Z0-9]{10}\n {2}warning {2}price: /)
    expect(stdout).toMatch(/\n0 errors, \d+ warnings\n$/)
    expect(await fundpress('check --db data/demo.sqlite --as-of 2027-06-01 --quiet')).toMatchObject({
      code: 0,
      stdout: '',
    })
  })

  it('lists errors by fund, counts them, and fails with a line', async () => {
    const { code, stdout, stderr } = await fundpress('check --db broken.sqlite --as-of 2026-11-20')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^[A-Z]{2}[A-Z0-9]{10}\n {2}error {4}\w+: /)
    expect(stdout).toMatch(/fund: [^\n]*2024-13-01/)
    expect(stdout).toMatch(
      /\nDE0008471400\n {2}error {4}performance_year: |^DE0008471400\n {2}error {4}performance_year: /,
    )
    expect(stdout).toMatch(/\n2 errors, 0 warnings\n$/)
    expect(stderr).toBe(
      'fundpress: broken.sqlite has 2 errors, 0 warnings: correct the errors before the next build\n',
    )
  })

  it('prints { errors, warnings, findings } with --json', async () => {
    const { code, stdout } = await fundpress('check --db broken.sqlite --as-of 2026-11-20 --json')
    const report = JSON.parse(stdout)
    expect(code).toBe(1)
    expect(report).toEqual({ errors: 2, warnings: 0, findings: expect.any(Array) })
    const orphan = {
      severity: 'error',
      isin: 'DE0008471400',
      table: 'performance_year',
      message: expect.any(String),
    }
    expect(report.findings).toContainEqual(orphan)
  })

  it('makes build refuse the database: the list and the reason on stderr, nothing in the folder', async () => {
    const { code, stdout, stderr } = await fundpress(
      'build --db broken.sqlite --out refused --as-of 2026-11-20',
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('DE0008471400\n  error    performance_year: ')
    expect(stderr).toMatch(/\nfundpress: broken\.sqlite has 2 errors[^\n]*\n$/)
    expect(readdirSync(folder.path).filter((name) => name.includes('refused'))).toEqual([])
  })
})

describe('build', () => {
  it('ends with a summary, and with nothing but that', async () => {
    const { code, stdout, stderr } = await fundpress('build --db data/demo.sqlite --as-of 2026-11-20')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^snapshot {3}2026-11-20-[0-9a-f]{12}\nfolder {5}out\nas of {6}2026-11-20\nfunds {6}12\n/,
    )
    expect(stdout).toMatch(
      /documents {2}[0-9,]+\nbytes {6}[0-9,]+ \([0-9.]+ MB\)\nprices {5}[0-9]+ fresh, 0 late, 0 stale.*\nseconds {4}[0-9.]+ \(.+ documents a second\)\n$/,
    )
  })

  it('prints the summary as JSON with --json, and nothing with --quiet', async () => {
    const line = 'build --db data/demo.sqlite --as-of 2026-11-20 --out other'
    const { stdout } = await fundpress(`${line} --json`)
    expect(JSON.parse(stdout)).toEqual({
      snapshot: expect.stringMatching(/^2026-11-20-[0-9a-f]{12}$/),
      asOf: '2026-11-20',
      funds: 12,
      documents: expect.any(Number),
      bytes: expect.any(Number),
      rendered: (JSON.parse(stdout) as { documents: number }).documents,
      since: null,
      isSparse: false,
      freshness: expect.objectContaining({ late: 0, stale: 0 }) as object,
      oldestPrice: { isin: expect.any(String) as string, day: expect.any(String) as string },
      overdue: [],
      downloads: null,
      seconds: expect.any(Number),
      warnings: [],
    })
    expect(await fundpress(`--quiet ${line}`)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('renders the funds of --only, in either case, and names one that is not there', async () => {
    const db = new Database(folder.file('data/demo.sqlite'), { readonly: true })
    const isins = db.prepare<[], string>('SELECT isin FROM fund ORDER BY isin LIMIT 2').pluck().all()
    db.close()
    const some = await run(
      [
        'build',
        '--db',
        'data/demo.sqlite',
        '--out',
        'some',
        '--as-of',
        '2026-11-20',
        '--json',
        '--only',
        ...isins.map((isin) => isin.toLowerCase()),
      ],
      { cwd: folder.path },
    )
    expect(JSON.parse(some.stdout)).toMatchObject({ funds: 2 })
    const { code, stderr } = await fundpress('build --db data/demo.sqlite --out none --only DE0008471400')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^fundpress: [^\n]*DE0008471400[^\n]*\n$/)
    expect(existsSync(folder.file('none'))).toBe(false)
  })

  it('says in a line what is wrong with a file that is no database', async () => {
    const { code, stderr } = await fundpress('build --db precious.sqlite')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^fundpress: precious\.sqlite: it is not a SQLite database[^\n]*\n$/)
  })
})
