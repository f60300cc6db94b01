import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { list, optional, record, text } from '../../src/contract/shape.ts'
import { jsonSeries, seriesRecord, xmlSeries } from '../../src/encode/series.ts'
import { makePart, planRange } from '../../src/edge/adapters/njs-range.ts'
import type { NjsBody } from '../../src/edge/adapters/njs-body.ts'
import type { NjsSnapshot } from '../../src/edge/adapters/njs.ts'
import type { StoredObject } from '../../src/edge/answer.ts'
import { joinWindows, overlapping } from '../../src/edge/range.ts'
import type { Route, RouteTable } from '../../src/routes/table.ts'
import type { WindowEntry } from '../../src/routes/windows.ts'

const series = { list: 'prices', date: 'date', next: 'currency' }
const item = record({ name: text('any'), value: text('any') })
const body = record({
  fund: record({ name: text('any'), url: text('any') }),
  prices: list(record({ date: text('any'), nav: item, note: text('any'), tax: optional(item) })),
  currency: text('any'),
  after: text('any'),
})
const encoders = { json: jsonSeries(body, 'prices', 'date'), xml: xmlSeries(body, 'prices', 'date') }

/** Values that try to look like what the cuts look for. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{"date":"2020-01-01"',
        '{\\"date\\":\\"2020-01-01',
        ',"prices":[',
        '],"currency":"',
        '],',
        '},',
        '{',
        '"',
        '\\',
        '<item key="0">',
        '<date>2020-01-01</date>',
        '<prices>',
        '</prices>',
        '<prices></prices>',
        '<prices/>',
        '<item key="',
        'key="7"',
        '2020-01-01',
      ),
      fc.string({ maxLength: 5 }),
      fc.constantFrom('ä', '€', '😀', '\u2028'),
    ),
    { maxLength: 4 },
  )
  .map((pieces) => pieces.join(''))

const dayInFourYears = fc
  .integer({ min: 0, max: 4 * 365 })
  .map((days) => new Date(Date.UTC(2019, 0, 1) + days * 86_400_000).toISOString().slice(0, 10))

const history = fc.record({
  fund: fc.record({ name: hostile, url: hostile }),
  currency: hostile,
  after: hostile,
  prices: fc
    .uniqueArray(
      fc.record(
        {
          date: dayInFourYears,
          nav: fc.record({ name: hostile, value: hostile }),
          note: hostile,
          tax: fc.record({ name: hostile, value: hostile }),
        },
        { requiredKeys: ['date', 'nav', 'note'] },
      ),
      { selector: ({ date }) => date, minLength: 1, maxLength: 40 },
    )
    .map((prices) => prices.toSorted((a, b) => (a.date < b.date ? -1 : 1))),
})

it.each(['json', 'xml'] as const)(
  'cuts and joins %s windows to the very document of the records between two days',
  (format) => {
    const { around, record: encode } = encoders[format]
    return fc.assert(
      fc.asyncProperty(history, dayInFourYears, dayInFourYears, async (value, one, other) => {
        const [from, to] = one < other ? [one, other] : [other, one]
        const text = around(value)
        const years = [...new Set(value.prices.map(({ date }) => date.slice(0, 4)))]
        const windows = years.map((year) => {
          const prices = value.prices.filter(({ date }) => date.startsWith(year))
          const entry: WindowEntry = {
            year: Number(year),
            first: prices[0]?.date ?? '',
            last: prices.at(-1)?.date ?? '',
            records: prices.length,
            json: '',
            xml: '',
          }
          return { entry, document: text.document(prices.map(encode)) }
        })
        const wanted = overlapping(
          windows.map(({ entry }) => entry),
          from,
          to,
        )
        const texts = windows.filter(({ entry }) => wanted.includes(entry)).map(({ document }) => document)
        // Where no window overlaps, any window's document tells of the fund.
        const given = texts.length > 0 ? texts : [windows.at(-1)?.document ?? '']
        const between = value.prices.filter(({ date }) => from <= date && date <= to)
        expect(joinWindows(format, series, given, from, to).join('')).toBe(text.document(between.map(encode)))

        // Bytes taken as Latin-1 are cut alike.
        const latin = given.map((document) => Buffer.from(document).toString('latin1'))
        const joined = Buffer.from(joinWindows(format, series, latin, from, to).join(''), 'latin1').toString()
        expect(joined).toBe(text.document(between.map(encode)))

        const needed =
          wanted.length > 0 ? windows.filter(({ entry }) => wanted.includes(entry)) : windows.slice(-1)
        expect(await inParts(format, needed, from, to)).toBe(text.document(between.map(encode)))
      }),
      { numRuns: 1500 },
    )
  },
)

/** As nginx puts it together: each part by a request of its own, out of the bytes. */
async function inParts(
  format: 'json' | 'xml',
  windows: readonly { readonly entry: WindowEntry; readonly document: string }[],
  from: string,
  to: string,
): Promise<string> {
  const object = (year: string): StoredObject<NjsBody> => {
    const found = windows.find(({ entry }) => year === String(entry.year))
    return {
      body: { kind: 'bytes', bytes: Buffer.from(found?.document ?? '') },
      etag: '',
      lastModified: '',
    }
  }
  const snapshot: NjsSnapshot = {
    name: 'tonight',
    table,
    store: {
      get: (key) => Promise.resolve(object(key.replace(/^.*\/|\.(json|xml)$/g, ''))),
      text: () => Promise.reject(new Error('parts are bytes')),
    },
    isStillLive: () => Promise.resolve(true),
  }
  const { plan, parts } = await planRange(
    {
      kind: 'joined',
      windows: windows.map(({ entry }) => entry),
      read: ({ year }) => Promise.resolve(object(String(year))),
    },
    {
      ...{ kind: 'range', listKey: '', from, to, route, values: { from, to }, errorKey: '', unknown: null },
      wanted: { format, language: null, vary: [] },
    },
    table,
    snapshot.name,
  )
  const asked = [...parts.matchAll(/<!--#include virtual="[^"?]*\?([^"]*)" wait="yes"-->/g)]
  expect(asked.map(([include]) => include).join('')).toBe(parts)
  const made: Buffer[] = []
  for (const [, query = ''] of asked) {
    const request = {
      args: Object.fromEntries(new URLSearchParams(query)),
      headersIn: { 'Fundpress-Plan': plan },
    }
    made.push(await makePart(() => snapshot, { createHash, createHmac }, request))
  }
  return Buffer.concat(made).toString()
}

const date = (name: string) => ({ kind: 'date' as const, name, invalid: 0 })
const route: Route = {
  id: 'prices',
  path: '/prices/{from}/{to}/',
  parameters: [date('from'), date('to')],
  hasLanguages: false,
  series,
}
const table: RouteTable = {
  docsUrl: '',
  routes: [route],
  problems: [],
  pages: [],
  general: { noEndpoint: 0, wrongMethod: 0, wrongFormat: 0, wrongLanguage: 0 },
}

it('refuses a text that is no window', () => {
  expect(() => joinWindows('json', series, ['{"title":"x"}'], '2020-01-01', '2020-12-31')).toThrow(
    'not a window',
  )
})

it.each([
  ['a record that does not start with its date', record({ a: text(''), date: text('') })],
  ['a record that holds a list', record({ date: text(''), more: list(text('')) })],
  [
    'a record that holds a record with a date first',
    record({ date: text(''), more: record({ date: text('') }) }),
  ],
])('refuses to declare a series of %s', (_, of) => {
  const shape = record({ fund: text(''), prices: list(of), currency: text('') })
  expect(() => seriesRecord(shape, 'prices', 'date')).toThrow('series: a record')
})
