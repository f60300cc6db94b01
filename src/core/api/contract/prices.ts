/** Price records, current and historic, and their rows. Source: the interface, "Price record". */

import type { Language } from '../routes/table.ts'
import { day, decimal, descriptionOf, type Fields, item, optional, record, text } from './shape.ts'

const commonItems = (mark: '.' | ',') => ({
  date: day('Date of the prices', 'Datum der Preise'),
  issue_price: item('Ausgabepreis', 'Issue price', 'Ausgabepreis', mark),
  repurchase_price: item('Rücknahmepreis', 'Repurchase price', 'Rücknahmepreis', mark),
  net_asset_value: item(
    'Net asset value',
    'Net asset value (NAV) per share',
    'Nettoinventarwert (NAV) je Anteil',
    mark,
  ),
  change: item(
    'Differenz zum Vortag',
    'Change in the net asset value from the previous day',
    'Veränderung des Nettoinventarwerts zum Vortag',
    mark,
  ),
  // The only value of historic prices with a point.
  change_percent: item(
    'Differenz zum Vortag in %',
    'Change in the net asset value from the previous day, in percent',
    'Veränderung des Nettoinventarwerts zum Vortag in Prozent',
  ),
  performance: optional(
    record({
      name: text(
        'Display name; contains the day that the performance is counted from: 31 December of the previous year',
        'Anzeigename; nennt den Tag, ab dem gerechnet wird: den 31.12. des Vorjahres',
      ),
      value: decimal(
        'Performance since the end of the previous year, in percent',
        'Wertentwicklung seit dem Ende des Vorjahres in Prozent',
        mark,
      ),
    }),
  ),
})

const taxFigure = (name: string, en: string, de: string) =>
  optional(item(name, `${en} (${name}, a German tax figure)`, `${de} (Steuerkennzahl)`, ','))

/** Values carry a decimal point. */
export const currentPriceRecord = record(commonItems('.'))

/** Values carry a decimal comma, change_percent a point. Missing tax figures are left out. */
export const historicPriceRecord = record({
  ...commonItems(','),
  intercompany_profit: taxFigure('Zwischengewinn', 'Interim profit', 'Zwischengewinn'),
  share_profit: taxFigure('Aktiengewinn', 'Equity gain', 'Aktiengewinn'),
  real_estate_profits: taxFigure('Immobiliengewinn', 'Real estate gain', 'Immobiliengewinn'),
  share_profit2: taxFigure('Aktiengewinn 2', 'Second equity gain', 'Zweiter Aktiengewinn'),
})

/** The documentation's title of a value, such as `net_asset_value`; an unknown name as it is. */
export function priceTitle(name: string, language: Language): string {
  const fields: Fields = historicPriceRecord.fields
  return descriptionOf(fields[name])?.[language] ?? name
}

/** A row of table price: the record's fields in camelCase, decimals as delivered; null for an optional one. */
export type PriceRow = {
  readonly [F in keyof HistoricFields as CamelCase<F>]: HistoricFields[F] extends {
    readonly kind: 'optional'
  }
    ? string | null
    : string
}
type HistoricFields = (typeof historicPriceRecord)['fields']
type CamelCase<Name extends string> = Name extends `${infer Start}_${infer End}`
  ? `${Start}${Capitalize<CamelCase<End>>}`
  : Name

/** Values of a stored price record by item, with a decimal point. @throws {Error} if an item has no text */
export function storedValues(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const items = Object.entries(record).filter(([, item]) => typeof item === 'object' && item !== null)
  const values = items.map(([name, item]) => {
    const { value } = item as { readonly value?: unknown }
    if (typeof value !== 'string') throw new Error(`${name} is ${JSON.stringify(item)}, which has no text`)
    return [name, value.replace(',', '.')] as const
  })
  return Object.fromEntries(values)
}
