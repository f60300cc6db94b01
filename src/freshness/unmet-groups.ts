/** Groups of the settings that fit no fund: most likely misspelt, so that their funds are held to other thresholds. */

import { isIsin } from '../routes/values.ts'
import { isIn, type FreshnessGroup, type GroupedFund } from './rules.ts'

/** So many ISINs a message has at most. */
const maxNamed = 10

/**
 * @param funds all of the database, not those of a shard: a group may be for others
 * @returns what fits no fund, a line a group, by its place in the settings: `freshness.groups[0]: …`
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
    const told = isUnmet ? ['no fund has all that it names'] : faults
    return told.length === 0 ? [] : [`freshness.groups[${index}]: ${told.join('; ')}`]
  })
}

function describeMissing(isins: readonly string[]): string {
  const named = isins.slice(0, maxNamed).map((isin) => `${isin}${isIsin(isin) ? '' : ' (wrong check digit)'}`)
  const more = isins.length > maxNamed ? ` and ${isins.length - maxNamed} more` : ''
  return `there ${isins.length === 1 ? 'is no fund' : 'are no funds'} ${named.join(', ')}${more}`
}
