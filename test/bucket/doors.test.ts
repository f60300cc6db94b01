/** Every door to what is live: each lists its slot and asks its guards. `losses.test.ts` and `test/guards` have the guards themselves. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { docsUrl } from '../support/product.ts'

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

  it.each([
    ['is missing', (key: string) => press.bucket.remove(key)],
    ['has other bytes', (key: string) => press.bucket.put(key, Buffer.alloc(press.bucket.body(key).length))],
  ])('brings no slot live in which an object %s', async (_, damage) => {
    // An object that all nights have, so a publish has no reason to put it.
    const [key = ''] = press.bucket.keys(`${other()}/errors/`)
    damage(key)
    const before = press.bucket.body('live.json')
    const { code, stderr } = await press.fundpress(line())
    const short = key.slice(key.indexOf('/') + 1)
    if (mends) {
      expect(code, stderr).toBe(0)
      expect(live()?.snapshot).toBe(fewer)
      expect(press.bucket.faultsOf(live()?.slot)).toEqual([])
      if (!line().includes('--repair')) expect(stderr).toContain(`(${short} is `)
    } else {
      expect(code, stderr).toBe(1)
      expect(press.bucket.body('live.json')).toEqual(before)
      expect(stderr).toContain(`${other()} is not whole (${short} is `)
      expect(stderr).toContain('publish --repair')
    }
  })

  const isBack = name === 'rollback'
  it.each(isBack ? [hold, withdrawn] : [hold, lost])(
    'lets nothing pass that guard %s refuses',
    async (guard, prepare) => {
      const env = (prepare() ?? {}) as Readonly<Record<string, string>>
      const before = press.bucket.body('live.json')
      const refused = await press.fundpress(line(), env)
      expect(refused.code, refused.stderr).toBe(3)
      expect(press.bucket.body('live.json')).toEqual(before)
      expect(refused.stderr).toMatch(new RegExp(`--allow ${guard} `))
      const allowed = await press.fundpress(`${line()} --allow ${guard} --reason seen`, env)
      expect(allowed.code, allowed.stderr).toBe(0)
      if (guard === 'hold') expect(live()?.hold).toBeUndefined()
      expect(lastEvents()).toContainEqual(expect.objectContaining({ kind: 'allowed', reason: 'seen' }))
    },
  )
})

/** `prepare` may return an environment. */
type Guarded = readonly [guard: string, prepare: () => unknown]

const hold: Guarded = [
  'hold',
  () => {
    edit('live.json', () => ({
      hold: { since: live()?.liveSince, reason: 'wrong NAV', reverted: fewer },
    }))
  },
]
/** What is live has more. A rollback may take that back. */
const lost: Guarded = ['lost-rows:price', () => ({ FUNDPRESS_EXPECTATIONS_STRICTNESS: '10' })]
/** What is live withholds something, and its manifest does not say what. */
const withdrawn: Guarded = [
  'withdrawn-again',
  () => {
    edit('live.json', () => ({ restricted: '0123456789ab' }))
    press.bucket.put(`${live()?.slot ?? ''}/manifest.ndjson.gz`, 'no manifest')
  },
]

const lastEvents = () =>
  (JSON.parse(press.bucket.body('nightly/history.json').toString()) as { readonly events: readonly object[] })
    .events
