/** A file of its own, because main.ts loads nothing else at each start. Pure. */

/** Today's date in the time zone of the fund companies. */
export function todayInBerlin(now: Date): string {
  // Swedish dates are ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' }).format(now)
}
