/** Thresholds and calendars of funds by the settings, and settings that fit no fund. */

import { isIsin } from '../api/routes/values.ts'
import { cached } from '../system/cached.ts'
import { areHolidaysKnown, holidayYears, openCalendar, type Calendar } from './calendar.ts'

/** `freshness` in the config file. Days are business days. */
export interface FreshnessSettings {
  readonly calendar: string
  readonly yearEndOpen: boolean
  /**
   * So long after the newest price of a daily fund the next one is late (`warnDays`) or stale (`errorDays`); after the day on
   * which the next price of any other fund was expected.
   */
  readonly warnDays: number
  readonly errorDays: number
  readonly groups: readonly FreshnessGroup[]
}

export const defaultFreshness: FreshnessSettings = {
  calendar: 'DE',
  yearEndOpen: false,
  warnDays: 2,
  errorDays: 5,
  groups: [],
}

/** Names funds: a fund fits if it has every named property. */
export interface FundGroup {
  /** `category_de` or `category_en` of the profile, in full. */
  readonly category?: string
  readonly currency?: string
  readonly isins?: readonly string[]
}

/** Overrides the thresholds that it names. The first group that a fund fits counts. */
interface FreshnessGroup extends FundGroup {
  readonly calendar?: string
  readonly warnDays?: number
  readonly errorDays?: number
  /** No price is expected, or not at a known time. */
  readonly never?: boolean
}

export interface GroupedFund {
  readonly isin: string
  readonly currency: string
  /** Null without a profile; `categoryEn` also without an English name. */
  readonly categoryDe: string | null
  readonly categoryEn: string | null
}

export type Rules = (fund: GroupedFund) => {
  readonly isWatched: boolean
  readonly warnDays: number
  readonly errorDays: number
  /** The group has thresholds of its own: they count from the newest price, whatever the rhythm. */
  readonly isByAge: boolean
  readonly calendar: Calendar
}

/** @throws {Error} that names the place in the settings, for an unknown calendar or contradictory thresholds */
export async function openRules(settings: FreshnessSettings): Promise<Rules> {
  const calendarOf = cached((name: string) => openCalendar(name, settings.yearEndOpen))
  const ruleOf = async (place: string, group: FreshnessGroup) => {
    const { calendar: name, warnDays, errorDays } = { ...settings, ...group }
    if (warnDays > errorDays)
      throw new Error(`${place}: warnDays is ${warnDays}, more than errorDays, which is ${errorDays}`)
    const calendar = await calendarOf(name).catch((cause: unknown) => {
      throw new Error(`${place}.calendar is ${name}`, { cause })
    })
    const isByAge = group.warnDays !== undefined || group.errorDays !== undefined
    return { group, isWatched: group.never !== true, warnDays, errorDays, isByAge, calendar }
  }
  const general = await ruleOf('freshness', {})
  const own: (typeof general)[] = []
  for (const [index, group] of settings.groups.entries())
    own.push(await ruleOf(`freshness.groups[${index}]`, group))
  return (fund) => own.find(({ group }) => isIn(group, fund)) ?? general
}

export const isIn = ({ category, currency, isins }: FundGroup, fund: GroupedFund) =>
  (category === undefined || category === fund.categoryDe || category === fund.categoryEn) &&
  (currency === undefined || currency === fund.currency) &&
  (isins === undefined || isins.includes(fund.isin))

const maxNamed = 10

interface GroupSettings {
  readonly freshness: FreshnessSettings
  readonly expectations: { readonly groups: readonly FundGroup[] }
}

/**
 * A line for each group that fits no fund, `freshness.groups[0]: …`: it is most likely misspelt, so its funds have other
 * thresholds. Then a line for each calendar that has ended.
 * @param funds of the database, not only of a shard @param asOf ISO 8601
 */
export const doubtfulSettings = (settings: GroupSettings, funds: readonly GroupedFund[], asOf: string) => [
  ...(['freshness', 'expectations'] as const).flatMap((name) => unmet(name, settings[name].groups, funds)),
  ...endedCalendars(settings.freshness, asOf),
]

function endedCalendars({ calendar, groups }: FreshnessSettings, asOf: string): string[] {
  const ended = [calendar, ...groups.flatMap((group) => group.calendar ?? [])].filter(
    (name) => !areHolidaysKnown(name, asOf),
  )
  const advice = `its holidays are known up to ${holidayYears.last} only: install a newer fundpress`
  return [...new Set(ended)].map((name) => `freshness.calendar ${name}: ${advice}`)
}

function unmet(name: string, groups: readonly FundGroup[], funds: readonly GroupedFund[]) {
  const isins = new Set(funds.map(({ isin }) => isin))
  const currencies = new Set(funds.map(({ currency }) => currency))
  const categories = new Set(funds.flatMap(({ categoryDe, categoryEn }) => [categoryDe, categoryEn]))
  return groups.flatMap((group, index) => {
    const { category, currency } = group
    const missing = (group.isins ?? []).filter((isin) => !isins.has(isin))
    const faults: string[] = []
    if (category !== undefined && !categories.has(category))
      faults.push(`no fund has the category ${JSON.stringify(category)}`)
    if (currency !== undefined && !currencies.has(currency))
      faults.push(`no fund has the currency ${currency}`)
    if (missing.length > 0) faults.push(describeMissing(missing))
    if (faults.length === 0 && !funds.some((fund) => isIn(group, fund)))
      faults.push('no fund has all that it names')
    return faults.length === 0 ? [] : [`${name}.groups[${index}]: ${faults.join('; ')}`]
  })
}

function describeMissing(isins: readonly string[]): string {
  const named = isins.slice(0, maxNamed).map((isin) => `${isin}${isIsin(isin) ? '' : ' (wrong check digit)'}`)
  const more = isins.length > maxNamed ? ` and ${isins.length - maxNamed} more` : ''
  return `there ${isins.length === 1 ? 'is no fund' : 'are no funds'} ${named.join(', ')}${more}`
}
