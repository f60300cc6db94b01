/** What is derived: the setting `derive`, by table. */

/** Tables whose figures NAVs and corporate actions give. */
export const derivableTables = [
  'price',
  'performance_year',
  'legal_period',
  'legal_point',
  'launch_point',
] as const
export type DerivableTable = (typeof derivableTables)[number]

/**
 * - `delivered`: as the database has it.
 * - `missing`: figures of funds that have none in the table, and those that were derived before.
 * - `derived`: those of all funds that have prices.
 */
export const deriveModes = ['delivered', 'missing', 'derived'] as const
export type DeriveModes = Readonly<Record<DerivableTable, (typeof deriveModes)[number]>>

const allTables = (mode: DeriveModes[DerivableTable]): DeriveModes => ({
  price: mode,
  performance_year: mode,
  legal_period: mode,
  legal_point: mode,
  launch_point: mode,
})

export const defaultDerive = allTables('missing')

export const nothingDerived = allTables('delivered')
