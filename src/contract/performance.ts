/** Points of a performance line. Source: the interface, legal performance and performance since launch. */

import type { PointRow } from './rows.ts'
import { number, record, wholeNumber } from './shape.ts'

// The interface labels x as microseconds; the values are milliseconds.
export const performancePoint = (meaningOfY: string) =>
  record({
    x: wholeNumber('Milliseconds since 1970-01-01T00:00Z, always a whole day'),
    y: number(meaningOfY),
  })

export const toPoint = ({ date, value }: PointRow) => ({ x: Date.parse(`${date}T00:00:00Z`), y: value })
