/** Days as the commands need them by default. The clock itself is read by main.ts. */

/** The day that it is in the fund companies' time zone. */
export function todayInBerlin(now: Date): string {
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' }).format(now)
}

/** Seconds since midnight in the fund companies' time zone. */
export function secondsOfDayInBerlin(now: Date): number {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', timeStyle: 'medium' })
  const [hours = 0, minutes = 0, seconds = 0] = time.format(now).split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}
