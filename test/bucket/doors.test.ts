/** Every door to what is live beside every guard and every kind of damage: the same rules stand at all of them. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { isinOf } from '../support/database.ts'
import { openPress, type Press } from '../support/press.ts'
import { docsUrl } from '../support/product.ts'
import { sample } from '../support/rounds.ts'
import { parseManifest } from '../support/tree.ts'

let press: Press
/** The bucket with `night-1` live and `fewer` staged; and with `night-2` live, and `night-1` before. */
let staged: () => void
let published: () => void
let fewer = ''

beforeAll(async () => {
  const nights = await buildNights(2, 1, { years: 1, isSmall: true })
  press = await openPress(nights)
  await nights.change('fewer', 'DELETE FROM price WHERE date = (SELECT min(date) FROM price)')
  fewer = (await press.json<{ snapshot: string }>('plan --out fewer')).snapshot
  await expectSuccess(press.publish('night-1'))
  await expectSuccess(press.publish('fewer', '--stage'))
  staged = press.bucket.save()
  await expectSuccess(press.publish('night-2'))
  published = press.bucket.save()
})
afterAll(() => press.stop())
beforeEach(() => {
  press.server.reset()
})

interface Door {
  readonly name: string
  readonly line: () => string
  /** Where the bucket begins. */
  readonly begin: () => void
  /** Whether the snapshot's folder is at hand. */
  readonly mends: boolean
}

const doors: readonly Door[] = [
  { name: 'publish', line: () => 'publish --out fewer', begin: () => published(), mends: true },
  { name: 'a repair', line: () => 'publish --out fewer --repair', begin: () => published(), mends: true },
  {
    name: 'nightly',
    line: () =>
      `nightly --db funds.sqlite --docs-url ${docsUrl} --as-of ${fewer.slice(0, 10)} --out whole --since none --sample 3`,
    begin: () => published(),
    mends: true,
  },
  {
    name: 'a publish of what is staged',
    line: () => 'publish --out fewer',
    begin: () => staged(),
    mends: true,
  },
  { name: 'flip', line: () => `flip ${fewer}`, begin: () => staged(), mends: false },
  { name: 'rollback', line: () => 'rollback', begin: () => published(), mends: false },
]
const live = () => press.bucket.live()
const other = () => (live()?.slot === 'blue' ? 'green' : 'blue')
const edit = (key: string, change: (file: Record<string, unknown>) => object) => {
  const file = JSON.parse(press.bucket.body(key).toString()) as Record<string, unknown>
  press.bucket.put(key, JSON.stringify({ ...file, ...change(file) }))
}

describe.each(doors)('$name', ({ name, line, begin, mends }) => {
  beforeEach(begin)

  const damages: readonly (readonly [string, (key: string) => void])[] = [
    ['is missing', (key) => press.bucket.remove(key)],
    ['is shorter', (key) => press.bucket.put(key, press.bucket.body(key).subarray(1))],
    ['has other bytes', (key) => press.bucket.put(key, Buffer.alloc(press.bucket.body(key).length))],
  ]
  it.each(damages)('brings no slot live in which an object %s', async (_, damage) => {
    // An object that all nights have, so a publish has no reason to put it.
    const [key = ''] = press.bucket.keys(`${other()}/errors/`)
    damage(key)
    const before = press.bucket.body('live.json')
    const { code, stderr } = await press.fundpress(line())
    const short = key.slice(key.indexOf('/') + 1)
    if (mends) {
      expect([code, live()?.snapshot, press.bucket.faultsOf(live()?.slot)], stderr).toEqual([0, fewer, []])
      if (!line().includes('--repair')) expect(stderr).toContain(`(${short} is `)
    } else {
      expect([code, press.bucket.body('live.json')]).toEqual([1, before])
      expect(stderr).toContain(`${other()} is not whole (${short} is `)
      expect(stderr).toContain('publish --repair')
    }
  })

  const isBack = name === 'rollback'
  it.each(sample(isBack ? backwards : forwards, { turn: doors.findIndex((one) => one.name === name) }))(
    'lets nothing pass that guard %s refuses',
    async (guard, prepare) => {
      const env = (prepare() ?? {}) as Readonly<Record<string, string>>
      const before = press.bucket.body('live.json')
      const refused = await press.fundpress(line(), env)
      expect([refused.code, press.bucket.body('live.json')], refused.stderr).toEqual([3, before])
      expect(refused.stderr).toMatch(new RegExp(`--allow ${guard} `))
      const allowed = await press.fundpress(`${line()} --allow ${guard} --reason seen`, env)
      expect(allowed.code, allowed.stderr).toBe(0)
      if (guard === 'hold') expect(live()?.hold).toBeUndefined()
      expect(lastEvents()).toContainEqual(expect.objectContaining({ kind: 'allowed', reason: 'seen' }))
    },
  )

  it.runIf(isBack)('lets pass what is less than is live: that is what an operator wants', async () => {
    lostFunds()
    expect((await press.fundpress(line(), { FUNDPRESS_GUARDS_LOST_PRICES: '0' })).code).toBe(0)
  })
})

/** What is live has more, or is newer. `prepare` may return an environment. */
type Guarded = readonly [guard: string, prepare: () => unknown]

const hold: Guarded = [
  'hold',
  () => {
    edit('live.json', () => ({
      hold: { since: live()?.liveSince, reason: 'wrong NAV', reverted: fewer },
    }))
  },
]
const forwards: readonly Guarded[] = [
  hold,
  ['lost-prices', () => ({ FUNDPRESS_GUARDS_LOST_PRICES: '0' })],
  ['lost-funds', lostFunds],
  [
    'lost-rows:profile',
    () => {
      editCounts(({ rows }) => ({ rows: { ...rows, profile: 100 } }))
    },
  ],
  [
    'lost-values:profile',
    () => {
      editCounts(({ values }) => ({ values: { ...values, 'profile.benchmark': 100 } }))
    },
  ],
  [
    'lost-documents:prices-historic',
    () => {
      const year = /\/20(?=\d\d\.)/
      editLines((lines) => lines.flatMap(copiesOf(year, (key, index) => key.replace(year, `/2${index}`))))
      return { FUNDPRESS_BUCKET_MAX_DELETES: '99' }
    },
  ],
  [
    'deletes',
    () => {
      editLines((lines) => lines.flatMap(copiesOf(/^errors\//, (key, index) => `${key}.${index}`)))
      return { FUNDPRESS_BUCKET_MAX_DELETES: '0' }
    },
  ],
  [
    'unpriced-funds',
    () => {
      edit('live.json', ({ freshness }) => ({ freshness: { ...(freshness as object), fresh: 9 } }))
    },
  ],
  [
    'older-date',
    () => {
      edit('live.json', () => ({ asOf: '2999-01-01' }))
    },
  ],
  [
    'older-prices',
    () => {
      edit('live.json', () => ({ newestPrice: '2999-01-01' }))
    },
  ],
]
const backwards: readonly Guarded[] = [hold, ['withdrawn-again', withhold]]

interface Counts {
  readonly rows: Readonly<Record<string, number>>
  readonly values: Readonly<Record<string, number>>
}
interface Line {
  readonly key: string
}

/** Changes the manifest of what is live: its first line, and all others. */
function editManifest(
  change: (head: { readonly counts: Counts }, lines: readonly Line[]) => readonly object[],
) {
  const key = `${live()?.slot ?? ''}/manifest.ndjson.gz`
  const { head, documents } = parseManifest(press.bucket.body(key))
  const lines = change(head as unknown as { readonly counts: Counts }, documents)
  press.bucket.put(key, gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
}
const editCounts = (change: (counts: Counts) => Partial<Counts>) => {
  editManifest((head, lines) => [{ ...head, counts: { ...head.counts, ...change(head.counts) } }, ...lines])
}
const editLines = (change: (lines: readonly Line[]) => readonly Line[]) => {
  editManifest((head, lines) => [
    head,
    ...change(lines).toSorted((one, other) => (one.key < other.key ? -1 : 1)),
  ])
}
/** Each line, and two like those whose key matches. */
const copiesOf = (pattern: RegExp, keyOf: (key: string, index: number) => string) => (line: Line) => [
  line,
  ...(pattern.test(line.key) ? [1, 2].map((index) => ({ ...line, key: keyOf(line.key, index) })) : []),
]

/** There are two funds more live. */
function lostFunds() {
  const isin = /[A-Z]{2}[A-Z0-9]{9}\d/
  editLines((lines) => lines.flatMap(copiesOf(isin, (key, index) => key.replace(isin, isinOf(index)))))
  edit('live.json', () => ({ funds: 3 }))
}

/** What is live withholds something, and nobody can read what. */
function withhold() {
  edit('live.json', () => ({ restricted: '0123456789ab' }))
  press.bucket.put(`${live()?.slot ?? ''}/manifest.ndjson.gz`, 'no manifest')
  return {}
}

const lastEvents = () =>
  (JSON.parse(press.bucket.body('nightly/history.json').toString()) as { readonly events: readonly object[] })
    .events
