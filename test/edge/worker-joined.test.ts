/** The Worker's way to a range, in bytes and window by window, beside the core's, in text and all at once. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { list, optional, record, text } from '../../src/contract/shape.ts'
import { jsonSeries, xmlSeries } from '../../src/encode/series.ts'
import { joinedBytes } from '../../src/edge/adapters/joined.ts'
import { digitsOf, renumber } from '../../src/edge/adapters/whole-window.ts'
import { gather, streamed, utf8 } from '../../src/edge/adapters/worker/streamed.ts'
import { joinWindows, overlapping } from '../../src/edge/range.ts'
import type { Format, Route } from '../../src/routes/table.ts'
import type { WindowEntry } from '../../src/routes/windows.ts'

const series = { list: 'prices', date: 'date', next: 'currency' }
const route = { id: '3', path: '/p/', hasLanguages: false, parameters: [], series } as Route
const body = record({
  fund: record({ name: text('any') }),
  prices: list(record({ date: text('any'), note: text('any'), more: optional(record({ a: text('any') })) })),
  currency: text('any'),
})
const encoders = { json: jsonSeries(body, 'prices', 'date'), xml: xmlSeries(body, 'prices', 'date') }

/** Short and very long ones, with all that is looked for in bytes. */
const note = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc
    .array(fc.constantFrom('"', '<item key="0">', 'key="1"', '],"currency":"', '</prices>', 'ü€😀', ','), {
      maxLength: 5,
    })
    .map((pieces) => pieces.join('')),
  fc.integer({ min: 50, max: 900 }).map((length) => 'x'.repeat(length)),
)

const day = fc
  .integer({ min: 0, max: 12 * 365 })
  .map((days) => new Date(Date.UTC(2010, 0, 1) + days * 86_400_000).toISOString().slice(0, 10))

const price = fc.record({ date: day, note, more: fc.record({ a: note }) }, { requiredKeys: ['date', 'note'] })

const history = fc.record({
  fund: fc.record({ name: note }),
  currency: note,
  prices: fc
    .uniqueArray(price, { selector: ({ date }) => date, minLength: 1, maxLength: 120 })
    .map((prices) => prices.toSorted((one, other) => (one.date < other.date ? -1 : 1))),
})

type History = typeof history extends fc.Arbitrary<infer T> ? T : never

interface Window {
  readonly entry: WindowEntry
  readonly document: string
}

function windowsOf(value: History, format: Format): Window[] {
  const encoder = encoders[format].around(value)
  const years = [...new Set(value.prices.map(({ date }) => date.slice(0, 4)))]
  return years.map((year) => {
    const prices = value.prices.filter(({ date }) => date.startsWith(year))
    const [first = '', last = ''] = [prices[0]?.date, prices.at(-1)?.date]
    return {
      entry: { year: Number(year), first, last, records: prices.length, json: '', xml: '' },
      document: encoder.document(prices.map(encoders[format].record)),
    }
  })
}

interface Reading {
  readonly format: Format
  readonly from: string
  readonly to: string
  readonly windows: readonly Window[]
  readonly readBytes?: (window: Window) => Promise<Uint8Array<ArrayBuffer>>
  readonly assertLive?: () => Promise<void>
}

const bytesOf = ({ document }: Window) => Promise.resolve(new TextEncoder().encode(document))

function joinedRange({ format, from, to, windows, readBytes = bytesOf, assertLive }: Reading) {
  const body = {
    windows: windows.map(({ entry }) => entry),
    read: (entry: WindowEntry) => {
      const window = windows.find((other) => other.entry === entry)
      if (window === undefined) return Promise.reject(new Error('no such window'))
      return readBytes(window)
    },
  }
  const wanted = { format, language: null, vary: [] }
  return joinedBytes(
    body,
    { from, to, wanted, route },
    { codec: utf8, readsAtATime: () => 6, assertLive: assertLive ?? (() => Promise.resolve()) },
  )
}

/** As workerd has it. */
class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number) {
    let left = length
    super({
      transform: (chunk, controller) => {
        left -= chunk.length
        if (left < 0) throw new TypeError('more bytes than were told')
        controller.enqueue(chunk)
      },
      flush: () => {
        if (left > 0) throw new TypeError('fewer bytes than were told')
      },
    })
  }
}

beforeAll(() => {
  vi.stubGlobal('FixedLengthStream', FixedLengthStream)
  return () => vi.unstubAllGlobals()
})

async function stream(reading: Reading, onFailure: (error: unknown) => void = () => undefined) {
  const joined = await joinedRange(reading)
  const sizes = new Map(reading.windows.map(({ entry, document }) => [entry, Buffer.byteLength(document)]))
  return streamed(await joined.length((window) => sizes.get(window) ?? NaN), joined, onFailure).stream
}

describe.each(['json', 'xml'] as const)('a range in %s', (format) => {
  it('has the bytes that the core makes of the same windows, and knows before how many', async () => {
    await fc.assert(
      fc.asyncProperty(history, day, day, async (value, one, other) => {
        const [from, to] = one < other ? [one, other] : [other, one]
        const all = windowsOf(value, format)
        const wanted = overlapping(
          all.map(({ entry }) => entry),
          from,
          to,
        )
        const overlap = all.filter(({ entry }) => wanted.includes(entry))
        const windows = overlap.length > 0 ? overlap : all.slice(-1)
        const texts = windows.map(({ document }) => document)
        const expected = joinWindows(format, series, texts, from, to).join('')
        const reading = { format, from, to, windows }
        expect(Buffer.from(await gather(await joinedRange(reading))).toString()).toBe(expected)
        expect(await new Response(await stream(reading)).text()).toBe(expected)
      }),
      { numRuns: 600 },
    )
  })

  const prices = Array.from({ length: 20 }, (_, year) =>
    [1, 2, 3].map((month) => ({ date: `${2000 + year}-0${month}-01`, note: 'n' })),
  ).flat()
  const windows = windowsOf({ fund: { name: 'f' }, currency: 'EUR', prices }, format)
  const reading = { format, from: '2000-02-01', to: '2019-02-01', windows }

  it('reads six windows at a time, and no further ahead than its reader', async () => {
    let [open, most, begun] = [0, 0, 0]
    const readBytes = async (window: Window) => {
      begun += 1
      most = Math.max(most, ++open)
      await new Promise((resolve) => setTimeout(resolve, 1))
      open -= 1
      return bytesOf(window)
    }
    const unread = await stream({ ...reading, readBytes })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(most).toBeLessThanOrEqual(6)
    // The first, the last, six ahead and those that wait to be read.
    expect(begun).toBeLessThan(12)
    expect((await new Response(unread).text()).match(/2[0-9]{3}-/g)).toHaveLength(58)
    expect([most, begun]).toEqual([6, 20])
  })

  it('fails before it begins where the first window or the last cannot be read, and breaks between', async () => {
    const told: unknown[] = []
    const read = (year: number) => {
      const readBytes = (window: Window) =>
        window.entry.year === year ? Promise.reject(new Error('no R2')) : bytesOf(window)
      return stream({ ...reading, readBytes }, (error) => told.push(error))
    }
    await expect(read(2000)).rejects.toThrow('no R2')
    await expect(read(2019)).rejects.toThrow('no R2')
    expect(told).toEqual([])
    await expect(new Response(await read(2012)).text()).rejects.toThrow('no R2')
    expect(told).toEqual([new Error('no R2')])
  })

  it('breaks where its snapshot is no longer live', async () => {
    let asked = 0
    const assertLive = () => (++asked > 5 ? Promise.reject(new Error('no longer live')) : Promise.resolve())
    const body = await stream({ ...reading, assertLive })
    await expect(new Response(body).text()).rejects.toThrow('no longer live')
  })

  it.each([
    ['no window', '{"title":"x"}', 'not a window'],
    ['a longer one', undefined, 'more bytes than were told'],
  ])('breaks where there is %s in the middle', async (_, text, message) => {
    const longer = windowsOf(
      { fund: { name: 'f' }, currency: 'EUR', prices: prices.map((price) => ({ ...price, note: 'longer' })) },
      format,
    )
    const readBytes = (window: Window) => {
      if (window.entry.year !== 2010) return bytesOf(window)
      return text === undefined
        ? bytesOf(longer[10] ?? window)
        : Promise.resolve(new TextEncoder().encode(text))
    }
    await expect(new Response(await stream({ ...reading, readBytes })).text()).rejects.toThrow(message)
  })
})

describe('renumbering', () => {
  const mark = new TextEncoder().encode('<item key="')
  const renumbered = (records: string, before: number, count: number) =>
    new TextDecoder().decode(renumber(new TextEncoder().encode(records), mark, before, count))

  it('finds a record that is much shorter than those before it', () => {
    const long = 'y'.repeat(300)
    const records = [
      '<item key="0">',
      long,
      '<item key="1">',
      long,
      '<item key="2">z<item key="3">z<item key="4">',
      long,
    ]
    const expected = [
      '<item key="98">',
      long,
      '<item key="99">',
      long,
      '<item key="100">z<item key="101">z<item key="102">',
      long,
    ]
    expect(renumbered(records.join(''), 98, 5)).toBe(expected.join(''))
  })

  it.each([
    ['<item key="0">a<item key="1">b', 1],
    ['<item key="0">a<item key="1">b', 3],
    ['<item key="0">a<item key="2">b', 2],
    ['<item key="0">a<item key="11">b', 2],
    ['', 1],
  ])('refuses %j as %i records', (records, count) => {
    expect(() => renumbered(records, 7, count)).toThrow('not a window')
  })

  it('counts digits', () => {
    for (const first of [0, 1, 9, 10, 99, 100, 998, 7796]) {
      for (const count of [0, 1, 2, 11, 260]) {
        const numbers = Array.from({ length: count }, (_, index) => first + index)
        expect([first, count, digitsOf(first, count)]).toEqual([first, count, numbers.join('').length])
      }
    }
  })
})
