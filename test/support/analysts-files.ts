/** Three snapshots to lay files for analysts beside (a day, its correction, the day after), and an edge that serves them. */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { buildNights, newBenchmark } from './nights.ts'
import { openPress, type Press } from './press.ts'
import { startServing, type Server } from './product.ts'
import { bucketArgs, credentials } from './publishing.ts'

export const asOf = '2026-11-11'
export const dayAfter = '2026-11-12'

export let press: Press
let edge: Server

/** Sets up {@link press}: `night-1` and its correction `again` as of one day, `later` as of the day after; and an edge. */
export function useThreeSnapshots(): void {
  beforeAll(async () => {
    press = await openPress(await buildNights(1, 1, { years: 1, isSmall: true }))
    await press.nights.change('again', newBenchmark(1))
    await press.nights.change('later', newBenchmark(2), '--as-of', dayAfter)
    await press.publish('night-1')
    const env = { ...credentials, FUNDPRESS_BUCKET_GRACE_SECONDS: '0', FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '0' }
    edge = await startServing(bucketArgs(press.server.endpoint, press.bucket.name), { env })
  })
  afterAll(async () => {
    await edge.stop()
    await press.stop()
  })
  let tests = 0
  beforeEach(() => {
    press.reset()
    // The edge knows what is live by its id and its second: no two tests have both in common.
    press.server.settings.clockSkewMs = 2000 * ++tests
  })
}

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** Puts files and their checksums into the folder of a snapshot, as `build` does. */
export function lay(out: string, day: string, files: Readonly<Record<string, string | Buffer>>): void {
  const folder = join(press.nights.folder.file(out), 'downloads', day)
  rmSync(folder, { recursive: true, force: true })
  const sums = Object.entries(files).map(([name, content]) => `${sha256(content)}  ${name}\n`)
  for (const [name, content] of Object.entries({ ...files, SHA256SUMS: sums.sort().join('') })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** Asks an edge that follows each flip at once for a day's prices.csv. @returns its text, or a status that is not 200 */
export async function csv(day: string): Promise<string | number> {
  const answer = await fetch(`${edge.base}/downloads/${day}/prices.csv`)
  return answer.status === 200 ? answer.text() : answer.status
}
