/** Which folders of downloads live.json names, and which one a publish uploads to. */
import { expect, it } from 'vitest'
import { chooseFolder, earlierAfter, earlierFolders } from '../../src/core/bucket/live/download-folders.ts'
import { isExpired } from '../../src/core/bucket/live/download-folders.ts'
import type { Live } from '../../src/core/bucket/live/live.ts'

const asOf = '2026-11-11'
const folder = (name: string, sums: string) => ({ folder: name, files: 1, bytes: 1, sums })
const live = (parts: object) => ({ asOf, snapshot: `${asOf}-aaaaaaaaaaaa`, ...parts }) as unknown as Live
const id = `${asOf}-aaaaaaaaaaaa`
const other = `${id}-111111111111`
const one = '1'.repeat(64)
const two = '2'.repeat(64)

it.each([
  ['nothing is live', null, id],
  ['another is live', live({ downloads: folder(`${asOf}-bbbbbbbbbbbb`, two) }), id],
  ['the same is live', live({ downloads: folder(id, one) }), id],
  ['other files of it are live', live({ downloads: folder(id, two) }), other],
  [
    'a rollback would bring it',
    live({ downloads: folder(id, two), previous: { downloads: folder(other, one) } }),
    other,
  ],
  ['an earlier day has it', live({ earlierDownloads: { '2026-11': '11-aaaaaaaaaaaa' } }), other],
])('chooses a folder if %s', (_, before, expected) => {
  expect(chooseFolder(id, one, before)).toBe(expected)
})

it('keeps all days when an older one goes live, and after its rollback', () => {
  const days = { '2026-11': '10-aaaaaaaaaaaa 09-aaaaaaaaaaaa 08-aaaaaaaaaaaa' }
  const before = live({ downloads: folder(id, one), earlierDownloads: days })
  const older = { asOf: '2026-11-08' }
  const earlierDownloads = earlierAfter(older, before)
  const folders = [id, '2026-11-10-aaaaaaaaaaaa', '2026-11-09-aaaaaaaaaaaa']
  expect(earlierFolders(earlierDownloads)).toEqual(folders)
  const back = live({ ...older, downloads: folder('2026-11-08-aaaaaaaaaaaa', two), earlierDownloads })
  expect(earlierAfter({ asOf }, back)).toEqual(days)
})

it('keeps 400 days, each in a value that CloudFront takes', () => {
  let before = live({ downloads: folder(id, one), earlierDownloads: {} })
  for (let day = 1; day <= 450; day++) {
    const next = new Date(Date.parse(asOf) + day * 24 * 3_600_000).toISOString().slice(0, 10)
    const name = `${next}-bbbbbbbbbbbb-cccccccccccc`
    const earlierDownloads = earlierAfter({ asOf: next }, before)
    before = live({ asOf: next, downloads: folder(name, two), earlierDownloads })
  }
  const folders = earlierFolders(before.earlierDownloads)
  expect(folders).toHaveLength(400)
  expect(folders[0]).toBe('2028-02-03-bbbbbbbbbbbb-cccccccccccc')
  expect(folders).toEqual(folders.toSorted().reverse())
  for (const month of Object.values(before.earlierDownloads)) expect(month.length).toBeLessThan(1024)
})

it.each([
  ['a named one', '2026-11-09-aaaaaaaaaaaa', '10-aaaaaaaaaaaa 09-0'],
  ['one that another of its day replaced', '2026-11-09-bbbbbbbbbbbb', '10-aaaaaaaaaaaa 09-aaaaaaaaaaaa'],
])('hides the day of a withdrawn folder: %s', (_, folder, days) => {
  const before = live({
    asOf: '2026-11-10',
    earlierDownloads: { '2026-11': '10-aaaaaaaaaaaa 09-aaaaaaaaaaaa' },
  })
  const removed = [{ folder, why: 'withdrawn', isins: ['XF0000000020'], isHeld: true }] as const
  const earlierDownloads = earlierAfter({ asOf }, before, removed)
  expect(earlierDownloads).toEqual({ '2026-11': days })
  // It stays hidden.
  expect(earlierAfter({ asOf: '2026-11-12' }, live({ earlierDownloads }))).toEqual({ '2026-11': days })
})

it('forgets expired folders', () => {
  const before = live({ earlierDownloads: { '2026-11': '10-aaaaaaaaaaaa', '2026-10': '09-aaaaaaaaaaaa' } })
  const removed = [{ folder: '2026-10-09-aaaaaaaaaaaa', why: 'expired', isins: [], isHeld: false }] as const
  expect(earlierAfter({ asOf }, before, removed)).toEqual({ '2026-11': '10-aaaaaaaaaaaa' })
  const rules = { keepDays: 10, keep: [], keepMonthEnds: false }
  const isExpiredNow = (folder: string) => isExpired(folder, rules, { all: [], named: new Set() }, asOf)
  expect(isExpiredNow('2026-11-01-aaaaaaaaaaaa')).toBe(false)
  expect(isExpiredNow('2026-10-31-aaaaaaaaaaaa')).toBe(true)
})
