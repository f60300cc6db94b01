/** The joining of windows as each platform does it: Node, and a Worker. The documents come from the encoders. */
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { times } from '../support/rounds.ts'
import { list, optional, record, text, textLike } from '../../src/core/api/contract/shape.ts'
import { csvEncoder } from '../../src/core/api/encode/csv.ts'
import { jsonEncoder } from '../../src/core/api/encode/json.ts'
import { jsonSeries, seriesRecord, xmlSeries } from '../../src/core/api/encode/series.ts'
import { xmlEncoder } from '../../src/core/api/encode/xml.ts'
import { formatsOf, type Format, type Route } from '../../src/core/api/routes/table.ts'
import type { Around, WindowEntry } from '../../src/core/api/routes/keys.ts'
import { lineMaker } from '../../src/core/snapshot/document-files.ts'
import { windowPieces } from '../../src/core/snapshot/fund-documents.ts'
import { gather, streamed } from '../../src/extensions/platforms/cloudflare/respond.ts'
import {
  overlapping,
  placeOfRange,
  type JoinedBody,
  type WindowPart,
} from '../../src/core/edge/core/answer.ts'
import { concat, joinRange } from '../../src/core/edge/core/join.ts'
import { byteSearch, cutRecords, windowKind } from '../../src/core/edge/core/window.ts'

const series = { list: 'prices', date: 'date', next: 'currency' }
const item = record({ name: text('any'), value: text('any') })
const body = record({
  fund: record({ name: text('any'), url: text('any') }),
  prices: list(record({ date: text('any'), nav: item, note: text('any'), tax: optional(item) })),
  currency: text('any'),
  after: text('any'),
})
/** Cells hold no line ending, and CSV is declared of texts of a known form only. */
const cell = textLike('any', 'any', '.*')
const cells = record({ name: text('any'), value: cell })
const csvBody = record({
  prices: list(record({ date: cell, nav: cells, note: cell, tax: optional(cells) })),
  currency: cell,
})
const csv = csvEncoder(csvBody, { records: 'prices', then: ['currency'] })
const encoders = {
  json: { document: jsonEncoder(body), series: jsonSeries(body, 'prices', 'date') },
  xml: { document: xmlEncoder(body), series: xmlSeries(body, 'prices', 'date') },
  csv,
}
const makeLine = lineMaker()
const documentOf = (format: Format, value: History, prices: History['prices']) =>
  encoders[format].document({ ...value, prices })

/** Texts that the cuts look for, one in each line. */
const marks = `{"date":"2020-01-01"
{\\"date\\":\\"2020-01-01
,"prices":[
],"currency":"
],
},
{
,
,,
"
\\
<item key="0">
<date>2020-01-01</date>
<prices>
</prices>
<prices></prices>
<prices/>
<item key="
key="7"
2020-01-01
ä
€
😀
\u2028`.split('\n')

/** Values that try to look like what the cuts look for. */
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...marks), fc.string({ maxLength: 5 })), { maxLength: 4 })
  .map((pieces) => pieces.join(''))
const money = fc.record({ name: hostile, value: hostile })
/** Short ones, and some that are very long. */
const note = fc.oneof(
  { weight: 4, arbitrary: hostile },
  { weight: 1, arbitrary: fc.integer({ min: 50, max: 900 }).map((length) => 'x'.repeat(length)) },
)

const day = fc
  .integer({ min: 0, max: 9 * 365 })
  .map((days) => new Date(Date.UTC(2010, 0, 1 + days)).toISOString().slice(0, 10))
const requiredKeys: ('date' | 'nav' | 'note')[] = ['date', 'nav', 'note']
const price = fc.record({ date: day, nav: money, note, tax: money }, { requiredKeys })
const history = fc.record({
  fund: fc.record({ name: hostile, url: hostile }),
  currency: hostile,
  after: hostile,
  prices: fc
    .uniqueArray(price, { selector: ({ date }) => date, minLength: 1, maxLength: 60 })
    .map((prices) => prices.toSorted((one, other) => (one.date < other.date ? -1 : 1))),
})

type History = typeof history extends fc.Arbitrary<infer T> ? T : never
type Window = WindowEntry & { readonly document: string; readonly ownAround: Around }

function windowsOf(value: History, format: Format): Window[] {
  const text = encoders[format].series(value)
  const years = [...new Set(value.prices.map(({ date }) => date.slice(0, 4)))]
  return years.map((year) => {
    const prices = value.prices.filter(({ date }) => date.startsWith(year))
    const first = prices[0]?.date ?? ''
    const last = prices.at(-1)?.date ?? ''
    const content = windowPieces(text, prices, series.date)
    const { months = [] } = makeLine({ key: '', content }, '').line
    const document = documentOf(format, value, prices)
    return {
      year: Number(year),
      first,
      last,
      records: prices.length,
      json: '',
      xml: '',
      csv: '',
      document,
      months: { json: months, xml: months, csv: months },
      ownAround: { head: text.head, tail: text.tail },
    }
  })
}

interface Reading {
  /** Whether the store reads parts of objects. */
  readonly hasSlices?: boolean
  readonly format: Format
  readonly from: string
  readonly to: string
  readonly windows: readonly Window[]
  readonly readBytes?: (window: Window) => Promise<Buffer>
  readonly assertLive?: () => Promise<void>
}

const bytesOf = ({ document }: Window) => Promise.resolve(Buffer.from(document))

const date = (name: string) => ({ kind: 'date' as const, name, invalid: 0 })
const parameters = [date('from'), date('to')]
const route: Route = {
  id: 'prices',
  path: '/prices/{from}/{to}/',
  parameters,
  hasLanguages: false,
  hasCsv: true,
  series,
}

function joinedBody<T>(
  { format, from, to, windows, hasSlices }: Reading,
  read: (window: Window) => Promise<T>,
  cut: (whole: T, start: number, end: number) => T,
) {
  const wanted = { format, offers: formatsOf({ hasCsv: true }), language: null, vary: [] }
  const values = { from, to }
  const joined: JoinedBody<T> = {
    kind: 'joined',
    range: { kind: 'range', listKey: '', from, to, route, values, unknown: null, wanted },
    windows,
    around: windows[0]?.ownAround ?? { head: '', tail: '' },
    get: async (entry): Promise<WindowPart<T>> => {
      const { start, end } = placeOfRange(entry, { from, to, wanted })
      if (hasSlices !== true) return { body: await read(entry as Window), start, end }
      if (start === end) return { body: null, start: 0, end: 0 }
      return { body: cut(await read(entry as Window), start, end), start: 0, end: end - start }
    },
  }
  return joined
}

const joinedRange = (reading: Reading) =>
  joinRange(
    joinedBody(reading, reading.readBytes ?? bytesOf, (bytes, start, end) => bytes.subarray(start, end)),
    (bytes) => Promise.resolve(bytes),
    { readsAtATime: () => 6, assertLive: reading.assertLive ?? (() => Promise.resolve()) },
  )

const wholeOf = async (reading: Reading) => gather((await joinedRange(reading)).chunks())

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
  return streamed(await joined.length(), joined.chunks(), onFailure).stream
}

describe.each(['json', 'xml', 'csv'] as const)('a range in %s', (format) => {
  it('has exactly the records between two days, on each platform', () =>
    fc.assert(
      fc.asyncProperty(history, day, day, async (value, one, other) => {
        const [from, to] = one < other ? [one, other] : [other, one]
        const all = windowsOf(value, format)
        const wanted = overlapping(all, from, to) as Window[]
        // If no window overlaps, any window's document describes the fund.
        const windows = wanted.length > 0 ? wanted : all.slice(-1)
        const between = value.prices.filter(({ date }) => from <= date && date <= to)
        const expected = documentOf(format, value, between)
        for (const hasSlices of [false, true]) {
          const reading = { format, from, to, windows, hasSlices }
          expect(Buffer.from(await wholeOf(reading)).toString()).toBe(expected)
          expect(await new Response(await stream(reading)).text()).toBe(expected)
        }
      }),
      { numRuns: times(1000) },
    ))

  it('is cut from slices that hold the records of their months and no others', () =>
    fc.assert(
      fc.property(history, (value) => {
        for (const { document, months, year, ownAround: around } of windowsOf(value, format)) {
          const bytes = Buffer.from(document)
          const offsets = months[format] ?? []
          expect(offsets).toHaveLength(13)
          expect(bytes.toString('utf8', 0, offsets[0])).toBe(around.head)
          expect(bytes.toString('utf8', offsets[12])).toBe(around.tail)
          const kind = windowKind(byteSearch, format, series)
          for (let month = 1; month <= 12; month++) {
            const [start = 0, end = 0] = offsets.slice(month - 1)
            const name = `${year}-${String(month).padStart(2, '0')}`
            const wanted = value.prices.filter(({ date }) => date.startsWith(name))
            const part = {
              from: '',
              to: '',
              head: Buffer.from(around.head),
              tail: Buffer.from(around.tail),
              before: 0,
            }
            const { pieces } = cutRecords(kind, { bytes, start, end }, part)
            const expected = documentOf(format, value, wanted)
            expect(Buffer.from(concat(pieces)).toString()).toBe(expected)
          }
        }
      }),
      { numRuns: times(200) },
    ))

  const fund = { fund: { name: 'f', url: '' }, currency: 'EUR', after: '' }
  const prices = Array.from({ length: 60 }, (_, at) => ({
    date: `${2000 + Math.floor(at / 3)}-0${(at % 3) + 1}-01`,
    nav: { name: '', value: '' },
    note: 'n',
  }))
  const windows = windowsOf({ ...fund, prices }, format)
  const reading = { format, from: '2000-02-01', to: '2019-02-01', windows }

  it('reads six windows at a time, and no further ahead than its reader', async () => {
    let open = 0
    let most = 0
    let begun = 0
    const readBytes = async (window: Window) => {
      begun += 1
      most = Math.max(most, ++open)
      await setTimeout(1)
      open -= 1
      return bytesOf(window)
    }
    const unread = await stream({ ...reading, readBytes })
    await setTimeout(50)
    expect(most).toBeLessThanOrEqual(6)
    // The first, the last, six ahead and those that wait to be read.
    expect(begun).toBeLessThan(12)
    expect((await new Response(unread).text()).match(/2[0-9]{3}-/g)).toHaveLength(58)
    expect({ most, begun }).toEqual({ most: 6, begun: 20 })
  })

  it('fails before it begins if the first or the last window cannot be read, and breaks off if another cannot', async () => {
    const told: unknown[] = []
    const read = (year: number) => {
      const readBytes = (window: Window) =>
        window.year === year ? Promise.reject(new Error('no R2')) : bytesOf(window)
      return stream({ ...reading, readBytes }, (error) => told.push(error))
    }
    await expect(read(2000)).rejects.toThrow('no R2')
    await expect(read(2019)).rejects.toThrow('no R2')
    expect(told).toEqual([])
    await expect(new Response(await read(2012)).text()).rejects.toThrow('no R2')
    expect(told).toEqual([new Error('no R2')])
  })

  it('breaks off if its snapshot is no longer live', async () => {
    let asked = 0
    const assertLive = () => (++asked > 5 ? Promise.reject(new Error('no longer live')) : Promise.resolve())
    const body = await stream({ ...reading, assertLive })
    await expect(new Response(body).text()).rejects.toThrow('no longer live')
  })

  it('breaks off if a document in the middle is another one than the list says', async () => {
    const longer = prices.map((price) => ({ ...price, note: 'longer' }))
    const other = windowsOf({ ...fund, prices: longer }, format)[10]?.document ?? ''
    for (const text of ['{"title":"x"}', other]) {
      const readBytes = (window: Window) =>
        window.year === 2010 ? Promise.resolve(Buffer.from(text)) : bytesOf(window)
      const body = await stream({ ...reading, readBytes })
      await expect(new Response(body).text()).rejects.toThrow('not a window')
    }
  })

  it.runIf(format === 'xml')('breaks off if the list of windows miscounts the records of one', async () => {
    const miscounted = windows.map((window) => ({ ...window, records: 2 }))
    await expect(wholeOf({ ...reading, windows: miscounted })).rejects.toThrow('not a window')
  })
})

it.each([
  ['a record that does not start with its date', record({ a: text(''), date: text('') })],
  ['a record that holds a list', record({ date: text(''), more: list(text('')) })],
  ['a record that holds a dated record', record({ date: text(''), more: record({ date: text('') }) })],
])('refuses to declare a series of %s', (_, of) => {
  const shape = record({ fund: text(''), prices: list(of), currency: text('') })
  expect(() => seriesRecord(shape, 'prices', 'date')).toThrow('series: a record')
})
