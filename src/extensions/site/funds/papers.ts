/** Documents about a fund as readers see them: one for several countries is one, though it has a row for each. Pure. */

import type { DocumentRow } from '../../../core/api/contract/rows.ts'

export interface Paper extends Omit<DocumentRow, 'country'> {
  /** In the order of their codes; none: it is for all countries. */
  readonly countries: readonly string[]
}

/** @returns the papers in the order of their first rows */
export function papersOf(documents: readonly DocumentRow[]): readonly Paper[] {
  const byPaper = Map.groupBy(documents, ({ kind, language, date, title, url, country }) =>
    JSON.stringify([kind, language, date, title, url, country === '']),
  )
  return [...byPaper.values()].flatMap((rows) => {
    const [first] = rows
    if (first === undefined) return []
    const { kind, language, date, title, url } = first
    const countries = rows.map(({ country }) => country).filter((country) => country !== '')
    return [{ kind, language, date, title, url, countries: countries.toSorted() }]
  })
}
