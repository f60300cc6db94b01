/** What consoles, systems and services of a store leave in a bucket is no object, on S3 and in a folder. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isStray } from '../../src/core/bucket/store/strays.ts'
import { expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import type { Run } from '../support/product.ts'
import { filesIn } from '../support/tree.ts'

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(3, 1, { years: 1 }))
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

const places = ['', 'blue/', 'green/', 'slot-3/', 'downloads/', 'changes/', 'journal/', 'blue/api/v1/']
const systems = [
  '.DS_Store',
  '._index.json',
  'Thumbs.db',
  'desktop.ini',
  '.Trash-0/x',
  '@eaDir/x',
  'lost+found/x',
]
const services = [
  'x_$folder$',
  '2026-11-28-10-20-30-0123456789ABCDEF',
  'funds/all/2026-11-28T01-00Z/manifest.json',
  'funds/all/2026-11-28T01-00Z/manifest.checksum',
  'funds/all/hive/dt=2026-11-28-01-00/symlink.txt',
  'funds/all/data/0a1b2c3d-0000-4000-8000-0123456789ab.csv.gz',
]
const at = (names: readonly string[]) => places.flatMap((place) => names.map((name) => place + name))
const markers = places.filter((place) => place !== '')

const forced = '--force --reason test'

/** Three nights, everything that lists, and a rollback. @param fundpress runs a command on the bucket */
async function live(fundpress: (line: string) => Promise<Run>): Promise<void> {
  for (const night of ['night-1', 'night-2', 'night-3']) {
    await expectSuccess(fundpress(`publish --out ${night} --quiet ${forced}`))
    await expectSuccess(fundpress('verify --quiet'))
  }
  await expectSuccess(fundpress('verify --deep --quiet'))
  expect(JSON.parse(await expectSuccess(fundpress('prune --json')))).toMatchObject({ count: 0, objects: [] })
  await expectSuccess(fundpress('rollback --quiet'))
  await expectSuccess(fundpress('publish --out night-3 --repair --quiet --allow hold --reason test'))
  await expectSuccess(fundpress('verify --quiet'))
}

describe('a new bucket with', () => {
  it.each([
    ['markers of folders', markers, ''],
    ['markers of folders that are not empty', markers, 'x'],
    ['files of systems', at(systems), 'x'],
    ['reports of AWS, and markers of Hadoop', at(services), 'x'],
  ])('%s takes three nights, and keeps them', async (_, keys, body) => {
    for (const key of keys) press.bucket.put(key, body)
    await live((line) => press.fundpress(line))
    expect(press.bucket.keys().filter((key) => keys.includes(key))).toEqual(keys)
  })

  it('a marker of its prefix takes a publish', async () => {
    press.bucket.put('fonds/', '')
    await expectSuccess(press.fundpress('publish --out night-1 --quiet --prefix fonds'))
    await expectSuccess(press.fundpress('verify --quiet --prefix fonds'))
  })

  it('files of systems in a folder takes three nights, and keeps them', async () => {
    const bucket = press.nights.folder.file('bucket')
    const keys = [...at(systems), 'blue/x_$folder$']
    for (const key of keys) {
      mkdirSync(dirname(join(bucket, key)), { recursive: true })
      writeFileSync(join(bucket, key), 'x')
    }
    const env = { FUNDPRESS_BASE_URL: 'https://funds.example.org' }
    await live((line) => press.bare([...line.split(' '), '--bucket', `file://${bucket}`], env))
    const there = filesIn(bucket)
    expect(keys.filter((key) => !there.includes(key))).toEqual([])
    rmSync(bucket, { recursive: true })
  })
})

it('nothing that is published looks like one', async () => {
  await press.publish('night-1')
  await press.publish('night-2')
  const keys = press.bucket.keys()
  expect(keys.length).toBeGreaterThan(100)
  expect(keys.filter(isStray)).toEqual([])
})
