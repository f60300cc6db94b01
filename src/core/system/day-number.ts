/** Days as numbers. Browsers load this file, so it imports no library. */
export const dayMs = 86_400_000

/** Days since 1970-01-01. Computed without Date, which would take longer for a chart's points than the rest of the chart. */
export function dayNumber(iso: string): number {
  const year = Number(iso.slice(0, 4))
  const month = Number(iso.slice(5, 7))
  const day = Number(iso.slice(8))
  // A year that begins in March ends with the leap day.
  const shifted = month > 2 ? year : year - 1
  const daysBefore = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5)
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  return shifted * 365 + leapDays + daysBefore + day - 719_469
}

/** The same day of an earlier year; 28 February for a leap day that this year lacks. Days since 1970-01-01. */
export function yearsBefore(day: number, years: number): number {
  const [year = '', month, date] = isoOf(day).split('-')
  const earlier = String(Number(year) - years).padStart(4, '0')
  const same = dayNumber(`${earlier}-${month}-${date}`)
  // 29 February of a shorter year is counted as 1 March.
  return isoOf(same).endsWith(`-${date}`) ? same : same - 1
}

/** @param number days since 1970-01-01 @throws {RangeError} if there is no such day */
export const isoOf = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10)
