/** Days and years of rows, compared with the last one that a database may name, and ends that are not known. Pure. */

import type { TableColumn } from '../../../core/data/model/columns.ts'
import { faultOfDay, isOpenEnd } from '../../../core/data/model/limits.ts'
import type { Value } from '../values.ts'

interface CheckedDays {
  /** Without days that stand for none, and without the reason of such an end. */
  readonly values: readonly Value[]
  readonly faults: readonly string[]
  /** What is left out: `an end that is not known (end_date 9999-12-31)`. */
  readonly open: readonly string[]
}

/** @param columns of rows @param last the last day that a database may name @returns a function that checks the days of a row */
export function dayChecker(columns: readonly TableColumn[], last: string) {
  const places = columns.flatMap((column, at) =>
    column.kind === 'day' || column.kind === 'year' ? [{ column, at }] : [],
  )
  const reasonAt = columns.findIndex(({ name }) => name === 'end_reason')
  return (given: readonly Value[]): CheckedDays => {
    let values = given
    const faults: string[] = []
    const open: string[] = []
    for (const { column, at } of places) {
      const value = given[at] ?? null
      if (value === null) continue
      const isOpen = column.mayBeOpen === true && typeof value === 'string' && isOpenEnd(value)
      if (isOpen) {
        const isGone = (index: number) => index === at || (column.name === 'end_date' && index === reasonAt)
        values = values.map((own, index) => (isGone(index) ? null : own))
        open.push(`an end that is not known (${column.name} ${value})`)
      } else {
        const fault = faultOfDay(column, value, last)
        if (fault !== undefined) faults.push(`${column.name} ${fault}`)
      }
    }
    return { values, faults, open }
  }
}
