import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pages } from '../../../src/core/api/derive/route-table.ts'
import { matchPage, placeOf, type Placed } from '../../../src/core/api/routes/pages.ts'

const bare: Placed = { slot: 'blue', snapshot: '2026-11-20-3f9c2ab4d1e0' }
const live: Placed = {
  ...bare,
  downloads: { folder: '2026-11-20-3f9c2ab4d1e0-0123456789ab' },
  earlierDownloads: {
    '2026-11': '19-aaaaaaaaaaaa 18-bbbbbbbbbbbb-1920cccccccc 16-0',
    '2026-10': '31-dddddddddddd',
  },
}

describe('the page of a path', () => {
  const match = (path: string) => matchPage({ pages }, path)

  it.each([
    ['/docs/', 'docs/index.html'],
    ['/funds/DE0008471400/', 'funds/DE0008471400/index.html'],
    ['/not-found/de.html', 'not-found/de.html'],
    ['/de.html', 'de.html'],
    ['/robots.txt', 'robots.txt'],
    ['/.well-known/security.txt', 'security.txt'],
    ['/.well-known/fundpress-signing-key', 'signing-key.txt'],
    ['/downloads/latest/SHA256SUMS', 'downloads/latest/SHA256SUMS'],
  ])('%s is %s', (path, key) => {
    expect(match(path)).toEqual({ kind: 'page', key })
  })

  it.each([
    ['/docs', '/docs/'],
    ['/docs/v1/', '/docs/'],
    ['/docs/v1/endpoints/', '/docs/'],
    ['/downloads/', '/downloads/latest/'],
    ['/downloads/index.json', '/changes/downloads.json'],
    ['/favicon.ico', '/docs/assets/icon.svg'],
    ['/apple-touch-icon.png', '/docs/assets/icon.png'],
    ['/wkn/847100/', '/funds/?q=847100'],
    ['/wkn/fp06ux', '/funds/?q=fp06ux'],
    ['/funds/de0008471400/', '/funds/DE0008471400/'],
    ['/funds/De0008471400/de.html', '/funds/DE0008471400/de.html'],
  ])('%s has moved to %s', (path, to) => {
    expect(match(path)).toEqual({ kind: 'moved', to })
  })

  it.each([
    '/',
    '//',
    '/manifest.ndjson.gz',
    '/SHA256SUMS',
    '/downloads.ndjson',
    '/shard.ndjson',
    '/live.json',
    '/errors/index/400-noisin.json',
    '/blue/docs/',
    '/docs/../live.json',
    '/docs/.hidden',
    '/docs/%64e/',
    '/constructor',
    '/__proto__/',
    '/index.htm',
    'docs/',
    '/docs//',
    '/wkn/',
    '/wkn/84710/',
    '/wkn/847100/x',
  ])('%s has none', (path) => {
    expect(match(path)).toEqual({ kind: 'none' })
  })

  it('is not that of a word with the form of an ISIN, but not its check digit', () => {
    expect(match('/docs/abcdefghijk1/')).toEqual({ kind: 'page', key: 'docs/abcdefghijk1/index.html' })
  })
})

describe('the place of an object in a bucket', () => {
  it.each([
    ['docs/index.html', 'blue/docs/index.html'],
    ['downloads/latest/prices.csv', 'downloads/2026-11-20-3f9c2ab4d1e0-0123456789ab/prices.csv'],
    ['downloads/2026-11-20/a/nav.txt', 'downloads/2026-11-20-3f9c2ab4d1e0-0123456789ab/a/nav.txt'],
    ['downloads/2026-11-19/prices.csv', 'downloads/2026-11-19-aaaaaaaaaaaa/prices.csv'],
    ['downloads/2026-11-18/prices.csv', 'downloads/2026-11-18-bbbbbbbbbbbb-1920cccccccc/prices.csv'],
    ['downloads/2026-10-31/prices.csv', 'downloads/2026-10-31-dddddddddddd/prices.csv'],
    ['downloads/2026-11-17/prices.csv', null],
    // Withdrawn: no folder has this name.
    ['downloads/2026-11-16/prices.csv', 'downloads/2026-11-16-0/prices.csv'],
    ['downloads/2025-11-19/prices.csv', null],
    ['downloads/2026-11-21/prices.csv', null],
    ['downloads/2026-11-20-3f9c2ab4d1e0/prices.csv', null],
    ['downloads/2026-02-30/prices.csv', null],
    ['downloads/index.html', null],
    ['downloads/__proto__/prices.csv', null],
  ])('of %s is %s', (key, place) => {
    expect(placeOf(live, key)).toBe(place)
  })

  it.each(['latest', '2026-11-20', '2026-11-19'])(
    'is none of downloads/%s if the snapshot has no downloads',
    (day) => {
      expect(placeOf(bare, `downloads/${day}/prices.csv`)).toBeNull()
    },
  )

  it('is never in a folder of a snapshot that live.json does not name', () => {
    const digest = fc.stringMatching(/^[0-9a-f]{12}$/)
    const name = fc.oneof(
      fc.string(),
      fc.tuple(fc.integer({ min: 15, max: 25 }), digest).map(([day, hex]) => `2026-11-${day}-${hex}`),
      fc.integer({ min: 10, max: 30 }).map((day) => `2026-11-${day}`),
    )
    const named = ['2026-11-20-3f9c2ab4d1e0-0123456789ab', '2026-11-19-aaaaaaaaaaaa'].concat(
      '2026-11-18-bbbbbbbbbbbb-1920cccccccc',
      '2026-10-31-dddddddddddd',
      '2026-11-16-0',
    )
    fc.assert(
      fc.property(name, (asked) => {
        const place = placeOf(live, `downloads/${asked}/prices.csv`)
        const folder = place === null ? null : (place.split('/')[1] ?? '')
        expect(folder === null || named.includes(folder)).toBe(true)
      }),
    )
  })
})
