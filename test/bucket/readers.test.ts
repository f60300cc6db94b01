/** Readers at an edge while others publish, and while `live.json` is damaged. */
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { startServer, startServing, type Server, forced, liveTtl } from '../support/product.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'
import { rounds } from '../support/rounds.ts'

let press: Press
let references: Server[]
let edge: Server

beforeAll(async () => {
  press = await openPress(await buildNights(3, 1, { isSmall: true }))
  references = await Promise.all(press.nights.outs.map((out) => startServer(out)))
  expect(await press.publish('night-1')).toMatchObject({ code: 0 })
  const place = bucketArgs(press.server.endpoint, press.bucket.name)
  edge = await startServing(place, { env: { ...credentials, ...liveTtl(1) } })
})

afterAll(async () => {
  await edge.stop()
  await Promise.all(references.map((server) => server.stop()))
  await press.stop()
})

/** Documents, and ranges that are put together from two windows. */
function targets() {
  const [isin = ''] = readdirSync(press.nights.folder.file('night-1/api/v1/prices-current'))
  return [
    `/api/v1/prices-historic/${isin}/2025-06-01/2026-06-30/`,
    `/api/v1/prices-historic/${isin}/2025-12-01/2026-01-31/?format=xml`,
    `/api/v1/prices-current/${isin}/`,
    `/api/v1/profile/${isin}/?language=en&format=xml`,
    '/api/v1/prices-current-all/',
  ] as const
}

it('each answer is of one snapshot while other snapshots go live', async () => {
  const asked = targets()
  const expected = new Map<string, string>()
  for (const target of asked)
    for (const { base } of references) expected.set(target + base, await (await fetch(base + target)).text())
  const nightOf = (target: string, body: string) =>
    references.findIndex(({ base }) => expected.get(target + base) === body)
  let isDone = false
  let answers = 0
  const seen = new Set<number>()
  const wrong: string[] = []
  const reader = async (start: number) => {
    for (let turn = start; !isDone; turn++) {
      const target = asked[turn % asked.length] ?? ''
      const response = await fetch(edge.base + target)
      const night = nightOf(target, await response.text())
      if (response.status !== 200 || night < 0) wrong.push(`${response.status} ${target}`)
      answers++
      seen.add(night)
      // Hundreds of requests a second are enough: the publishes need the machine, too.
      await setTimeout(10)
    }
  }
  const readers = [0, 1, 2, 4].map(reader)
  for (const night of rounds > 1 ? [1, 2, 0, 1, 2] : [1, 2]) {
    // The grace period: as long as an edge may read from a slot that was live.
    const line = ['publish', '--out', press.nights.outs[night] ?? '', '--quiet', ...forced]
    const run = await press.fundpress(line, { FUNDPRESS_BUCKET_GRACE_SECONDS: '2' })
    expect(run).toMatchObject({ code: 0, stderr: '' })
  }
  const [target] = asked
  const isLast = async () => nightOf(target, await (await fetch(edge.base + target)).text()) === 2
  await expect.poll(isLast).toBe(true)
  isDone = true
  await Promise.all(readers)
  expect(wrong).toEqual([])
  expect(answers).toBeGreaterThan(100)
  expect([...seen].toSorted()).toEqual([0, 1, 2])
})
