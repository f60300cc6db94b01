/** Several payments of one ex-day, as files list an ordinary and a special distribution: the schema has their sum. */

import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { sumOf } from '../decimals.ts'
import type { Value } from '../values.ts'
import type { Difference, Origin, Staging } from './staging.ts'

/**
 * @returns a function that adds a payment to the staged row of its day: `summed`, or `repeated` if the file names the same amount
 * twice; undefined if the row is none, or of another file, or differs in more than its amount: then it contradicts the staged one
 */
export function paymentAdder({ changer }: Pick<Staging, 'changer'>) {
  const change = changer(schemaTables.corporateActions, 'amount')
  /** The amounts of days with several payments, by key. */
  const payments = new Map<string, string[]>()
  return (
    table: SchemaTable,
    key: readonly Value[],
    { file }: Origin,
    there: Origin,
    { column, first, second, isOnly }: Difference,
  ) => {
    const isPayment = table === schemaTables.corporateActions && column === 'amount' && isOnly
    if (!isPayment || there.file !== file) return undefined
    if (typeof first !== 'string' || typeof second !== 'string') return undefined
    const id = key.join(' ')
    const amounts = payments.get(id) ?? [first]
    if (amounts.some((amount) => Number(amount) === Number(second))) return 'repeated'
    amounts.push(second)
    payments.set(id, amounts)
    change(sumOf(amounts), key)
    return 'summed'
  }
}
