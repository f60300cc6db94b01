/** Today in Berlin, and the machine's clock by the store's. Imports nothing: main.ts loads it at each start. Pure. */

/** Today's date in the time zone of the fund companies. */
export function todayInBerlin(now: Date): string {
  // Swedish dates are ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' }).format(now)
}

/** The time of day there: `19:30`. */
export function timeInBerlin(now: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', timeStyle: 'short' }).format(now)
}

/** S3 refuses signatures that are further off. */
const maxMinutes = 15
/** HTTP dates have whole seconds, and requests take some. */
const noticedSeconds = 30

/** One rule for `nightly` and `check --bucket`. @param behindSeconds of this machine's clock, negative if it is ahead @returns null if all is well */
export function judgeClock(behindSeconds: number) {
  const seconds = Math.abs(behindSeconds)
  if (seconds <= noticedSeconds) return null
  const isProblem = seconds > maxMinutes * 60
  const off = seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} minutes`
  const place = `${off} ${behindSeconds > 0 ? 'behind' : 'ahead of'} the store's`
  const limit = isProblem ? `, more than ${maxMinutes} minutes` : ''
  return {
    level: isProblem ? ('problem' as const) : ('warning' as const),
    says: `this machine's clock is ${place}${limit}: set it (NTP)`,
  }
}
