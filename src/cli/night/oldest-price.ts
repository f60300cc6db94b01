/** What a night tells of its oldest price. */

import { readOldestPrice, type PriceDays } from '../../source/oldest-price.ts'
import { reasonOf } from '../failure.ts'

/**
 * Nothing depends on it: an import that has waited for the end of the build may hold the database by now.
 * @param db the database file
 */
export function oldestPriceOf(db: string, warn: (warning: string) => void): PriceDays {
  try {
    return readOldestPrice(db)
  } catch (error) {
    warn(`how old the prices are cannot be told: ${reasonOf(error)}`)
    return { oldest: null, without: 0 }
  }
}
