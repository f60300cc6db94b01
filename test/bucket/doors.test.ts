/** Every door to what is live beside every guard and every kind of damage: the same rules stand at all of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'

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
      expect([code, live()?.snapshot, press.bucket.faultsOf(live()?.slot)]).toEqual([0, fewer, []])
      if (!line().includes('--repair')) expect(stderr).toContain(`(${short} is `)
    } else {
      expect([code, press.bucket.body('live.json')]).toEqual([1, before])
      expect(stderr).toContain(`${other()} is not whole (${short} is `)
      expect(stderr).toContain('publish --repair')
    }
  })

  const guards: readonly (readonly [string, () => Readonly<Record<string, string>>])[] = [
    [
      'hold',
      () => {
        edit('live.json', () => ({
          hold: { since: live()?.liveSince, reason: 'wrong NAV', reverted: fewer },
        }))
        return {}
      },
    ],
    name === 'rollback'
      ? ['withdrawn-again', withhold]
      : ['lost-prices', () => ({ FUNDPRESS_GUARDS_LOST_PRICES: '0' })],
  ]
  it.each(guards)('lets nothing pass that guard %s refuses', async (guard, prepare) => {
    const env = prepare()
    const before = press.bucket.body('live.json')
    const refused = await press.fundpress(line(), env)
    expect([refused.code, press.bucket.body('live.json')]).toEqual([3, before])
    expect(refused.stderr).toMatch(new RegExp(`--allow ${guard}[ :]`))
    const allowed = await press.fundpress(`${line()} --allow ${guard} --reason seen`, env)
    expect(allowed.code).toBe(0)
    if (guard === 'hold') expect(live()?.hold).toBeUndefined()
    expect(lastEvents()).toContainEqual(expect.objectContaining({ kind: 'allowed', reason: 'seen' }))
  })
})

/** What is live withholds something, and nobody can read what. */
function withhold() {
  edit('live.json', () => ({ restricted: '0123456789ab' }))
  press.bucket.put(`${live()?.slot ?? ''}/manifest.ndjson.gz`, 'no manifest')
  return {}
}

const lastEvents = () =>
  (JSON.parse(press.bucket.body('nightly/history.json').toString()) as { readonly events: readonly object[] })
    .events
