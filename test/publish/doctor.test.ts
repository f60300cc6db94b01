/** All is well, nothing is changed; and the snapshot that is to be published. */
import { truncateSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { doctor, troublesOf } from '../support/doctor.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(2, 1))
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

it('finds all well, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await doctor(press)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
    'ok node',
    'ok disk for out',
    'ok disk for temp',
    'ok snapshot',
    'ok baseUrl',
    'ok credentials',
    'ok bucket',
    'ok right to put',
    'ok right to get',
    'ok clock',
    'ok right to list',
    'ok conditional put',
    'ok checksums',
    'ok right to delete',
    'ok versioning',
    'ok lifecycle',
    'ok live',
    'ok journal',
  ])
  expect(stdout).toMatch(/ snapshot +2026-11-11-[0-9a-f]{12} in .+, \d+ objects\n/)
  expect(press.bucket.keys()).toEqual([])
  for (const secret of Object.values(credentials)) expect(stdout).not.toContain(secret)
})

it('changes nothing in a bucket that is in use', async () => {
  await press.publish(press.nights.outs[0] ?? '')
  const before = [...press.server.objects(press.bucket.name).values()]
  expect(await troublesOf(press)).toEqual([])
  expect([...press.server.objects(press.bucket.name).values()]).toEqual(before)
  expect(
    await doctor(press, { args: ['--quiet', ...bucketArgs(press.server.endpoint, press.bucket.name)] }),
  ).toMatchObject({
    stdout: '',
  })
})

describe('the snapshot', () => {
  it('may be missing', async () => {
    expect(await troublesOf(press, { out: press.nights.folder.file('nothing') })).toEqual([])
    expect((await doctor(press, { out: press.nights.folder.file('nothing') })).stdout).toMatch(
      /ok +snapshot +none in .+nothing yet/,
    )
  })

  it('may not be damaged', async () => {
    truncateSync(`${press.nights.outs[1]}/manifest.ndjson.gz`, 100)
    const found = await troublesOf(press, { out: press.nights.outs[1] ?? '' })
    expect(found).toEqual([expect.stringMatching(/^problem snapshot: .*manifest\.ndjson\.gz cannot be read/)])
  })
})
