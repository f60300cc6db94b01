/** A business day counted back, apart from the days that every command needs: date-fns takes long to load. */

// One function a module: all of it takes a second.
import { formatISO } from 'date-fns/formatISO'
import { parseISO } from 'date-fns/parseISO'
import { subBusinessDays } from 'date-fns/subBusinessDays'

/** The last day from Monday to Friday before the given one. Holidays are not known here. */
export function businessDayBefore(day: string): string {
  return formatISO(subBusinessDays(parseISO(day), 1), { representation: 'date' })
}
