/** Nothing that a client sends, byte for byte, reaches a file outside the snapshot or harms Node's server. */
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { create } from 'xmlbuilder2'
import { hostileRequest } from '../../api/oracle/hostile.ts'
import { exchangeBytes, headerOf, parseResponses, type RawResponse } from '../../support/request.ts'
import { buildDemo, serve, type Served } from '../../support/snapshots.ts'
import { times } from '../../support/rounds.ts'

const secret = 'kanarienvogel-4711'

let served: Served

beforeAll(async () => {
  served = await serve(buildDemo)
  for (const name of ['canary.txt', 'canary.txt.json', 'index.json']) {
    writeFileSync(served.folder.file(name), `{"secret":"${secret}"}`)
  }
  return served.stop
})

it('answers every hostile request with a status below 500, and shows no other file', async () => {
  const [isin = ''] = served.oracle.isins()
  await fc.assert(
    fc.asyncProperty(hostileRequest(isin, 'canary.txt'), async ({ method, bytes }) => {
      const answered = await exchangeBytes(served.base, bytes)
      for (const foreign of [secret, 'root:x:0', 'SQLite format 3'])
        expect(answered.includes(foreign)).toBe(false)
      // A server that refuses a flood may close before its answer gets through.
      if (answered.length === 0 && bytes.length > 16_000) return
      const responses = responsesTo(method, bytes, answered)
      expect(responses.length).toBeGreaterThan(0)
      for (const response of responses) expectHarmless(response)
    }),
    { numRuns: times(3000) },
  )
})

function responsesTo(method: string, bytes: Buffer, answered: Buffer): readonly RawResponse[] {
  if (method !== 'HEAD') return parseResponses(answered, 'with bodies')
  try {
    return parseResponses(answered, 'by HEAD')
  } catch (error) {
    // Of a flood the server knows the last packet only: that does not say that it was a HEAD.
    if (bytes.length <= 16_000) throw error
    return parseResponses(answered, 'with bodies')
  }
}

/** Below 500, and an error whose body is what its type says. */
function expectHarmless(response: RawResponse): void {
  expect(response.status).toBeGreaterThanOrEqual(200)
  expect(response.status).toBeLessThan(500)
  const type = headerOf(response, 'content-type')
  if (response.status < 400 || response.body.length === 0 || type === undefined) return
  const text = response.body.toString()
  if (type.startsWith('application/json')) {
    const parsed = JSON.parse(text) as Record<string, unknown>
    expect(Object.keys(parsed)).toEqual(['title', 'type', 'status'])
    expect(parsed.status).toBe(response.status)
  } else {
    expect(type).toBe('application/xml; charset=utf-8')
    const root = create(text).root().toObject() as { root: Record<string, unknown> }
    expect(Object.keys(root.root)).toEqual(['title', 'type', 'status'])
  }
}
