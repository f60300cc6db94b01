/** SIGTERM ends a nightly run by itself, soon, and somebody is told: whatever the store does, and whatever the run waits for. */
import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { openLine, type Line } from '../support/line.ts'
import { useReceiver } from '../support/receiver.ts'
import { isComplete, sample } from '../support/rounds.ts'
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
  'answers 503 to everything': () => press.server.faults([{ kind: 'status', status: 503, code: 'SlowDown' }]),
  'takes requests and never answers': () => line.set('silent'),
  'answers a byte now and then': () => line.set('trickling'),
  'refuses connections': () => line.set('refusing'),
}

/** When it begins to, by the request that is answered no more, and what the run does then. */
const moments: Readonly<Record<string, { readonly method: string; readonly keyMatches: RegExp }>> = {
  'acquires the lease': { method: 'PUT', keyMatches: /^journal\.json$/ },
  'waits for readers': { method: 'PUT', keyMatches: /^journal\/.*changes/ },
  uploads: { method: 'PUT', keyMatches: /^blue\// },
}

/** A third night, which is stopped soon after the store has begun to behave like that. */
function stopNight(state: string, moment: string, graceSeconds = '0') {
  const change = async () => {
    await states[state]?.()
    await setTimeout(500)
    child.kill('SIGTERM')
  }
  press.server.faults([
    // Not waited for: this request is answered in the new state, too.
    { kind: 'call', when: 'before', ...moments[moment], times: 1, run: () => void change() },
  ])
  const { child, end } = press.begin(
    `nightly --db funds.sqlite --as-of 2026-11-13 --quiet --endpoint ${line.endpoint}`,
    { FUNDPRESS_BUCKET_LEASE_SECONDS: '10', FUNDPRESS_BUCKET_GRACE_SECONDS: graceSeconds },
  )
  return end
}

const graceOf = (moment: string) => (moment === 'waits for readers' ? '3600' : '0')
const cases = Object.keys(states).flatMap((state, index) =>
  sample(Object.keys(moments), { turn: index + 1 }).map((moment) => [state, moment] as const),
)

it.each(cases)(
  'the store %s while the run %s',
  async (state, moment) => {
    const end = stopNight(state, moment, graceOf(moment))
    expect(await end).toMatchObject({ code: null, signal: 'SIGTERM' })
    expect(receiver.take()).toMatchObject([{ event: 'failed', reason: 'stopped by SIGTERM' }])
  },
  30_000,
)

it.runIf(isComplete)(
  'all who are to be told are silent, too: the run ends all the same',
  async () => {
    receiver.answerWith(() => undefined)
    expect(await stopNight('takes requests and never answers', 'uploads')).toMatchObject({
      code: null,
      signal: 'SIGTERM',
      stderr: expect.stringContaining('fundpress: stopped by SIGTERM\n') as string,
    })
  },
  30_000,
)
