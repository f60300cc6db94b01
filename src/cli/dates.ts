/** Days, times of day and durations, as the commands need them. Only main.ts reads the clock. */

/** Today's date in the time zone of the fund companies. */
export function todayInBerlin(now: Date): string {
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' }).format(now)
}

/** Seconds since midnight in the time zone of the fund companies. */
export function secondsOfDayInBerlin(now: Date): number {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', timeStyle: 'medium' })
  const [hours = 0, minutes = 0, seconds = 0] = time.format(now).split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

/** `3 days 4 h`, `2 h 10 min`, `3 min 5 s`, `40 s` */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [days, hours, minutes] = [86_400, 3600, 60].map((unit) => Math.floor(whole / unit))
  if (days !== undefined && days > 0) return `${days} ${days === 1 ? 'day' : 'days'} ${(hours ?? 0) % 24} h`
  if (hours !== undefined && hours > 0) return `${hours} h ${(minutes ?? 0) % 60} min`
  return minutes !== undefined && minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}
