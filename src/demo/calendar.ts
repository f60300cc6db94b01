/** Business days: Monday to Friday, without the days on which no German fund is priced. */

export interface Calendar {
  /** Business days, ascending, ISO. */
  readonly dates: readonly string[]
  /** For each of them: the index of the last business day of the year before, -1 where the calendar has none. */
  readonly previousYearEnds: Int32Array
  /** For each of them: the number of its week, Monday to Sunday. */
  readonly weeks: Int32Array
}

/** @param from ISO date, included @param to ISO date, included */
export function businessDays(from: string, to: string): Calendar {
  const dates: string[] = []
  const yearEnds: number[] = []
  const weeks: number[] = []
  let year = ''
  let closed = new Set<string>()
  let previousYearEnd = -1
  for (let day = dayNumber(from); day <= dayNumber(to); day++) {
    const date = isoDate(day)
    if (date.slice(0, 4) !== year) {
      year = date.slice(0, 4)
      closed = holidays(Number(year))
      previousYearEnd = dates.length - 1
    }
    if (isWeekend(day) || closed.has(date)) continue
    dates.push(date)
    yearEnds.push(previousYearEnd)
    // Day 0 is a Thursday: three days on, weeks of seven begin on Mondays.
    weeks.push(Math.floor((day + 3) / 7))
  }
  return { dates, previousYearEnds: Int32Array.from(yearEnds), weeks: Int32Array.from(weeks) }
}

/** Index of the last business day on or before a date, -1 where there is none. */
export function indexOnOrBefore({ dates }: Calendar, date: string): number {
  let low = 0
  let high = dates.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((dates[middle] ?? '') <= date) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Index of the first business day on or after a date. */
export function indexOnOrAfter(calendar: Calendar, date: string): number {
  return indexOnOrBefore(calendar, shiftDays(date, -1)) + 1
}

/** @throws {RangeError} for an index outside the calendar */
export function dateAt({ dates }: Calendar, index: number): string {
  const date = dates[index]
  if (date === undefined) throw new RangeError(`no business day ${index}`)
  return date
}

/** Indices in first…last after which another week begins, and both ends. */
export function weekEnds(calendar: Calendar, first: number, last: number): readonly number[] {
  return changes((index) => calendar.weeks[index], first, last)
}

/** Indices in first…last after which another month begins. */
export function monthEnds(calendar: Calendar, first: number, last: number): readonly number[] {
  const month = (index: number) => dateAt(calendar, index).slice(0, 7)
  return changes(month, first, last).filter((index) => month(index) !== month(index + 1))
}

function changes<T>(unit: (index: number) => T, first: number, last: number): readonly number[] {
  const found = [first]
  let current = unit(first)
  for (let index = first; index < last; index++) {
    const following = unit(index + 1)
    if (following !== current && index > first) found.push(index)
    current = following
  }
  if (last > first) found.push(last)
  return found
}

/** The same day in another year; 29 February becomes the 28th. */
export function shiftYears(date: string, years: number): string {
  const moved = String(Number(date.slice(0, 4)) + years).padStart(4, '0') + date.slice(4)
  return isIsoDate(moved) ? moved : moved.slice(0, 8) + '28'
}

export function shiftDays(date: string, days: number): string {
  return isoDate(dayNumber(date) + days)
}

export function isIsoDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && isoDate(time / 86_400_000) === text
}

/** Days since 1970-01-01. */
function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000
}

function isoDate(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}

function isWeekend(day: number): boolean {
  const weekday = (((day + 3) % 7) + 7) % 7 // Monday is 0, for days before 1970 too
  return weekday >= 5
}

function holidays(year: number): Set<string> {
  const fixed = ['01-01', '05-01', '12-25', '12-26'].map((day) => `${String(year).padStart(4, '0')}-${day}`)
  const easter = easterSunday(year)
  return new Set([...fixed, shiftDays(easter, -2), shiftDays(easter, 1)])
}

/** The anonymous Gregorian algorithm (Meeus, Jones, Butcher). */
function easterSunday(year: number): string {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor((year % 100) / 4) - epact - (year % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  const sum = epact + weekday - 7 * late + 114
  const month = String(Math.floor(sum / 31)).padStart(2, '0')
  const day = String((sum % 31) + 1).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${month}-${day}`
}
