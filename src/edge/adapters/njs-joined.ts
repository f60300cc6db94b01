/**
 * A range of JSON as bytes. njs takes a millisecond to decode 119 kB: only the first and the last window become text to
 * be cut, those between them pass through as they are. (In XML the keys of all records change: joined as text.)
 */

import { fetchesAtATime, type Body } from '../answer.ts'
import { windowJoiner, windowMarks } from '../range.ts'
import type { Resolution } from '../resolve.ts'
import { bytesOf, type NjsBody } from './njs.ts'

type RangeResolution = Extract<Resolution, { kind: 'range' }>
type JoinedBody = Extract<Body<NjsBody>, { kind: 'joined' }>

/** @throws {Error} if a window is none, or not there */
export async function joinedJson(
  { windows, read }: JoinedBody,
  { from, to, route }: RangeResolution,
): Promise<Buffer> {
  const { series } = route
  if (series === undefined) throw new Error('no range: ' + route.path)
  const marks = windowMarks('json', series)
  const joiner = windowJoiner('json', series, from, to)
  const pieces: Buffer[] = []
  const take = (texts: readonly string[]) => pieces.push(Buffer.from(texts.join('')))
  const last = windows.length - 1
  for (let start = 0; start <= last; start += fetchesAtATime) {
    const batch = windows.slice(start, start + fetchesAtATime)
    const objects = await Promise.all(batch.map(read))
    objects.forEach((object, index) => {
      const bytes = bytesOf(object.body)
      const window = windows[start + index]
      if (window === undefined || start + index === 0 || start + index === last)
        take(joiner.add(bytes.toString()))
      else {
        const records = recordsOf(bytes, marks.open, marks.close)
        if (joiner.pass(window.records) > 0) pieces.push(comma)
        pieces.push(records)
      }
    })
  }
  take(joiner.end())
  return Buffer.concat(pieces)
}

const comma = Buffer.from(',')

function recordsOf(bytes: Buffer, open: string, close: string): Buffer {
  const opened = bytes.indexOf(open)
  const closed = bytes.lastIndexOf(close)
  if (opened < 0 || closed < opened) throw new Error('not a window')
  return bytes.subarray(opened + open.length, closed)
}
