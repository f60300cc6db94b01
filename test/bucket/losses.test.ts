/** What a publish may take away from readers, and how an operator allows more. */
import { copyFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { DayChanges } from '../../src/core/api/contract/changes.ts'
import type { Objection } from '../../src/core/guards/guards.ts'
import { expectSuccess } from '../cli/outcome.ts'
import { editDatabase } from '../support/database.ts'
import { askFeed } from '../support/feed.ts'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { lacks } from '../support/programs.ts'
import { withoutFund } from './nightly/nightly.ts'

const removed = (funds: number) => withoutFund('(SELECT min(isin) FROM fund)').repeat(funds)
const noProfile = 'DELETE FROM profile'

let press: Press
/** Brings back a bucket with one publish: the other slot is empty. */
let restore: () => void
beforeAll(async () => {
  press = await openPress(await buildNights(1, 4, { years: 1 }))
  await expectSuccess(press.fundpress('publish --out night-1 --quiet'))
  restore = press.bucket.save()
})
beforeEach(() => {
  press.reset()
  restore()
})
afterAll(() => press.stop())

/** Builds what is left of the four funds. */
async function build(out: string, sql: string, ...flags: readonly string[]): Promise<void> {
  const { file } = press.nights.folder
  copyFileSync(file('funds.sqlite'), file(`${out}.sqlite`))
  editDatabase(file(`${out}.sqlite`), sql)
  const line = `build --db ${out}.sqlite --out ${out} --as-of 2026-11-11 --no-pages --no-downloads --quiet`
  await expectSuccess(press.bare([...line.split(' '), '--docs-url', 'https://docs.example.org', ...flags]))
}

/** What a publish would refuse, as `--allow` names it. */
async function objectionsTo(out: string, flags = ''): Promise<readonly string[]> {
  const { objections } = await press.json<{ objections: readonly Objection[] }>(
    `plan --out ${out} ${flags}`.trim(),
  )
  return objections.map(({ guard, subject }) => (subject === null ? guard : `${guard}:${subject}`))
}

it('what is allowed is published with its reason, and not refused again in the next night', async () => {
  await build('two', removed(2))
  const line = ['publish', '--out', 'two', '--allow', 'lost-funds', '--reason', 'a merger of two funds']
  const { allowed } = await press.json<{ allowed: readonly object[] }>(line)
  const permission = { guard: 'lost-funds', subject: null, reason: 'a merger of two funds' }
  expect(allowed).toMatchObject([permission])
  const bodyOf = (file: string) => press.bucket.body(`${press.bucket.live()?.slot ?? ''}/changes/${file}`)
  const day = JSON.parse(String(bodyOf('2026-11-11.json'))) as DayChanges
  // Who has allowed it, on which machine, and the words of the guard are for the history alone.
  expect(day.allowed).toEqual([permission])
  expect(String(bodyOf('feed.xml'))).toContain('Checked and released. Reason: a merger of two funds')

  await build('next', `${removed(2)};${newBenchmark(1)}`)
  // One object in a hundred may be gone.
  const strict = { FUNDPRESS_EXPECTATIONS_STRICTNESS: '10' }
  const planned = await press.json<{ deleted: number }>('plan --out next', strict)
  // The other slot still has the two funds.
  expect(planned.deleted).toBeGreaterThan(100)
  await expectSuccess(press.fundpress('publish --out next --quiet', strict))
  expect(JSON.parse(String(bodyOf('2026-11-11.json')))).not.toHaveProperty('allowed')
})

it('publishes a reason as one line without secrets, and takes none that is long', async ({ skip }) => {
  skip(lacks('xmllint'), 'needs xmllint')
  await build('harsh', removed(2))
  const reason =
    'merger,\n<b>see</b> ]]> &\u0007 http://u:hunter2@host/?id=7&access_token=hunter2 ghp_hunter2hunter2hunter2\u202e'
  const line = (text: string) => ['publish', '--out', 'harsh', '--allow', 'lost-funds', '--reason', text]
  const before = press.bucket.body('live.json')
  const refused = await press.fundpress(line('hunter2'.repeat(2000)))
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 2,
    stderr: 'fundpress: --reason has 14000 characters: give it in 300 at most\n',
  })
  expect(press.bucket.body('live.json')).toEqual(before)
  await expectSuccess(press.fundpress([...line(reason), '--quiet'], { GITHUB_ACTOR: 'eve\n<i>' }))
  const kept = 'merger, <b>see</b> ]]> & http://***@host/?id=7&access_token=*** ***\\u202e'
  const folder = `${press.bucket.live()?.slot ?? ''}/changes/`
  const bodyOf = (file: string) => String(press.bucket.body(folder + file))
  const day = JSON.parse(bodyOf('2026-11-11.json')) as DayChanges
  expect(day.allowed).toMatchObject([{ reason: kept }])
  const history = String(press.bucket.body('nightly/history.json'))
  expect(history).toContain(JSON.stringify(kept))
  expect(history).toContain('"eve <i>"')
  expect(askFeed(bodyOf('feed.xml'), 'string(/a:feed/a:entry[1]/a:summary)')).toContain(`: ${kept}`)
  for (const file of press.bucket.keys(folder))
    expect(String(press.bucket.body(file))).not.toMatch(/hunter2|eve/)
})

it('compares the documents if the live manifest has no counts, and the counts if its lines are damaged', async () => {
  await build('empty', noProfile)
  const key = 'blue/manifest.ndjson.gz'
  const [head = '', ...lines] = gunzipSync(press.bucket.body(key)).toString().split('\n')
  const { counts, ...old } = JSON.parse(head) as Readonly<Record<string, unknown>>
  expect(counts).toMatchObject({ documents: { profile: 16 }, rows: { fund: 4, profile: 4 } })
  press.bucket.put(key, gzipSync([JSON.stringify(old), ...lines].join('\n')))
  expect(await objectionsTo('empty')).toEqual(['lost-documents:profile'])
  press.bucket.put(key, gzipSync(`${head}\n{"key":`))
  expect(await objectionsTo('empty', '--repair')).toEqual(['lost-documents:profile', 'lost-rows:profile'])
})
