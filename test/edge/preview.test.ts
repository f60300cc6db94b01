/** What counts as staged. */
import { describe, expect, it } from 'vitest'
import { stagedBeside } from '../../src/core/edge/core/preview.ts'

const live = {
  format: 1,
  slot: 'blue',
  snapshot: '2026-11-20-3f9c2ab4d1e0',
  docsUrl: 'https://docs.example.org',
  liveSince: '2026-11-21T03:00:00.000Z',
  earlierDownloads: {},
  previous: null,
}
const staged = { ...live, slot: 'green', snapshot: '2026-11-21-0123456789ab', previous: live }
const beside = (one: object | null, other: object | null) =>
  stagedBeside(one && JSON.stringify(one), other && JSON.stringify(other))?.snapshot

describe('staged.json', () => {
  it('counts beside what was live when it was written, and while nothing is live', () => {
    expect(beside(live, staged)).toBe('2026-11-21-0123456789ab')
    expect(beside(null, { ...staged, previous: null })).toBe('2026-11-21-0123456789ab')
  })

  it('does not count beside what went live later, in the live slot, or if it is not there', () => {
    expect(beside({ ...live, liveSince: '2026-11-22T03:00:00.000Z' }, staged)).toBeUndefined()
    expect(beside({ ...live, slot: 'green' }, staged)).toBeUndefined()
    expect(beside(live, { ...staged, previous: null })).toBeUndefined()
    expect(beside(null, staged)).toBeUndefined()
    expect(beside(live, null)).toBeUndefined()
  })

  it('is named if it is damaged', () => {
    expect(() => beside(live, { ...staged, slot: 'red' })).toThrow(
      'staged.json was not written by this version of fundpress',
    )
    expect(() => stagedBeside(JSON.stringify(live), '{')).toThrow(
      'staged.json was not written by this version of fundpress',
    )
    expect(() => beside({}, staged)).toThrow('live.json was not written by this version of fundpress')
  })
})
