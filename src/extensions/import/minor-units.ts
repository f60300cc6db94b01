/** Amounts in hundredths of a currency, as pence: they become amounts in the currency itself, in exact decimals. Pure. */

import { currencyOfHundredths } from '../../core/data/model/currencies.ts'
import type { TableColumn } from '../../core/data/model/columns.ts'
import { textFaults } from '../../core/data/model/limits.ts'
import { hundredthOf, type Value } from './values.ts'

/**
 * @param columns of the row, in the order of its values; one of them is `currency`
 * @returns the row in its currency, or why it cannot be; the same values if its currency is no part of one
 */
export function inWholeUnits(
  columns: readonly Pick<TableColumn, 'name' | 'money'>[],
  values: readonly Value[],
): { readonly values: readonly Value[]; readonly faults: readonly string[] } {
  const currency = values[columns.findIndex(({ name }) => name === 'currency')]
  const whole = currencyOfHundredths(String(currency))
  if (whole === undefined) return { values, faults: [] }
  const faults: string[] = []
  const converted = columns.map(({ name, money }, at): Value => {
    const value = values[at] ?? null
    if (name === 'currency') return whole
    // It is an amount or a percentage: what it is in hundredths of is not known.
    if (value !== null && money === 'taxFigure')
      faults.push(`${name} is ${value}: --minor-units does not know whether it is in hundredths, too`)
    if (typeof value !== 'string' || money !== 'amount') return value
    const amount = hundredthOf(value)
    const fault = textFaults.decimal(amount)
    if (fault !== undefined) faults.push(`${name} ${fault}`)
    return amount
  })
  return { values: converted, faults }
}
