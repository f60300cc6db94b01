/** Stale prices on their way to the bucket, and monitors that look at what is live. */
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClock } from '../support/clock.ts'
import { editDatabase } from '../support/database.ts'
import { openPress, type Press } from '../support/press.ts'
import { asOf, freshness, isins, makePricedFunds } from '../support/priced-funds.ts'
import { makeTempFolder, startServer, startServing, type Run, liveTtl } from '../support/product.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'
import { listen } from '../support/request.ts'
import { sample } from '../support/rounds.ts'
import { sumsOf } from '../support/tree.ts'
import { expectFailure, expectSuccess } from './outcome.ts'

/** Four times as much is let pass. */
const lenient = { FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.25' }
const tooStale = 'the prices of 2 of 5 funds are stale, more than 10 %'
let press: Press

async function build(out: string, sql: string): Promise<void> {
  editDatabase(press.nights.folder.file('funds.sqlite'), sql)
  const line = `build --db funds.sqlite --out ${out} --as-of ${asOf} --docs-url https://docs.example.org --quiet`
  await expectSuccess(press.bare(line))
}

beforeAll(async () => {
  const folder = makeTempFolder()
  const sums = (out: string) => sumsOf(folder.file(out))
  const change = () => Promise.reject(new Error('not here'))
  press = await openPress({ folder, outs: [], change, sums, remove: folder.remove }, { bucket: 'fund-data' })
  makePricedFunds(folder.file('funds.sqlite'))
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ freshness }))
  await build(
    'stale',
    `DELETE FROM price WHERE isin = '${isins.late}' AND date < '2026-11-17';
    UPDATE price SET date = '2026-11-12', change = '0.00', change_percent = '0.00' WHERE isin = '${isins.late}'`,
  )
  const newest = `UPDATE price SET date = '2026-11-19' WHERE isin = '${isins.stale}' AND date = '2026-11-10'`
  await build('good', newest)
  await build('better', `${newest}; UPDATE fund SET name = 'Neuer Name' WHERE isin = '${isins.late}'`)
})
afterAll(() => press.stop())

/** Runs a command that must succeed and print nothing but its result. */
const must = (line: string, env?: Record<string, string>) => expectSuccess(press.fundpress(line, env))

/** The lines on stderr without the one about the as-of day, whose age depends on the day of this test. */
const linesOf = ({ stderr }: Run) => stderr.split('\n').filter((line) => line !== '' && !isOfAsOf(line))
const isOfAsOf = (line: string) => line.includes(`the as-of date of `) || line.includes(` is as of ${asOf}, `)

describe('a snapshot with too many stale funds', () => {
  const refusalsOf = async (line: string, env?: Record<string, string>) => {
    const planned = await must(`${line} --json`, env)
    return (JSON.parse(planned) as { refusals: readonly string[] }).refusals
  }

  it('is refused with the number, the funds and what to do; plan says so before', async () => {
    await expectFailure(
      press.fundpress('publish --out stale'),
      `is refused: ${tooStale} (newest prices: ${isins.stale} of 2026-11-10, ${isins.late} of 2026-11-12): get their prices into the ` +
        'database and build again, or say in table fund which funds have ended or are suspended (end_date, suspended_from). ' +
        'If that is right, allow it: --allow stale-prices --reason "…"\n',
      3,
    )
    expect(press.bucket.keys()).not.toContain('live.json')
    expect(await must('plan --out stale')).toContain(tooStale)
    expect(await refusalsOf('plan --out stale')).toEqual([expect.stringContaining(tooStale)])
  })

  it('goes live with --force, or if the settings allow more', async () => {
    expect(await refusalsOf('plan --out stale', lenient)).toEqual([])
    await must('publish --out stale --force --reason test --quiet')
    expect(press.bucket.differencesFrom('stale', 'blue')).toEqual([])
  })
})

describe('status', () => {
  it('counts the prices by age, without an alarm', async () => {
    const counts =
      /\nprices +3 up to date, 0 late, 2 stale, 1 not monitored, 1 without a price, 2 not published\n/
    expect(await must('status')).toMatch(counts)
  })

  it('with --max-age fails for each reason, one a line', async () => {
    // The store counts whole seconds.
    await setTimeout(1100)
    const both = await press.fundpress('status --max-age 0s')
    expect(both.code).toBe(1)
    const old = `^fundpress: s3://fund-data: ${asOf}-[0-9a-f]{12} went live \\d+ (s|min) ago, more than 0 s$`
    expect(linesOf(both)).toEqual([expect.stringMatching(old), `fundpress: s3://fund-data: ${tooStale}`])
    const stale = await press.fundpress('status --max-age 9999d --quiet')
    expect(stale).toEqual({ code: 1, stdout: '', stderr: `fundpress: s3://fund-data: ${tooStale}\n` })
    expect(await must('status --max-age 9999d --quiet', lenient)).toBe('')
  })

  it('with --json lists the reasons as alarms', async () => {
    const { code, stdout } = await press.fundpress('status --max-age 9999d --json')
    expect(code).toBe(1)
    const counts = {
      fresh: 3,
      late: 0,
      stale: 2,
      suspended: 0,
      ended: 0,
      unwatched: 1,
      unpriced: 1,
      withheld: 2,
    }
    expect(JSON.parse(stdout)).toMatchObject({ live: { freshness: counts }, alarms: [tooStale] })
  })
})

describe('the status in a bucket', () => {
  it('is uploaded if it changed, verified, and not pruned', async () => {
    await press.json('publish --out good')
    const done = await press.json('publish --out better')
    expect(press.bucket.differencesFrom('better', 'blue')).toEqual([])
    const before = press.nights.sums('stale')
    const after = press.nights.sums('better')
    expect(done).toMatchObject({ put: [...after].filter(([key, sum]) => before.get(key) !== sum).length })
    expect(await press.json('verify --deep')).toMatchObject({ objects: after.size, differences: [] })
    expect(await must('prune')).toBe('nothing to remove\n')
    expect(await must('plan --out good')).not.toContain('other')
  })
})

describe.each(['folder', 'bucket'])('the status of a %s on the edge', (kind) => {
  let base: string
  let stop: () => Promise<void>
  beforeAll(async () => {
    // Publishes that follow each other fast are dated a second apart each, the last ones ahead of the clock: a first publish is not.
    if (kind === 'bucket') {
      press.reset()
      await must('publish --out stale --force --reason test --quiet')
    }
    const words = bucketArgs(press.server.endpoint, 'fund-data')
    const env = { ...credentials, ...liveTtl(0) }
    const folder = press.nights.folder.file('stale')
    const server = kind === 'folder' ? startServer(folder) : startServing(words, { env })
    ;({ base, stop } = await server)
    return () => stop()
  })

  it('has its type, an ETag and a short life in caches', async () => {
    for (const [path, type] of [
      ['/status/', 'text/html'],
      ['/status/index.json', 'application/json'],
      ['/status/status.css', 'text/css'],
      ['/status/status.js', 'text/javascript'],
    ] as const) {
      const { status, headers } = await fetch(base + path)
      expect({ path, status, type: headers.get('content-type') }).toEqual({
        path,
        status: 200,
        type: `${type}; charset=utf-8`,
      })
      expect(headers.get('cache-control')).toBe('public, max-age=60')
      expect(headers.get('last-modified')).not.toBeNull()
      const etag = headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[^"]+"$/)
      expect((await fetch(base + path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    }
    const open = await fetch(`${base}/status`, { redirect: 'manual' })
    expect({ status: open.status, location: open.headers.get('location') }).toEqual({
      status: 308,
      location: '/status/',
    })
  })

  it('answers `status --base` without credentials', async () => {
    const { code, stdout, stderr } = await press.bare(`status --base ${base} --max-age 9999d`)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `fundpress: ${base}: ${tooStale}\n` })
    const lines = `^live +${asOf}-[0-9a-f]{12} at ${base}/status/index.json\nsince +.+ \\(.+\\)\nas of +${asOf}\n`
    expect(stdout).toMatch(new RegExp(lines))
    const allowed = await press.bare(`status --base ${base} --max-age 9999d --quiet`, lenient)
    expect(allowed).toEqual({ code: 0, stdout: '', stderr: '' })
    const { headers } = await fetch(`${base}/status/index.json`)
    await setTimeout(Math.max(0, Date.parse(headers.get('last-modified') ?? '') + 1100 - Date.now()))
    const old = await press.bare(`status --base ${base}/ --max-age 0s --json`)
    expect(old.code).toBe(1)
    const { live, alarms } = JSON.parse(old.stdout) as { live: object; alarms: readonly string[] }
    expect(live).toMatchObject({ as_of: asOf, overdue: [{ isin: isins.stale }, { isin: isins.late }] })
    expect(live).not.toHaveProperty('prices')
    expect(alarms.filter((line) => !isOfAsOf(line))).toEqual([expect.stringContaining('went live'), tooStale])
    expect(linesOf(old)).toHaveLength(2)
    expect(old.stdout).toContain('"staged":null')
  })

  it.runIf(kind === 'bucket')('answers `status --base` with what is staged', async () => {
    const live = JSON.parse(String(press.bucket.body('live.json'))) as object
    const snapshot = '2026-11-23-0123456789ab'
    const staged = { ...live, slot: 'green', snapshot, liveSince: '2026-11-24T03:00:00.000Z', previous: live }
    press.bucket.put('staged.json', JSON.stringify(staged))
    const { stdout } = await press.bare(`status --base ${base}`)
    expect(stdout).toMatch(/^staged +2026-11-23-0123456789ab, since 2026-11-24T03:00:00\.000Z$/m)
    const json = JSON.parse((await press.bare(`status --base ${base} --json`)).stdout) as object
    expect(json).toMatchObject({
      staged: { snapshot, as_of: '2026-11-23', staged_since: '2026-11-24T03:00:00.000Z' },
    })
    press.bucket.remove('staged.json')
  })
})

describe('a deployment that `status --base` asks', () => {
  const answering = async (status: number, body: string, headers: object, env = {}, staged = body) => {
    const server = createServer(({ url }, response) => {
      response.writeHead(status, { ...headers }).end(url === '/status/staged.json' ? staged : body)
    })
    const { base, stop } = await listen(server)
    const { code, stderr } = await press.bare(
      `status --base ${base} --max-age 36h --max-wait 6h --quiet`,
      env,
    )
    await stop()
    return { code, stderr: stderr.replaceAll(base, 'BASE') }
  }
  const date = { 'last-modified': 'Fri, 20 Nov 2026 20:00:00 GMT' }

  const foreign = 'is not the status of a fundpress'
  const fresh = { fresh: 1, late: 0, stale: 0 }
  const forged = JSON.stringify({ format: 1, snapshot: '\u001b[2J', as_of: asOf, freshness: fresh })
  it.each([
    ['has no status', 404, '{}', date, 'answers with status 404'],
    ['is no fundpress', 200, '<html>', date, foreign],
    ['gives null', 200, 'null', date, foreign],
    ['forges a name', 200, forged, date, foreign],
    ['has lost its date', 200, '{}', {}, 'does not say when it went live (no Last-Modified)'],
  ] as const)('is an error if it %s', async (_what, status, body, headers, reason) => {
    const stderr = `fundpress: BASE/status/index.json ${reason}\n`
    expect(await answering(status, body, headers)).toEqual({ code: 1, stderr })
  })

  // Friday, 20 November, is over at 23 h UTC; Saturday and Sunday are no business days, so 36 h end on Tuesday at 11 h.
  const moments = [
    ['2026-11-23T02:00:00Z', '2026-11-22T20:00:00Z', ''],
    ['2026-11-24T10:50:00Z', '2026-11-24T08:00:00Z', ''],
    ['2026-11-24T11:10:00Z', '2026-11-24T08:00:00Z', 'ended 1 day 12 h of business days ago'],
    ['2026-12-28T11:10:00Z', '2026-12-28T08:00:00Z', 'ended 23 days 12 h of business days ago'],
    ['2026-11-20T10:00:00Z', '2026-11-18T08:00:00Z', 'went live 2 days 2 h ago'],
  ] as const
  // Each is a process of its own.
  it.each(sample(moments, { least: 2, turn: 1 }))(
    'at %s, if it went live at %s, is too old by its as-of date: %j',
    async (now, since, says) => {
      const head = { format: 1, snapshot: '2026-11-20-0123456789ab', as_of: asOf }
      const body = JSON.stringify({ ...head, freshness: fresh })
      const lastModified = { 'last-modified': new Date(since).toUTCString() }
      const { code, stderr } = await answering(200, body, lastModified, withClock(now))
      const alarm = expect.stringContaining(`${says}, more than 1 day 12 h`) as string
      expect({ code, stderr }).toEqual(says === '' ? { code: 0, stderr: '' } : { code: 1, stderr: alarm })
    },
  )

  it.each([
    ['2026-11-23T09:10:00Z', 'a staged snapshot has waited 6 h 10 min for its flip, more than 6 h 0 min'],
    ['2026-11-23T08:50:00Z', ''],
    // On a Sunday no approval is expected.
    ['2026-11-22T21:00:00Z', ''],
  ])('at %s says how long a staged snapshot has waited: %j', async (now, says) => {
    const head = { format: 1, snapshot: '2026-11-20-0123456789ab', as_of: asOf }
    const since = now.replace(/T.*/, 'T03:00:00Z')
    const other = { snapshot: '2026-11-23-0123456789ab', as_of: '2026-11-23', staged_since: since }
    const body = JSON.stringify({ ...head, freshness: fresh })
    const headers = { 'last-modified': 'Sun, 22 Nov 2026 02:00:00 GMT' }
    const staged = JSON.stringify({ staged: other })
    const { code, stderr } = await answering(200, body, headers, withClock(now), staged)
    expect({ code, stderr }).toEqual(
      says === '' ? { code: 0, stderr: '' } : { code: 1, stderr: `fundpress: BASE: ${says}\n` },
    )
  })

  it('is an error if nothing answers, and excludes --bucket', async () => {
    const silent = /^fundpress: http:\/\/127\.0\.0\.1:1\/status\/index\.json does not answer: .+\n$/
    await expectFailure(press.bare('status --base http://127.0.0.1:1 --max-age 36h'), silent)
    const both = press.fundpress('status --base http://127.0.0.1:1')
    await expectFailure(both, '--base and --bucket exclude each other', 2)
  })
})
