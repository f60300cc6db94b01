/** Random requests as fast-check draws them: ranges of days, and headers that weigh what they accept. */
import fc from 'fast-check'

export interface DateRange {
  readonly from: string
  readonly to: string
}

const dayMs = 86_400_000

/** Ranges over a price history, a little beyond its ends, in every kind that clients ask for. */
export function dateRange(first: string, last: string): fc.Arbitrary<DateRange> {
  const [start, end] = [Date.parse(first) - 400 * dayMs, Date.parse(last) + 400 * dayMs]
  const dayText = (offset: number): string => new Date(start + offset * dayMs).toISOString().slice(0, 10)
  const offset = fc.integer({ min: 0, max: (end - start) / dayMs })
  const day = offset.map(dayText)
  const year = fc.integer({ min: Number(first.slice(0, 4)) - 1, max: Number(last.slice(0, 4)) + 1 })

  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(offset, fc.integer({ min: 0, max: 70 }))
        .map(([from, days]) => pair(dayText(from), dayText(from + days))),
    },
    { weight: 4, arbitrary: fc.tuple(day, day).map(([a, b]) => (a < b ? pair(a, b) : pair(b, a))) },
    { weight: 2, arbitrary: day.map((only) => pair(only, only)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(year, fc.nat(2))
        .map(([from, more]) => pair(`${from}-01-01`, `${from + more}-12-31`)),
    },
    { weight: 1, arbitrary: year.map((turn) => pair(`${turn}-12-31`, `${turn + 1}-01-01`)) },
    { weight: 1, arbitrary: fc.constantFrom(pair(first, last), pair('0001-01-01', '9999-12-31')) },
    { weight: 1, arbitrary: fc.tuple(day, day).map(([a, b]) => (a < b ? pair(b, a) : pair(a, b))) },
    { weight: 1, arbitrary: fc.tuple(impossibleDay, day).map(([a, b]) => pair(a, b)) },
    { weight: 1, arbitrary: fc.tuple(day, impossibleDay).map(([a, b]) => pair(a, b)) },
  )
}

/** Days that no calendar has, and texts that are none. */
const impossibleDay = fc.oneof(
  fc.constantFrom(
    '2023-02-29',
    '2100-02-29',
    '2024-02-30',
    '2024-06-31',
    '2024-00-01',
    '2024-13-01',
    'today',
  ),
  fc
    .tuple(fc.nat(9999), fc.integer({ min: 13, max: 99 }))
    .map(([year, month]) => `${String(year).padStart(4, '0')}-${month}-01`),
  fc.stringMatching(/^[0-9-]{1,12}$/).filter((text) => !/^\d{4}-\d{2}-\d{2}$/.test(text)),
)

function pair(from: string, to: string): DateRange {
  return { from, to }
}

/** Accept headers of the media ranges that count, each at most once, with and without weights. */
export function acceptHeader(): fc.Arbitrary<string> {
  return weighed(
    ['application/json', 'text/xml', '*/*', 'text/html', 'application/xhtml+xml'],
    ['0', '0.1', '0.25', '0.9', '1'],
  )
}

/** Accept-Language headers, likewise. */
export function acceptLanguageHeader(): fc.Arbitrary<string> {
  return weighed(['de', 'en-GB', '*', 'fr', 'it-CH'], ['0.001', '0.1', '0.25', '0.9', '1.000'])
}

function weighed(ranges: readonly string[], weights: readonly string[]): fc.Arbitrary<string> {
  const weight = fc.oneof(
    fc.constant(''),
    fc.constantFrom(...weights).map((value) => `;q=${value}`),
  )
  const separator = fc.constantFrom(',', ', ', ' ,  ')
  return fc
    .tuple(
      fc.shuffledSubarray([...ranges], { minLength: 1 }),
      fc.array(weight, { minLength: 5, maxLength: 5 }),
      separator,
    )
    .map(([chosen, chosenWeights, comma]) =>
      chosen.map((range, at) => range + (chosenWeights[at] ?? '')).join(comma),
    )
}
