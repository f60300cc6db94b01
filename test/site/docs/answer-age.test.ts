/** How old an answer may be: what the documentation says of it, from the settings. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { answerAge } from '../../../src/extensions/describe/answer-age.ts'
import { buildSite } from '../../support/site.ts'
import { fillDemo } from '../../support/snapshots.ts'

it('is in the documentation of both languages and in llms.txt, as the settings say', async () => {
  const { out, stop } = await buildSite('answer age', '2026-11-20', fillDemo(1, 1, '2026-11-20'), {
    FUNDPRESS_EDGE_CACHE_CONTROL: 'public, max-age=600, stale-while-revalidate=7200',
    FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '30',
  })
  await stop()
  const english = [
    'After an update, a response may still be the one before for up to 10 minutes 30 seconds.',
    'A cache that supports stale-while-revalidate may give it out for 2 hours more while it asks for the new one.',
    'Errors and the status page are at most 1 minute 30 seconds old.',
  ].join(' ')
  const textOf = (key: string) => readFileSync(`${out}/${key}`, 'utf8')
  expect(textOf('docs/index.html')).toContain(`<p id="age">${english}</p>`)
  expect(textOf('llms.txt')).toContain(english)
  expect(textOf('docs/de/index.html')).toContain(
    'noch bis zu 10 Minuten 30 Sekunden lang die vorherige sein.',
  )
})

it('counts the time of the edge, of private and of shared caches, and none where nothing may be kept', () => {
  const first = (cacheControl: string, liveTtlSeconds: number) =>
    answerAge({ cacheControl, errorCacheControl: 'no-store', liveTtlSeconds }, 'en')[0]
  const upTo = (time: string) => `After an update, a response may still be the one before for up to ${time}.`
  expect(first('public, max-age=300, stale-if-error=86400', 5)).toBe(upTo('5 minutes 5 seconds'))
  expect(first('max-age=60, s-maxage="3600"', 0)).toBe(upTo('1 hour'))
  expect(first('no-store, max-age=60', 1)).toBe(upTo('1 second'))
  expect(first('max-age=86400', 0)).toBe(upTo('1 day'))
})
