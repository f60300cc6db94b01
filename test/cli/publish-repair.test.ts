/** Damage in a slot: verify names it, a repair ends it, and no later publish brings it back. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { expectFailure } from './outcome.ts'

const bucket = 'fund-data'
let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 2, { years: 1, until: '2026-11-18' }), { bucket })
  await press.nights.change('b', newBenchmark(1))
  await press.fundpress('publish --out night-1')
})
afterAll(() => press.stop())

/** Damages the slot's objects in four ways. @returns what differs then */
function damage(slot: string) {
  const [gone = '', same = '', longer = ''] = [...press.nights.sums('night-1').keys()].slice(5)
  const body = press.bucket.body(`${slot}/${same}`)
  press.bucket.remove(`${slot}/${gone}`)
  press.bucket.put(`${slot}/${same}`, Buffer.from(body.toReversed()))
  press.bucket.put(`${slot}/${longer}`, 'something else')
  press.bucket.put(`${slot}/zzz/extra.json`, '{}')
  return [
    { key: gone, what: 'missing' },
    { key: same, what: 'etag' },
    { key: longer, what: 'size' },
    { key: 'zzz/extra.json', what: 'extra' },
  ]
}

it('verify finds no difference, by a listing and by reading bodies', async () => {
  const objects = press.nights.sums('night-1').size
  expect(await press.json('verify')).toMatchObject({ slot: 'blue', objects, bodies: 0, differences: [] })
  expect(await press.json('verify --deep')).toMatchObject({ objects, bodies: objects, differences: [] })
  expect(await press.json('verify --deep --sample 7')).toMatchObject({ bodies: 7, differences: [] })
})

it('verify --sample reads some bodies, and the same ones again with its seed', async () => {
  const readBy = async (line: string) => {
    press.server.reset()
    const { code, stdout } = await press.fundpress(line)
    // Answers for the most part; errors and files of the status may be drawn, too.
    const read = press.server.log
      .filter(({ method, key }) => method === 'GET' && /^blue\/(api|errors|status)\//.test(key))
      .map(({ key }) => key)
    return { code, stdout, read: read.sort() }
  }
  const first = await readBy('verify --sample 5')
  expect(first.stdout).toMatch(
    /^2026-11-19-[0-9a-f]{12} in blue matches its manifest: \d+ objects, 5 bodies read /,
  )
  const [, seed = ''] = /\(--sample 5 --seed (\d+)\)\n$/.exec(first.stdout) ?? []
  expect(first.code).toBe(0)
  expect(first.read).toHaveLength(5)
  expect(await readBy(`verify --sample 5 --seed ${seed}`)).toEqual(first)
  const other = await readBy(`verify --sample 5 --seed ${(Number(seed) + 1) % 2 ** 32}`)
  expect(other.read).not.toEqual(first.read)
  const sample = await press.json(`verify --sample 3 --seed ${seed}`)
  expect(sample).toMatchObject({ bodies: 3, seed: Number(seed) })
})

it('verify takes one request for a thousand objects, and a constant', async () => {
  press.server.reset()
  await press.json('verify')
  const lists = Math.ceil((press.nights.sums('night-1').size + 2) / 1000)
  expect(press.server.counts()).toEqual({ GetObject: 3, ListObjectsV2: lists })
})

it('verify names each object that differs, and publish --repair repairs them', async () => {
  const wanted = damage('blue')
  const { code, stdout, stderr } = await press.fundpress('verify')
  expect(code).toBe(1)
  expect(stdout.trimEnd().split('\n')).toEqual([
    `${wanted[0]?.key ?? ''} is not there`,
    `${wanted[1]?.key ?? ''} is not the object that was put`,
    `${wanted[2]?.key ?? ''} has another size`,
    'zzz/extra.json is in no manifest',
  ])
  expect(stderr).toMatch(/^fundpress: s3:\/\/fund-data: 4 objects differ from the manifest of 2026-11-19-/)
  expect(stderr).toMatch(/: run `fundpress publish --repair`\n$/)
  const deep = await press.fundpress('verify --deep --json')
  const { differences } = JSON.parse(deep.stdout) as { differences: typeof wanted }
  // A body that was read tells more than its ETag.
  const [missing, changed, cut, extra] = wanted
  const read = [missing, cut, extra, { ...changed, what: 'body' }]
  expect({ code: deep.code, differences }).toEqual({ code: 1, differences: read })

  // What is live is not written to: the snapshot moves to the other slot.
  const repaired = await press.json('publish --out night-1 --repair')
  expect(repaired).toMatchObject({ slot: 'green', outcome: 'flipped' })
  expect(press.bucket.differencesFrom('night-1', 'green')).toEqual([])
  expect(await press.json('verify --deep')).toMatchObject({ slot: 'green', differences: [] })
})

it('rollback refuses the damaged slot, and the next publish into it repairs it', async () => {
  const { other } = await press.json<{ other: object }>('status')
  expect(other).toMatchObject({ slot: 'blue', isWhole: false })
  const reason = /blue is not whole \(a publish was stopped in it\): publish again instead\n$/
  await expectFailure(press.fundpress('rollback'), reason)
  expect(await press.json('publish --out b')).toMatchObject({ slot: 'blue', put: 3 + 4 + 4, deleted: 1 })
  expect(press.bucket.differencesFrom('b', 'blue')).toEqual([])
})

it('verify finds a rotten body with an unchanged ETag only by reading it', async () => {
  const [key = ''] = [...press.nights.sums('night-1').keys()].slice(8)
  press.server.faults([{ kind: 'corrupt', operation: 'GetObject', keyMatches: new RegExp(key) }])
  expect(await press.json('verify')).toMatchObject({ differences: [] })
  const { code, stdout } = await press.fundpress('verify --deep')
  expect({ code, stdout }).toEqual({ code: 1, stdout: `${key} has another body\n` })
  press.server.reset()
})

it('verify names the first missing objects of many, and counts the others', async () => {
  const keys = [...press.nights.sums('night-1').keys()].sort()
  const { slot } = await press.json<{ slot: string }>('verify')
  for (const key of keys.slice(0, 14)) press.bucket.remove(`${slot}/${key}`)
  const { code, stdout } = await press.fundpress('verify')
  const named = keys.slice(0, 10).map((key) => `${key} is not there\n`)
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: `${named.join('')}and 4 more, each of which is not there\n`,
  })
  const { differences } = JSON.parse((await press.fundpress('verify --json')).stdout) as {
    differences: unknown[]
  }
  expect(differences).toHaveLength(14)
})
