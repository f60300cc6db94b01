/** Days of Berlin. Apart, because main.ts loads nothing else at each start. Pure. */

/** Today's date in the time zone of the fund companies. */
export function todayInBerlin(now: Date): string {
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' }).format(now)
}
