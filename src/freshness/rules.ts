/** Finds the thresholds and the calendar of a fund in the settings, and settings that fit no fund. */

import { isIsin } from '../api/routes/values.ts'
import { openCalendar, type Calendar } from './calendar.ts'

/** `freshness` in the config file. */
export interface FreshnessSettings {
  readonly calendar: string
  readonly yearEndOpen: boolean
  /** In business days: an older price is late, or stale. */
  readonly warnDays: number
  readonly errorDays: number
  /** From 0 to 1, of the funds that are watched. */
  readonly maxStaleShare: number
  /** The first group that a fund fits counts. */
  readonly groups: readonly FreshnessGroup[]
}

export const defaultFreshness: FreshnessSettings = {
  calendar: 'DE',
  yearEndOpen: false,
  warnDays: 2,
  errorDays: 5,
  maxStaleShare: 0.1,
  groups: [],
}

/** A fund fits if it has every named property. The group overrides the general thresholds that it names. */
export interface FreshnessGroup {
  /** `category_de` or `category_en` of the profile, in full. */
  readonly category?: string
  readonly currency?: string
  readonly isins?: readonly string[]
  readonly calendar?: string
  readonly warnDays?: number
  readonly errorDays?: number
  /** No price of these funds is expected, or nobody knows when. */
  readonly never?: boolean
}

/** The properties of a fund that decide its group. */
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

export type Rules = (fund: GroupedFund) => Rule

/** @throws {Error} that names the place in the settings, for an unknown calendar or contradictory thresholds */
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

const isIn = ({ category, currency, isins }: FreshnessGroup, fund: GroupedFund) =>
  (category === undefined || category === fund.categoryDe || category === fund.categoryEn) &&
  (currency === undefined || currency === fund.currency) &&
  (isins === undefined || isins.includes(fund.isin))

/** A message names no more ISINs. */
const maxNamed = 10

/**
 * Groups that fit no fund are most likely misspelt, so that their funds have other thresholds.
 * @param funds all funds of the database, not only a shard's
 * @returns a line for each such group, with its place in the settings: `freshness.groups[0]: …`
 */
export function unmetGroups(
  groups: readonly FreshnessGroup[],
  funds: readonly GroupedFund[],
): readonly string[] {
  if (groups.length === 0) return []
  const isins = new Set(funds.map(({ isin }) => isin))
  const currencies = new Set(funds.map(({ currency }) => currency))
  const categories = new Set(funds.flatMap(({ categoryDe, categoryEn }) => [categoryDe, categoryEn]))
  return groups.flatMap((group, index) => {
    const missing = (group.isins ?? []).filter((isin) => !isins.has(isin))
    const { category, currency } = group
    const faults = [
      ...(category === undefined || categories.has(category)
        ? []
        : [`no fund has the category ${JSON.stringify(category)}`]),
      ...(currency === undefined || currencies.has(currency) ? [] : [`no fund has the currency ${currency}`]),
      ...(missing.length === 0 ? [] : [describeMissing(missing)]),
    ]
    const isUnmet = faults.length === 0 && !funds.some((fund) => isIn(group, fund))
    const lines = isUnmet ? ['no fund has all that it names'] : faults
    return lines.length === 0 ? [] : [`freshness.groups[${index}]: ${lines.join('; ')}`]
  })
}

function describeMissing(isins: readonly string[]): string {
  const named = isins.slice(0, maxNamed).map((isin) => `${isin}${isIsin(isin) ? '' : ' (wrong check digit)'}`)
  const more = isins.length > maxNamed ? ` and ${isins.length - maxNamed} more` : ''
  return `there ${isins.length === 1 ? 'is no fund' : 'are no funds'} ${named.join(', ')}${more}`
}
