/** Amounts in hundredths of a currency, as pence: they become amounts in the currency itself, in exact decimals. Pure. */

import { currencyOfHundredths } from '../../core/data/model/currencies.ts'
import { textFaults } from '../../core/data/model/limits.ts'
import { hundredthOf, type Value } from './values.ts'

/** Amounts per share in the currency that their row names. */
const amounts = ['issue_price', 'repurchase_price', 'net_asset_value', 'change', 'amount']
/** They are amounts or percentages: what they are in hundredths of is not known. */
const taxFigures = ['intercompany_profit', 'share_profit', 'real_estate_profits', 'share_profit2']

/**
 * @param columns of the row, in the order of its values; one of them is `currency`
 * @returns the row in its currency, or why it cannot be; the same values if its currency is no part of one
 */
export function inWholeUnits(
  columns: readonly string[],
  values: readonly Value[],
): { readonly values: readonly Value[]; readonly faults: readonly string[] } {
  const whole = currencyOfHundredths(String(values[columns.indexOf('currency')]))
  if (whole === undefined) return { values, faults: [] }
  const faults: string[] = []
  const converted = columns.map((name, at): Value => {
    const value = values[at] ?? null
    if (name === 'currency') return whole
    if (value !== null && taxFigures.includes(name))
      faults.push(`${name} is ${value}: --minor-units does not know whether it is in hundredths, too`)
    if (typeof value !== 'string' || !amounts.includes(name)) return value
    const amount = hundredthOf(value)
    const fault = textFaults.decimal(amount)
    if (fault !== undefined) faults.push(`${name} ${fault}`)
    return amount
  })
  return { values: converted, faults }
}
