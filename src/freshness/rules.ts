/** Which thresholds and which calendar hold for a fund, from the settings. */

import { openCalendar, type Calendar } from './calendar.ts'

/** As the config file has them: `freshness`. */
export interface FreshnessSettings {
  readonly calendar: string
  readonly yearEndOpen: boolean
  /** In business days: an older price is late, or stale. */
  readonly warnDays: number
  readonly errorDays: number
  /** From 0 to 1, of the funds that are watched. */
  readonly maxStaleShare: number
  /** The first that a fund fits into counts. */
  readonly groups: readonly FreshnessGroup[]
}

/** What holds where nobody has said anything else. */
export const defaultFreshness: FreshnessSettings = {
  calendar: 'DE',
  yearEndOpen: false,
  warnDays: 2,
  errorDays: 5,
  maxStaleShare: 0.1,
  groups: [],
}

/** A fund fits if it has each of the properties that are named; what is not said otherwise is as for all others. */
export interface FreshnessGroup {
  /** `category_de` or `category_en` of the profile, in full. */
  readonly category?: string
  readonly currency?: string
  readonly isins?: readonly string[]
  readonly calendar?: string
  readonly warnDays?: number
  readonly errorDays?: number
  /** Prices of these funds are expected no more, or nobody knows when. */
  readonly never?: boolean
}

/** What of a fund decides its group. */
export interface GroupedFund {
  readonly isin: string
  readonly currency: string
  /** Null without a profile, or without an English name. */
  readonly categoryDe: string | null
  readonly categoryEn: string | null
}

export interface Rule {
  readonly isWatched: boolean
  readonly warnDays: number
  readonly errorDays: number
  readonly calendar: Calendar
}

/** The rule of a fund. */
export type Rules = (fund: GroupedFund) => Rule

/** @throws {Error} that names the place in the settings if a calendar is not known, or thresholds contradict each other */
export async function openRules(settings: FreshnessSettings): Promise<Rules> {
  const { yearEndOpen, groups } = settings
  const calendars = new Map<string, Calendar>()
  const ruleOf = async (place: string, own: FreshnessGroup): Promise<Rule> => {
    const { calendar: name, warnDays, errorDays } = { ...settings, ...own }
    if (warnDays > errorDays)
      throw new Error(`${place}: warnDays is ${warnDays}, more than errorDays, which is ${errorDays}`)
    const calendar = calendars.get(name) ?? (await openNamed(place, name, yearEndOpen))
    calendars.set(name, calendar)
    return { isWatched: own.never !== true, warnDays, errorDays, calendar }
  }
  const general = await ruleOf('freshness', {})
  const rules: (readonly [FreshnessGroup, Rule])[] = []
  for (const [index, group] of groups.entries())
    rules.push([group, await ruleOf(`freshness.groups[${index}]`, group)])
  return (fund) => rules.find(([group]) => isIn(group, fund))?.[1] ?? general
}

function openNamed(place: string, name: string, isYearEndOpen: boolean): Promise<Calendar> {
  return openCalendar(name, { isYearEndOpen }).catch((error: unknown) => {
    throw new Error(`${place}.calendar is ${name}`, { cause: error })
  })
}

/** Whether a fund has each of the properties that a group names. */
export const isIn = ({ category, currency, isins }: FreshnessGroup, fund: GroupedFund) =>
  (category === undefined || category === fund.categoryDe || category === fund.categoryEn) &&
  (currency === undefined || currency === fund.currency) &&
  (isins === undefined || isins.includes(fund.isin))
