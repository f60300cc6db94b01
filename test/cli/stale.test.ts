/** A night of stale prices on its way to the bucket, and monitors that look at what is live. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClock } from '../support/clock.ts'
import { editDatabase } from '../support/database.ts'
import { openPress, type Press } from '../support/press.ts'
import { asOf, freshness, isins, makePricedFunds } from '../support/priced-funds.ts'
import { makeTempFolder, startServer, startServing, type Run } from '../support/product.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'
import { sumsOf } from '../support/tree.ts'

const place = 's3://fund-data'
const tooStale = 'the prices of 1 of 5 funds are stale, more than 10 %'
let press: Press

async function build(out: string, sql: string): Promise<void> {
  editDatabase(press.nights.folder.file('funds.sqlite'), sql)
  const { code, stderr } = await press.bare(
    `build --db funds.sqlite --out ${out} --as-of ${asOf} --docs-url https://docs.example.org --quiet`,
  )
  expect([code, stderr]).toEqual([0, ''])
}

beforeAll(async () => {
  const folder = makeTempFolder()
  const sums = (out: string) => sumsOf(folder.file(out))
  const change = () => Promise.reject(new Error('not here'))
  press = await openPress({ folder, outs: [], change, sums, remove: folder.remove }, { bucket: 'fund-data' })
  makePricedFunds(folder.file('funds.sqlite'))
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ freshness }))
  await build('stale', '')
  const newest = `UPDATE price SET date = '2026-11-19' WHERE isin = '${isins.stale}' AND date = '2026-11-10'`
  await build('good', newest)
  await build('better', `${newest}; UPDATE fund SET name = 'Neuer Name' WHERE isin = '${isins.late}'`)
})
afterAll(() => press.stop())

/** Without that of the as-of day: how long ago it was depends on the day of this test. */
const linesOf = ({ stderr }: Run) =>
  stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !isOfAsOf(line))
const isOfAsOf = (line: string) => line.includes(` is as of ${asOf}, `)

describe('a night with too many stale funds', () => {
  it('is refused, with the number, the funds and what to do, and plan says so before', async () => {
    const refused = await press.fundpress('publish --out stale')
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toBe(
      `fundpress: refused: ${tooStale} (newest prices: ${isins.stale} of 2026-11-10): get their prices into the ` +
        'database and build again, or give funds that are priced less often a group in freshness.groups. ' +
        'If that is right, publish with --force\n',
    )
    expect(press.bucket.keys().filter((key) => key !== 'journal.json')).toEqual([])
    const planned = await press.fundpress('plan --out stale')
    expect([planned.code, planned.stdout.includes(tooStale)]).toEqual([0, true])
    const { refusals } = await press.json<{ refusals: readonly string[] }>('plan --out stale')
    expect(refusals).toEqual([expect.stringContaining(tooStale)])
  })

  it('goes live with --force, or where more is allowed', async () => {
    const allowed = await press.json<{ refusals: readonly string[] }>(
      'plan --out stale --max-stale-share 0.2',
    )
    expect(allowed.refusals).toEqual([])
    const asVariable = { FUNDPRESS_FRESHNESS_MAX_STALE_SHARE: '0.2' }
    const done = await press.fundpress('publish --out stale --quiet', asVariable)
    expect([done.code, done.stderr]).toEqual([0, ''])
    press.reset()
    expect(await press.fundpress('publish --out stale --force --quiet')).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(press.bucket.differencesFrom('stale', 'blue')).toEqual([])
  })
})

describe('status', () => {
  it('tells how new the prices are', async () => {
    const { stdout } = await press.fundpress('status')
    expect(stdout).toMatch(
      /\nprices +3 fresh, 1 late, 1 stale, 1 not watched, 1 without a price, 2 not given out\n/,
    )
  })

  it('fails with --max-age for each reason that there is, one a line', async () => {
    // The store counts whole seconds.
    await setTimeout(1100)
    const both = await press.fundpress('status --max-age 0s')
    expect(both.code).toBe(1)
    expect(linesOf(both)).toEqual([
      expect.stringMatching(
        `^fundpress: ${place}: ${asOf}-[0-9a-f]{12} went live \\d+ (s|min) ago, more than 0 s$`,
      ),
      `fundpress: ${place}: ${tooStale}`,
    ])
    const stale = await press.fundpress('status --max-age 9999d --quiet')
    expect(stale).toEqual({ code: 1, stdout: '', stderr: `fundpress: ${place}: ${tooStale}\n` })
    const allowed = await press.fundpress('status --max-age 9999d --max-stale-share 0.2 --quiet')
    expect(allowed).toEqual({ code: 0, stdout: '', stderr: '' })
    // Whoever does not ask is told, but not alarmed.
    expect(await press.fundpress('status')).toMatchObject({ code: 0, stderr: '' })
  })

  it('gives machines the reasons, too', async () => {
    const { code, stdout } = await press.fundpress('status --max-age 9999d --json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      live: { freshness: { fresh: 3, late: 1, stale: 1, unwatched: 1, unpriced: 1, withheld: 2 } },
      alarms: [tooStale],
    })
  })

  it.each(['36', 'h', '1.5h', '36 h', '-1h', ''])('does not take %j for a duration', async (text) => {
    const { code, stderr } = await press.fundpress(['status', '--max-age', text])
    expect([code, stderr]).toEqual([2, expect.stringContaining('It must be a whole number with a unit')])
  })
})

describe('the status in a bucket', () => {
  it('is put with what changed, verified, and no stranger to prune', async () => {
    await press.json('publish --out good')
    const done = await press.json('publish --out better')
    expect(press.bucket.differencesFrom('better', 'blue')).toEqual([])
    const [before, after] = [press.nights.sums('stale'), press.nights.sums('better')]
    expect(done).toMatchObject({ put: [...after].filter(([key, sum]) => before.get(key) !== sum).length })
    expect(await press.json('verify --deep')).toMatchObject({ objects: after.size, differences: [] })
    expect(await press.fundpress('prune')).toMatchObject({ code: 0, stdout: 'nothing to remove\n' })
    const { stdout } = await press.fundpress('plan --out good')
    expect(stdout).not.toContain('other')
  })

  it('counts as an endpoint of its own in a plan, and not at all as a difference of documents', async () => {
    interface Groups {
      readonly endpoints: readonly { readonly endpoint: string; readonly put: number }[]
      readonly groups: readonly { readonly endpoint: string }[]
    }
    const { endpoints } = await press.json<Groups>('plan --out stale --force')
    expect(endpoints.filter(({ endpoint }) => endpoint === 'status')).toMatchObject([{ put: 3 }])
    const { groups } = await press.json<Groups>('diff good better')
    expect(groups.map(({ endpoint }) => endpoint)).not.toContain('other')
  })

  it('that rotted is named by verify, and put right by a repair', async () => {
    press.bucket.put('blue/status/index.html', '<p>all is well</p>')
    const { code, stdout } = await press.fundpress('verify --quiet')
    expect([code, stdout]).toEqual([1, 'status/index.html has another size\n'])
    expect(await press.fundpress('publish --out better --repair --quiet')).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await press.json('verify --deep')).toMatchObject({ slot: 'green', differences: [] })
    await press.json('publish --out good')
    expect(press.bucket.differencesFrom('good', 'blue')).toEqual([])
  })

  it('comes back with a rollback, which refuses a slot without it', async () => {
    press.bucket.remove('green/status/index.html')
    const refused = await press.fundpress('rollback')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('green is not whole (status/index.html is missing)'),
    ])
    await press.json('publish --out better --repair')
    await press.json('publish --out good')
    expect(await press.fundpress('rollback --quiet')).toMatchObject({ code: 0, stderr: '' })
    expect(await press.fundpress('rollback --quiet')).toMatchObject({ code: 0, stderr: '' })
    expect(await press.json('status')).toMatchObject({ live: { freshness: { fresh: 4, stale: 0 } } })
  })

  it('joins the snapshots of earlier versions, which have none', async () => {
    const { slot } = press.bucket.live() ?? { slot: 'blue' }
    const other = slot === 'blue' ? 'green' : 'blue'
    for (const one of [slot, other]) {
      const [head = '', ...lines] = gunzipSync(press.bucket.body(`${one}/manifest.ndjson.gz`))
        .toString()
        .split('\n')
      const old = { ...(JSON.parse(head) as object), freshness: undefined, files: undefined }
      press.bucket.put(`${one}/manifest.ndjson.gz`, gzipSync([JSON.stringify(old), ...lines].join('\n')))
      for (const key of press.bucket.keys(`${one}/status/`)) press.bucket.remove(key)
    }
    const live = { ...(JSON.parse(String(press.bucket.body('live.json'))) as object), freshness: undefined }
    press.bucket.put('live.json', JSON.stringify(live))
    expect(await press.fundpress('verify')).toMatchObject({ code: 0, stderr: '' })
    expect(await press.fundpress('status --max-age 9999d')).toMatchObject({ code: 0, stderr: '' })
    expect(await press.fundpress('prune')).toMatchObject({ stdout: 'nothing to remove\n' })
    await press.json('publish --out stale --force')
    expect(press.bucket.faultsOf(other)).toEqual([])
    expect(press.bucket.differencesFrom('stale', other)).toEqual([])
  })
})

describe.each(['folder', 'bucket'])('the status of a %s on the edge', (kind) => {
  let base: string
  let stop: () => Promise<void>
  beforeAll(async () => {
    const server =
      kind === 'folder'
        ? await startServer(press.nights.folder.file('stale'))
        : await startServing([...bucketArgs(press.server.endpoint, 'fund-data'), '--live-ttl', '0'], {
            env: credentials,
          })
    ;({ base, stop } = server)
    return () => stop()
  })

  it('has its type, an ETag and a short life in caches', async () => {
    const types = {
      '/status/': 'text/html; charset=utf-8',
      '/status/de.html': 'text/html; charset=utf-8',
      '/status/index.json': 'application/json; charset=utf-8',
      '/status/status.css': 'text/css; charset=utf-8',
      '/status/status.js': 'text/javascript; charset=utf-8',
    }
    for (const [path, type] of Object.entries(types)) {
      const { status, headers } = await fetch(base + path)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, type])
      expect(headers.get('cache-control')).toBe('public, max-age=60')
      expect(headers.get('last-modified')).not.toBeNull()
      const etag = headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[^"]+"$/)
      expect((await fetch(base + path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    }
    const open = await fetch(`${base}/status`, { redirect: 'manual' })
    expect([open.status, open.headers.get('location')]).toEqual([308, '/status/'])
  })

  it('is asked from outside without credentials', async () => {
    const { code, stdout, stderr } = await press.bare(`status --base ${base} --max-age 9999d`)
    expect([code, stderr]).toEqual([1, `fundpress: ${base}: ${tooStale}\n`])
    expect(stdout).toMatch(
      new RegExp(
        `^live +${asOf}-[0-9a-f]{12} at ${base}/status/index.json\nsince +.+ \\(.+\\)\nas of +${asOf}\n`,
      ),
    )
    expect(await press.bare(`status --base ${base} --max-age 9999d --max-stale-share 0.2 --quiet`)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    // Publishes that follow each other fast are dated a second apart each: the last one ahead of the clock.
    const { headers } = await fetch(`${base}/status/index.json`)
    await setTimeout(Math.max(0, Date.parse(headers.get('last-modified') ?? '') + 1100 - Date.now()))
    const old = await press.bare(`status --base ${base}/ --max-age 0s --json`)
    expect(old.code).toBe(1)
    const { live, alarms } = JSON.parse(old.stdout) as { live: object; alarms: readonly string[] }
    expect(live).toMatchObject({ as_of: asOf, overdue: [{ isin: isins.stale }, { isin: isins.late }] })
    expect(live).not.toHaveProperty('prices')
    expect(alarms.filter((line) => !isOfAsOf(line))).toEqual([expect.stringContaining('went live'), tooStale])
    expect(linesOf(old)).toHaveLength(2)
  })
})

describe('a deployment that is asked from outside', () => {
  const answering = async (
    status: number,
    body: string,
    headers: Record<string, string> = {},
    env: Readonly<Record<string, string>> = {},
  ) => {
    const server = createServer((_request, response) => response.writeHead(status, headers).end(body))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, stderr } = await press.bare(`status --base ${base} --max-age 36h --quiet`, env)
    server.closeAllConnections()
    server.close()
    return { code, stderr: stderr.replaceAll(base, 'BASE') }
  }
  const date = { 'last-modified': 'Fri, 20 Nov 2026 20:00:00 GMT' }

  it.each([
    ['has no status', 404, '{}', date, 'BASE/status/index.json answers with status 404'],
    ['is no fundpress', 200, '<html>', date, 'BASE/status/index.json is not the status of a fundpress'],
    ['gives null', 200, 'null', date, 'BASE/status/index.json is not the status of a fundpress'],
    [
      'forges a name',
      200,
      '{"format":1,"snapshot":"\\u001b[2J","as_of":"2026-11-20","freshness":{"fresh":1,"late":0,"stale":0}}',
      date,
      'BASE/status/index.json is not the status of a fundpress',
    ],
    [
      'has lost its date',
      200,
      '{}',
      {},
      'BASE/status/index.json does not say when it went live (no Last-Modified)',
    ],
  ] as const)('fails where it %s', async (_what, status, body, headers, reason) => {
    expect(await answering(status, body, headers)).toEqual({ code: 1, stderr: `fundpress: ${reason}\n` })
  })

  // Friday, 20 November, is over at 23 h UTC; Saturday and Sunday are no business days, so 36 h end on Tuesday at 11 h.
  it.each([
    ['2026-11-23T02:00:00Z', '2026-11-22T20:00:00Z', ''],
    ['2026-11-24T10:50:00Z', '2026-11-24T08:00:00Z', ''],
    ['2026-11-24T11:10:00Z', '2026-11-24T08:00:00Z', 'ended 1 day 12 h of business days ago'],
    ['2026-12-28T11:10:00Z', '2026-12-28T08:00:00Z', 'ended 23 days 12 h of business days ago'],
    ['2026-11-20T10:00:00Z', '2026-11-18T08:00:00Z', 'went live 2 days 2 h ago'],
  ])(
    'is asked at %s whether the day of what went live at %s is over for too long',
    async (now, since, says) => {
      const freshness = { fresh: 1, late: 0, stale: 0 }
      const body = JSON.stringify({ format: 1, snapshot: '2026-11-20-0123456789ab', as_of: asOf, freshness })
      const lastModified = { 'last-modified': new Date(since).toUTCString() }
      const { code, stderr } = await answering(200, body, lastModified, withClock(now))
      expect([code, stderr]).toEqual(
        says === '' ? [0, ''] : [1, expect.stringContaining(`${says}, more than 1 day 12 h`)],
      )
    },
  )

  it('fails where nothing answers, and is not asked beside a bucket', async () => {
    const { code, stderr } = await press.bare('status --base http://127.0.0.1:1 --max-age 36h')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^fundpress: http:\/\/127\.0\.0\.1:1\/status\/index\.json does not answer: [^\n]+\n$/,
    )
    const both = await press.fundpress('status --base http://127.0.0.1:1')
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('--base and --bucket exclude each other'),
    ])
  })
})
