/** SIGTERM ends a nightly run within seconds, and a notice says so, whatever the store does and the run waits for. */
import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { openLine, type Line } from '../support/line.ts'
import { useReceiver } from '../support/receiver.ts'
import { isComplete } from '../support/rounds.ts'
import { fileOf, nightlyOf, press, useNights } from './nightly/nightly.ts'

useNights(1)
const receiver = useReceiver()
let line: Line
let restore: () => void

beforeAll(async () => {
  // The third night has to wait for readers of the first one.
  for (const day of ['2026-11-11', '2026-11-12']) await expectSuccess(nightlyOf(day, '--quiet'))
  restore = press.bucket.save()
  line = await openLine(press.server.endpoint)
})
afterAll(() => line.stop())
beforeEach(async () => {
  restore()
  await line.set('open')
  writeFileSync(
    fileOf('fundpress.config.json'),
    JSON.stringify({ notify: [{ type: 'webhook', url: receiver.url() }] }),
  )
})

/** What the store does from some moment on. */
const states: Readonly<Record<string, () => unknown>> = {
  'takes requests and never answers': () => line.set('silent'),
  'answers 503 to everything': () => press.server.faults([{ kind: 'status', status: 503, code: 'SlowDown' }]),
  'refuses connections': () => line.set('refusing'),
}

/** A third night, which is stopped soon after the store has begun to behave like that: at a put of such a key. */
function stopNight(state: string, keyMatches: RegExp, graceSeconds = '0') {
  const change = async () => {
    await states[state]?.()
    await setTimeout(500)
    child.kill('SIGTERM')
  }
  press.server.faults([
    // Not waited for: this request is answered in the new state, too.
    { kind: 'call', when: 'before', method: 'PUT', keyMatches, times: 1, run: () => void change() },
  ])
  const { child, end } = press.begin(
    `nightly --db funds.sqlite --as-of 2026-11-13 --quiet --endpoint ${line.endpoint}`,
    { FUNDPRESS_BUCKET_LEASE_SECONDS: '10', FUNDPRESS_BUCKET_GRACE_SECONDS: graceSeconds },
  )
  return end
}

const uploading = /^blue\//
it.each([
  ['takes requests and never answers', 'uploads', uploading, '0'],
  ['answers 503 to everything', 'waits for readers', /^journal\/.*changes/, '3600'],
  ['refuses connections', 'acquires the lease', /^journal\.json$/, '0'],
])('the store %s while the run %s: SIGTERM ends it', async (state, _, key, grace) => {
  expect(await stopNight(state, key, grace)).toMatchObject({ code: null, signal: 'SIGTERM' })
  expect(receiver.take()).toMatchObject([{ event: 'failed', reason: 'stopped by SIGTERM' }])
})

it.runIf(isComplete)('a run ends although its notices are not answered', async () => {
  receiver.answerWith(() => undefined)
  const end = await stopNight('takes requests and never answers', uploading)
  expect(end).toMatchObject({ code: null, signal: 'SIGTERM' })
  expect(end.stderr).toContain('fundpress: stopped by SIGTERM\n')
})
