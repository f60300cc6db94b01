/** `changes/` of a bucket in which files are missing or damaged, and after thirty days. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChanges } from '../support/changes.ts'
import { filesOfChanges } from '../support/feed.ts'
import { newBenchmark } from '../support/nights.ts'
import { lacks } from '../support/programs.ts'

const { press, isins, days, slotNow, bodyOf, index, nightsOf, changesOf, ...changes } = await openChanges()
const { filesNow, xpath, assertFeedIsValid, publishOut, night } = changes
const [first = ''] = isins
const [old = ''] = days
afterAll(() => press.stop())

// Each test goes on where the one before it has ended.
describe.skipIf(lacks('xmllint'))('damage', () => {
  beforeAll(() => publishOut('night-1'))
  it('a publish starts the index anew if it is damaged', async () => {
    press.bucket.put(`${slotNow()}/changes/index.json`, '{"format":1,"nights":[{}]}')
    const { stderr } = await night('2025-11-20', newBenchmark(51))
    expect(stderr).toMatch(
      /^fundpress: s3:\/\/funds: \w+\/changes\/index.json is damaged[^\n]* starts anew\n$/,
    )
    // Files that no index names are deleted.
    expect(nightsOf()).toEqual(['2025-11-20'])
    expect(filesNow()).toEqual(filesOfChanges(['2025-11-20']))
  })

  it('names damage in the live snapshot, and publishes', async () => {
    const key = `api/v1/prices-historic/${first}/${old.slice(0, 4)}.json`
    press.bucket.put(`${slotNow()}/${key}`, '{}')
    const { stderr } = await night('2025-11-21', `UPDATE price SET change = '9.99' WHERE date = '${old}'`)
    expect(stderr).toBe(
      `fundpress: s3://funds: 1 documents could not be compared with those that are live, ${key} is one of them\n`,
    )
    const { not_compared: notCompared, prices } = changesOf('2025-11-21')
    expect(notCompared).toEqual([key])
    expect(prices.counts).toMatchObject({ corrected: 3 })

    const manifest = `${slotNow()}/manifest.ndjson.gz`
    const whole = press.bucket.body(manifest)
    press.bucket.put(manifest, 'x')
    const next = await night('2025-11-22', newBenchmark(8))
    press.bucket.put(manifest, whole)
    expect(next.stderr).toContain('so it is not known what changed\n')
    expect(index().nights[0]?.title).toBe('It is not known what changed')
  })

  it('the feed keeps the entry of an earlier publish of a day whose file is damaged', async () => {
    const slot = slotNow()
    press.bucket.put(`${slot}/changes/2025-11-22.json`, '{}')
    const title = index().nights[0]?.title
    const { stderr } = await night('2025-11-22', newBenchmark(80))
    expect(stderr).toContain(
      `what changed earlier on 2025-11-22 cannot be read in ${slot} (it is missing or damaged)`,
    )
    expect(changesOf('2025-11-22')).toMatchObject({ publish: 2, earlier: [] })
    expect(xpath('string(/a:feed/a:entry[2]/a:title)')).toBe(title)
    assertFeedIsValid(nightsOf().length + 1, true)
  })

  it('omits a day whose file is missing', async () => {
    const slot = slotNow()
    press.bucket.remove(`${slot}/changes/2025-11-22.json`)
    const { stderr } = await night('2025-11-23', newBenchmark(9))
    expect(stderr).toContain(`what changed on 2025-11-22 is missing or damaged in ${slot}, it is left out\n`)
    expect(nightsOf()).not.toContain('2025-11-22')
    assertFeedIsValid(nightsOf().length)
  })
})

it('leaves out a damaged day of which it cannot take prices that may no longer be given out', async ({
  skip,
}) => {
  skip(lacks('xmllint'), 'needs xmllint')
  press.reset()
  await publishOut('night-1')
  const correct = `UPDATE price SET change = '8.88' WHERE isin = '${first}' AND date = '${old}'`
  await night('2026-02-01', correct)
  await night('2026-02-02', newBenchmark(300))
  press.bucket.remove(`${slotNow()}/changes/2026-02-01.json`)
  await night('2026-02-03', `UPDATE fund SET prices_permitted = 0 WHERE isin = '${first}'`)
  expect(nightsOf()).toEqual(['2026-02-03', '2026-02-02', '2025-11-11'])
  const files = filesNow().map((file) => bodyOf(file))
  expect(files.filter((text) => /8[.,]88/.test(text))).toEqual([])
  assertFeedIsValid(3)
})
