/** Commands without a bucket, as a user runs them: init, check, build. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import type { BuildSummary } from '../../src/core/snapshot/build.ts'
import { withClock } from '../support/clock.ts'
import { tempFolder } from '../support/product.ts'
import { run, runAlone } from './run.ts'
import { expectFailure, expectSuccess } from './outcome.ts'

const folder = tempFolder()
const fundpress = (line: string) => run(line, { cwd: folder.path })
beforeAll(async () => {
  await fundpress('init --demo --funds 3 --years 1 --until 2026-11-19 --quiet')
  writeFileSync(folder.file('precious.sqlite'), 'precious')
})

describe('init --demo', () => {
  it('writes data/demo.sqlite by default, and says what is in a demo, with --json for machines', async () => {
    const line = 'init --demo --funds 3 --years 1 --until 2026-11-19 --db new/small.sqlite'
    const said = /^database {2}new\/small\.sqlite\nfunds {5}3\nprices {4}\d+, up to 2026-11-19\nbytes /
    expect(await expectSuccess(fundpress(line))).toMatch(said)
    expect(existsSync(folder.file('data/demo.sqlite'))).toBe(true)
    const prices = expect.any(Number) as number
    const bytes = expect.any(Number) as number
    const demo = { database: 'new/small.sqlite', until: '2026-11-19', funds: 3, prices, bytes }
    expect(JSON.parse(await expectSuccess(fundpress(`${line} --json`)))).toEqual(demo)
  })

  it('has prices up to the last business day before today', async () => {
    const env = withClock('2026-04-06T10:00:00Z')
    const made = await runAlone('init --demo --db today.sqlite --funds 1 --years 1', {
      cwd: folder.path,
      env,
    })
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('up to 2026-04-02') as string })
  })

  it('does not replace a file that is no demo, and ignores the database of the settings', async () => {
    const reason = /^fundpress: precious\.sqlite exists and is not a demo database.*\n$/
    await expectFailure(fundpress('init --demo --db precious.sqlite'), reason)
    const configured = { cwd: folder.path, env: { FUNDPRESS_DB: 'precious.sqlite' } }
    expect(await run('init --demo --funds 1 --years 1 --db one.sqlite', configured)).toMatchObject({
      code: 0,
    })
    expect(readFileSync(folder.file('precious.sqlite'), 'utf8')).toBe('precious')
  })

  it('refuses options that together reach back too far, as wrong usage', async () => {
    const line = 'init --demo --db far.sqlite --years 100 --until 1950-01-01'
    await expectFailure(fundpress(line), /^fundpress: .*1900.*\n$/, 2)
  })
})

it('init makes an empty database once', async () => {
  expect(await expectSuccess(fundpress('init --db empty.sqlite'))).toBe('made empty.sqlite\n')
  await expectFailure(fundpress('init --db empty.sqlite'), /^fundpress: empty\.sqlite exists.*\n$/)
})

describe('build', () => {
  const build = 'build --db data/demo.sqlite --as-of 2026-11-20'

  it('ends with a summary and prints nothing else', async () => {
    const stdout = await expectSuccess(fundpress(build))
    expect(stdout).toMatch(
      /^warning {2}baseUrl is http:\/\/localhost:8080: .*set "baseUrl" \(FUNDPRESS_BASE_URL\), then build again\n\nsnapshot {3}2026-11-20-[0-9a-f]{12}\nfolder {5}out\nas of {6}2026-11-20\nfunds {6}3\n/,
    )
    expect(stdout).toMatch(
      /\ndocuments {2}[\d,]+\nbytes {6}[\d,]+ \([\d.]+ MB\)\nprices {5}\d+ up to date, 0 late, 0 stale/,
    )
    expect(stdout).toMatch(/\nseconds {4}[\d.]+ \(.+ documents a second\)\n$/)
    const published = { cwd: folder.path, env: { FUNDPRESS_BASE_URL: 'https://api.example.org' } }
    expect(await expectSuccess(run(build, published))).toMatch(/^snapshot /)
  })

  it('prints the summary as JSON with --json, and nothing with --quiet', async () => {
    const { stdout } = await fundpress(`${build} --out other --json`)
    const { documents, bytes, seconds, snapshot, freshness, oldestPrice, ...rest } = JSON.parse(
      stdout,
    ) as BuildSummary
    expect({ documents, bytes, seconds }).toEqual({
      documents: expect.any(Number),
      bytes: expect.any(Number),
      seconds: expect.any(Number),
    })
    expect(snapshot).toMatch(/^2026-11-20-[0-9a-f]{12}$/)
    expect(freshness).toMatchObject({ late: 0, stale: 0 })
    expect(oldestPrice).toEqual({ isin: expect.any(String), day: expect.any(String) })
    const complete = { rendered: documents, since: null, isSparse: false }
    const nothing = { overdue: [], downloads: null, warnings: [], allowed: [], withheld: [] }
    expect(rest).toEqual({ asOf: '2026-11-20', funds: 3, ...complete, ...nothing })
    expect(await fundpress(`--quiet ${build} --out other`)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('renders the funds of --only, in either case, and names one that does not exist', async () => {
    const db = new Database(folder.file('data/demo.sqlite'), { readonly: true })
    const isins = db.prepare<[], string>('SELECT isin FROM fund ORDER BY isin LIMIT 2').pluck().all()
    db.close()
    const some = await fundpress(`${build} --out some --json --only ${isins.join(' ').toLowerCase()}`)
    expect(JSON.parse(some.stdout)).toMatchObject({ funds: 2 })
    const none = fundpress(`${build} --out none --only DE0008471400`)
    await expectFailure(none, /^fundpress: .*DE0008471400.*\n$/)
    expect(existsSync(folder.file('none'))).toBe(false)
  })
})
