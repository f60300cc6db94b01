/** Words for the end and the suspension of a fund that is to come: in lists, beside its name, and among changes. */

import type { FundLife } from '../api/contract/page.ts'
import type { Language } from '../api/routes/table.ts'
import { bilingual } from './bilingual.ts'
import { dayIn } from './formats.ts'

export const lifeWords = bilingual((say) => ({
  ends: {
    liquidated: (day: string) => say(`liquidation on ${day}`, `Auflösung am ${day}`),
    matured: (day: string) => say(`maturity on ${day}`, `Laufzeitende am ${day}`),
    merged: (day: string) => say(`merger on ${day}`, `Verschmelzung am ${day}`),
    /** For no reason that is known. */
    ended: (day: string) => say(`end on ${day}`, `Ende am ${day}`),
  },
  suspended: (day: string) => say(`suspension from ${day}`, `Aussetzung ab ${day}`),
}))

/** `liquidation on 31 Dec 2026` @param day ISO 8601 @param reason null if it is not known */
export const endOn = (
  day: string,
  reason: keyof (typeof lifeWords)['en']['ends'] | null,
  language: Language,
) => lifeWords[language].ends[reason ?? 'ended'](dayIn(language, day))

/** `suspension from 18 Nov 2026` */
export const comingIn = (life: FundLife, language: Language): string =>
  life.kind === 'suspended'
    ? lifeWords[language].suspended(dayIn(language, life.from))
    : endOn(life.day, life.reason, language)
