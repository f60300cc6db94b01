/** What the endpoints of performance share. Source: the interface, legal performance and performance since launch. */

import type { ErrorRow } from './errors.ts'
import type { PointRow } from './rows.ts'
import { number, record, wholeNumber } from './shape.ts'

/** Endpoints 4, 5, 8, 9. */
export const tooYoung: ErrorRow = {
  status: 403,
  slug: 'noapidataforfund',
  title:
    'Not permitted to get performance data for the fund with ISIN: {isin}, because the fund is not yet one year old',
  when: {
    en: 'The fund was launched less than one year ago: its performance may not be shown yet. The relevant day is the as-of date of the snapshot.',
    de: 'Die Auflegung des Fonds liegt weniger als ein Jahr zurück: Seine Wertentwicklung darf noch nicht dargestellt werden. Maßgeblich ist der Stichtag des Datenstands.',
  },
}

/** Endpoints 4, 8, 9, each with a title of its own. */
export const noPerformance = (title: string): ErrorRow => ({
  status: 404,
  slug: 'nodata',
  title,
  when: {
    en: 'The fund has no such performance data, its performance may not be shown, or the ISIN is unknown.',
    de: 'Der Fonds hat keine solchen Daten, seine Wertentwicklung ist nicht freigegeben, oder die ISIN ist unbekannt.',
  },
})

// The interface labels x as microseconds; the values are milliseconds.
export const performancePoint = (en: string, de: string) =>
  record({
    x: wholeNumber(
      'Milliseconds since 1970-01-01T00:00Z, always a whole day',
      'Millisekunden seit 1970-01-01T00:00Z, immer ein ganzer Tag',
    ),
    y: number(en, de),
  })

export const toPoint = ({ date, value }: PointRow) => ({ x: Date.parse(`${date}T00:00:00Z`), y: value })
