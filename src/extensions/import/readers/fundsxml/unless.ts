/** What of a file is left out on purpose: a record is taken unless there is a reason against it. */

import type { RowSink } from '../reader.ts'
import type { Found } from './xml.ts'

/** @returns why a record is left out, for the report; undefined if it is taken */
export type WhyNot = (record: Found) => string | undefined

/** @returns what takes a record, or reports why not */
export const unless =
  (sink: Pick<RowSink, 'leftOut'>, whyNot: WhyNot, take: (record: Found) => void) =>
  (record: Found): void => {
    const why = whyNot(record)
    if (why === undefined) take(record)
    else sink.leftOut(why, record.place)
  }
