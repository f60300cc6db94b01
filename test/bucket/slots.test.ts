/** More than two slots through the command line: which slot a night takes, and the way back to any of them. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { startServing } from '../support/product.ts'
import { rawRequest } from '../support/request.ts'

const count = 6
let nights: Nights
let bucket: string
let ids: readonly string[]

beforeAll(async () => {
  nights = await buildNights(count, 1, { years: 1, isSmall: true })
  bucket = nights.folder.file('bucket')
  ids = await Promise.all(nights.outs.map(async (_, at) => (await plan(`night-${at + 1}`)).snapshot))
})
afterAll(() => nights.remove())
beforeEach(() => {
  rmSync(bucket, { recursive: true, force: true })
})

const fundpress = (line: string, slots: number) => {
  const [command = '', ...flags] = line.split(' ')
  const env = {
    FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
    FUNDPRESS_BUCKET_SLOTS: String(slots),
    FUNDPRESS_BASE_URL: 'https://funds.example.org',
    FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.1',
  }
  return run([command, '--bucket', `file://${bucket}`, ...flags], { cwd: nights.folder.path, env })
}
const must = async (line: string, slots: number): Promise<string> => {
  const { code, stdout, stderr } = await fundpress(line, slots)
  expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.any(String) as unknown })
  return stdout
}
const json = async <T>(line: string, slots: number) => JSON.parse(await must(`${line} --json`, slots)) as T
const plan = (out: string) =>
  json<{ readonly snapshot: string; readonly put: number }>(`plan --out ${out}`, 2)
const publish = (night: number, slots: number, flags = '') =>
  must(`publish --out night-${night} --quiet${flags}`, slots)
const id = (night: number) => ids[night - 1] ?? ''

interface Named {
  readonly slot: string
  readonly snapshot: string
}
const live = () =>
  JSON.parse(readFileSync(join(bucket, 'live.json'), 'utf8')) as Named & {
    readonly previous: Named | null
    readonly older?: readonly Named[]
  }
/** `slot-3: 4, blue: 3`, the live one first. */
const held = () => {
  const { previous, older = [], ...now } = live()
  const all = [now, ...(previous === null ? [] : [previous]), ...older]
  return all.map(({ slot, snapshot }) => `${slot}: ${ids.indexOf(snapshot) + 1}`).join(', ')
}
const nightServed = async () => {
  const { base, stop } = await startServing(['--bucket', `file://${bucket}`])
  const [isin = ''] = [...nights.sums('night-1').keys()].flatMap((key) => /DE\w{10}/.exec(key) ?? [])
  const { body } = await rawRequest(base, { target: `/api/v1/prices-current/${isin}/` }).finally(stop)
  return Number(/night (\d)/.exec(body.toString())?.[1])
}

it('takes an unused slot, else the one that readers have left first, and goes back to each', async () => {
  const found: string[] = []
  for (const night of [1, 2, 3, 4]) {
    await publish(night, 3)
    found.push(held())
  }
  expect(found).toEqual([
    'blue: 1',
    'green: 2, blue: 1',
    'slot-3: 3, green: 2, blue: 1',
    'blue: 4, slot-3: 3, green: 2',
  ])
  expect(await json('status', 3)).toMatchObject({
    other: { slot: 'slot-3', snapshot: id(3), isWhole: true },
    older: [{ slot: 'green', snapshot: id(2), isWhole: true }],
  })
  expect(await must('status', 3)).toContain(`fundpress rollback --to ${id(2)}`)

  await must(`rollback --to ${id(2)} --no-hold`, 3)
  expect(held()).toBe('green: 2, blue: 4, slot-3: 3')
  expect(await nightServed()).toBe(2)
  await must('verify --deep', 3)
  const lost = await fundpress(`rollback --to ${id(1)}`, 3)
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining(`not ${id(1)}`) as unknown })

  await publish(5, 3)
  expect(held()).toBe('slot-3: 5, green: 2, blue: 4')
  await must('rollback --no-hold', 3)
  expect(held()).toBe('green: 2, slot-3: 5, blue: 4')
  expect(await nightServed()).toBe(2)
})

it('stages into the oldest slot, and still goes back to the others', async () => {
  for (const night of [1, 2, 3]) await publish(night, 3)
  await publish(4, 3, ' --stage')
  expect(await json('status', 3)).toMatchObject({
    staged: { slot: 'blue', snapshot: id(4) },
    older: [{ slot: 'blue', snapshot: id(1), isWhole: false }],
  })
  const lost = await fundpress(`rollback --to ${id(1)}`, 3)
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining(`${id(4)} is staged`) as unknown })
  await must('rollback --no-hold', 3)
  expect(held()).toBe('green: 2, slot-3: 3, blue: 1')
  expect(await nightServed()).toBe(2)
  await publish(5, 3)
  expect(held()).toBe('blue: 5, green: 2, slot-3: 3')
  await must('verify --deep', 3)
})

it('goes on with fewer slots, and prunes those that are left', async () => {
  for (const night of [1, 2, 3, 4]) await publish(night, 4)
  expect(held()).toBe('slot-4: 4, slot-3: 3, green: 2, blue: 1')
  expect(await json('prune', 4)).toMatchObject({ count: 0 })
  await publish(5, 2)
  expect(held()).toBe('blue: 5, slot-4: 4')
  const left = await json<{ readonly objects: readonly { readonly key: string }[] }>('prune', 2)
  expect(new Set(left.objects.map(({ key }) => key.split('/')[0]))).toEqual(new Set(['slot-3']))
  await must('prune --yes', 2)
  expect(existsSync(join(bucket, 'slot-3/manifest.ndjson.gz'))).toBe(false)
  await must('rollback --no-hold', 2)
  expect(await nightServed()).toBe(4)
  await publish(6, 2)
  expect(held()).toBe('green: 6, slot-4: 4')
  await must('verify --deep', 2)
})
