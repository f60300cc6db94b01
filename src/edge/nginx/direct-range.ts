/**
 * A date range that is answered at once, from files: the slices that it needs are read right into the answer, and nothing is waited
 * for. It gives what the core would give, in a fraction of the time, and declines what is unusual.
 */

import { folderKey, windowListName, windowName } from '../../api/routes/keys.ts'
import type { WindowEntry, WindowList } from '../../api/routes/keys.ts'
import { formatsOf, type Format, type Route } from '../../api/routes/table.ts'
import { isDay } from '../../api/routes/values.ts'
import { documentHeaders, overlapping, placeOfRange, rangeEtag, type EdgeSettings } from '../core/answer.ts'
import { windowJoiner, type Records } from '../core/join.ts'
import { wantedFormat, type Representation } from '../core/representation.ts'
import type { DirectSnapshot } from './objects.ts'
import { njsSearch } from './range.ts'
import type { NjsModules } from './types.ts'

export interface DirectRange {
  readonly headers: Record<string, string>
  /** Null if there would be more bytes than asked for. */
  readonly bytes: Buffer | null
  readonly liveSince: number | undefined
}

interface AskedRange {
  /** Where the keys of its documents begin. */
  readonly folder: string
  readonly path: string
  readonly joiner: ReturnType<typeof windowJoiner<Buffer>>
  readonly wanted: Representation
  readonly from: string
  readonly to: string
}

/** Room for what stands after the records. In bytes. */
const tailRoom = 4096
const comma = 0x2c

/** @returns a function that answers a GET, or gives null: then the core has to answer. It throws if the snapshot is exchanged under it */
export function directRanges({ fs }: NjsModules, routes: readonly Route[], settings: EdgeSettings) {
  /** @param most bytes that the answer may have */
  return (
    target: string,
    accept: string | undefined,
    pin: () => DirectSnapshot,
    most: number,
  ): DirectRange | null => {
    const asked = readRange(routes, target, accept)
    if (asked === null) return null
    const { folder, path, wanted, from, to } = asked
    const { root, lastModifiedOf, liveSince, isStillLive } = pin()
    const listFile = root + folder + windowListName
    const windows = windowsIn(fs.readFileSync(listFile), from, to)
    if (windows === null) return null
    const headers = documentHeaders(settings, path, wanted)
    headers['ETag'] = rangeEtag(windows, wanted.format, from, to)
    headers['Last-Modified'] = lastModifiedOf(fs.statSync(listFile))
    const bytes = joined(asked, windows, root, most)
    if (!isStillLive()) throw new Error('the snapshot was exchanged')
    return { headers, bytes, liveSince }
  }

  /** @returns null if there are more than `most` bytes */
  function joined(
    { folder, joiner, wanted, from, to }: AskedRange,
    windows: readonly WindowEntry[],
    root: string,
    most: number,
  ): Buffer | null {
    const { format } = wanted
    const { mark, close, firstFrom, firstAfter, renumber } = joiner
    const places = windows.map((window) => placeOfRange(window, { from, to, wanted }))
    const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0)
    const headLength = offsetsOf(windows[0], format)[0] ?? 0
    const count = sum(windows.map(({ records }) => records))
    /** By so many bytes at most the keys of XML get longer. */
    const room = format === 'xml' ? count * (String(count).length - 1) : 0
    const slices = sum(places.map((place) => (place === null ? 0 : place.end - place.start + 1)))
    if (headLength + slices > most) return null

    const cut = (run: Records<Buffer>, window: WindowEntry, isFirst: boolean, isLast: boolean) => {
      const start = isFirst && window.first < from ? firstFrom(run, from) : run.start
      const end =
        isLast && to < window.last ? firstAfter({ bytes: run.bytes, start, end: run.end }, to) : run.end
      if (start === end) throw notAsListed()
      return { start, end }
    }
    const bytes = Buffer.allocUnsafe(headLength + slices + room * 2 + tailRoom)
    let begin = 0
    let at = headLength
    let records = 0
    windows.forEach((window, index) => {
      const place = places[index] ?? { start: 0, end: 0 }
      const file = fs.openSync(root + folder + windowName(window.year, format))
      const readExactly = (to: number, first: number, after: number) => {
        if (fs.readSync(file, bytes, to, after - first, first) !== after - first) throw notAsListed()
      }
      try {
        if (format === 'json' && index > 0) bytes[at++] = comma
        const start = at + room
        const end = start + place.end - place.start
        readExactly(start, place.start, place.end)
        if (bytes.indexOf(mark, start) !== start) throw notAsListed()
        // Nobody searches what lies behind it.
        const run = { bytes: bytes.subarray(0, end), start, end }
        const { start: first, end: after } = cut(run, window, index === 0, index === windows.length - 1)
        if (index === 0) {
          // Right before the first record, if that need not move.
          begin = format === 'xml' ? 0 : first - headLength
          readExactly(begin, 0, headLength)
        }
        if (format === 'xml') {
          const numbered = renumber({ bytes: run.bytes, start: first, end: after }, at, records)
          records = numbered.records
          at = numbered.end
        } else at = format === 'json' && bytes[after - 1] === comma ? after - 1 : after
        if (index === windows.length - 1) {
          const tail = fs.readSync(file, bytes, at, tailRoom, offsetsOf(window, format)[12] ?? 0)
          if (tail === tailRoom || bytes.indexOf(close, at) !== at) throw notAsListed()
          at += tail
        }
      } finally {
        fs.closeSync(file)
      }
    })
    return bytes.subarray(begin, at)
  }
}

const notAsListed = () => new Error('the window list and the windows differ')

const offsetsOf = (window: WindowEntry | undefined, format: Format): readonly number[] =>
  window?.months?.[format] ?? []

/**
 * The windows of a range, out of a window list that is not parsed as a whole if years of the range are in it.
 * @returns null if it is of an earlier version, or if no window, or just one as a whole, is the answer
 */
function windowsIn(list: Buffer, from: string, to: string): readonly WindowEntry[] | null {
  const entryOf = (day: string) => list.lastIndexOf('{"year":' + String(Number(day.slice(0, 4))) + ',')
  const first = entryOf(from)
  const last = first < 0 ? -1 : entryOf(to)
  const end = last < 0 ? -1 : list.indexOf(']}}', last)
  const text = end < 0 ? list.toString() : '{"windows":[' + list.toString('utf8', first, end + 3) + ']}'
  const windows = overlapping((JSON.parse(text) as WindowList).windows, from, to)
  const only = windows[0]
  if (only === undefined || windows.some(({ months }) => months === undefined)) return null
  return windows.length === 1 && from <= only.first && only.last <= to ? null : windows
}

/** Reads the plain form of a target, which is what nearly all clients send. @returns null for any other */
function readRange(routes: readonly Route[], target: string, accept: string | undefined): AskedRange | null {
  // By index: to take an array apart takes microseconds in ES5.
  const parts = target.split('?')
  const path = parts[0] ?? ''
  const query = parts[1]
  const segments = path.split('/')
  let asked: AskedRange | null = null
  routes.forEach((route) => {
    const { series, parameters } = route
    const names = route.path.split('/')
    if (series === undefined || parts.length > 2 || names.length !== segments.length) return
    const values: Record<string, string> = {}
    const days: string[] = []
    const isPlain = names.every((name, at) => {
      const segment = segments[at] ?? ''
      if (!name.startsWith('{')) return name === segment
      const parameter = parameters.find((one) => '{' + one.name + '}' === name)
      if (parameter === undefined) return false
      values[parameter.name] = segment
      if (parameter.kind === 'isin') return plainIsin.test(segment)
      days.push(segment)
      return parameter.kind === 'date' && isDay(segment)
    })
    const from = days[0] ?? ''
    const to = days[1] ?? ''
    const offers = formatsOf(route)
    const given = offers.find((format) => query === 'format=' + format)
    if (!isPlain || days.length !== 2 || to < from || (query !== undefined && given === undefined)) return
    const wanted = wantedFormat(
      { accept, acceptLanguage: undefined },
      given === undefined ? {} : { format: given },
      offers,
    )
    const joiner = windowJoiner(njsSearch, wanted.format, series)
    asked = { folder: folderKey(route, values), path, joiner, wanted, from, to }
  })
  return asked
}

const plainIsin = /^[A-Z]{2}[A-Z0-9]{9}[0-9]$/
