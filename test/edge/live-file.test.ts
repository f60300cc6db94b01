/** What an edge takes for `live.json` or `staged.json`, and what becomes of it: no text leads it out of the bucket. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { placeOf } from '../../src/core/api/routes/pages.ts'
import { isDamaged, type LiveSlot, maxLiveBytes, parseLiveFile } from '../../src/core/edge/core/live-file.ts'
import { lastModifiedOf } from '../../src/core/edge/core/live.ts'
import { hostileLiveText } from '../support/hostile-live.ts'
import { liveExamples, liveText } from '../support/live-examples.ts'
import { times } from '../support/rounds.ts'

/** What the parser says, or null if it names the file as damaged. Any other error is a fault. */
function parsed(text: string, name: 'live.json' | 'staged.json' = 'live.json'): LiveSlot | null {
  try {
    return parseLiveFile(text, name)
  } catch (error) {
    expect(isDamaged(error)).toBe(true)
    expect((error as Error).message).toMatch(
      new RegExp(
        `^${name} was not written by this version of fundpress \\(\\w+\\): \`fundpress status\` says what to do$`,
      ),
    )
    return null
  }
}

it.each(liveExamples)('takes or refuses a live.json with $what', ({ text, verdict }) => {
  expect(parsed(text) !== null).toBe(verdict !== 'bad')
  expect(parsed(text, 'staged.json') !== null).toBe(verdict !== 'bad')
})

it('keeps the fields that an edge needs, and no other', () => {
  expect(parsed(liveText({}))).toEqual({
    slot: 'blue',
    snapshot: '2026-11-20-3f9c2ab4d1e0',
    docsUrl: 'https://docs.example.org',
    liveSince: '2026-11-20T21:04:05.678Z',
    downloads: { folder: '2026-11-20-3f9c2ab4d1e0' },
    earlierDownloads: {
      '2026-11': '19-aaaaaaaaaaaa 18-bbbbbbbbbbbb-cccccccccccc 17-0',
      '2024-02': '29-dddddddddddd',
    },
    previousSince: '2026-11-19T21:04:05.678Z',
  })
})

it('takes no text that is longer than a megabyte', () => {
  const text = liveText({})
  expect(parsed(text.padEnd(maxLiveBytes))).not.toBeNull()
  expect(parsed(text.padEnd(maxLiveBytes + 1))).toBeNull()
})

it('makes of any text, however damaged, either nothing or keys below the slots and the downloads', () => {
  const days = [
    'latest',
    '2026-11-20',
    '2026-11-19',
    '2026-11-18',
    '2024-02-29',
    '2023-01-01',
    '..',
    '__proto__',
  ]
  const keys = [
    'index.html',
    'api/v1/figures/LU0274211480/index.de.json',
    ...days.map((day) => `downloads/${day}/a.csv`),
  ]
  fc.assert(
    fc.property(hostileLiveText, (text) => {
      const live = parsed(text)
      if (live === null) return
      for (const key of keys)
        expect(placeOf(live, key) ?? 'blue/').toMatch(
          /^(blue|green)\/[\w/.]+$|^downloads\/\d{4}-\d\d-\d\d(-0|(-[0-9a-f]{12}){1,2})\/a\.csv$|^blue\/$/,
        )
      // A header, an address in JSON and XML.
      expect(lastModifiedOf(0, Date.parse(live.liveSince))).toMatch(
        /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/,
      )
      expect(live.docsUrl).toMatch(/^(https?:\/)?\/[^\s\p{Cc}]*$/u)
      expect(parsed(JSON.stringify({ format: 1, ...live, previous: null }))).toMatchObject({
        slot: live.slot,
        snapshot: live.snapshot,
      })
    }),
    { numRuns: times(4000) },
  )
})
