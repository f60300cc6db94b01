/** Judges notices of nights whose data are right: whether somebody wants to know it, and knows it not already. */

import { type Company, dates, isinFor } from './company.ts'

/** `repeated`: it has been told before. */
export type Verdict = 'right' | 'false' | 'repeated'

interface Happened {
  readonly says: RegExp
  /** The days on which it is news. */
  readonly from: string
  readonly to: string
}

/** A fund that ends may be told of once, and so may the beginning and the end of a suspension. */
const lives: readonly Happened[] = [
  { says: new RegExp(isinFor('merged')), from: dates.merger, to: '2025-10-02' },
  { says: new RegExp(isinFor('liquidated')), from: dates.liquidation, to: '2025-10-17' },
  { says: new RegExp(isinFor('suspended')), from: dates.suspendedFrom, to: dates.suspendedTo },
  { says: new RegExp(isinFor('suspended')), from: '2025-02-17', to: '2025-02-19' },
]

/** On a day of its own each time, so that it is never told twice. */
const always = [/: a market day$/, /added for earlier days/]

export function openJudge(corrections: Company['corrections']) {
  const happened: readonly Happened[] = [
    ...lives,
    ...corrections.map(({ isin, corrected }) => {
      return { says: new RegExp(`corrected: .*${isin}`), from: corrected, to: corrected }
    }),
  ]
  const told = new Set<Happened>()
  const verdictOf = (text: string, day: string): Verdict => {
    if (always.some((pattern) => pattern.test(text))) return 'right'
    const about = happened.find(({ says, from, to }) => says.test(text) && from <= day && day <= to)
    if (about === undefined) return 'false'
    if (told.has(about)) return 'repeated'
    told.add(about)
    return 'right'
  }
  const judge = (said: readonly string[], day: string) =>
    said.map((text) => ({ text, verdict: verdictOf(text, day) }))
  return {
    judge,
    /** Of a night that is not judged. */
    skip: (said: readonly string[], day: string): void => void judge(said, day),
  }
}
