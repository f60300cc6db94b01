/** Endpoints 6, 7 and 10 to 13, those with languages: structure, key figures, profile, allocations, EMT data. */
import { readFileSync } from 'node:fs'
import { keyed, list, record, type Branch, type Tree } from './document.ts'
import { basicFund, type FundRow, type Funds } from './funds.ts'
import type { Language } from './negotiate.ts'
import { problems, type Problem } from './problems.ts'

type Names = Readonly<Record<Language, string>>

/** The one thing that the oracle shares with the product: display names, which no contract gives in German. */
export const structureTypes = new Map<string, Names>(
  Object.entries(
    JSON.parse(
      readFileSync(new URL('../../contract/structure-types.json', import.meta.url), 'utf8'),
    ) as Record<string, Names>,
  ),
)

export function structure(funds: Funds, isin: string, type: string, language: Language): Branch | Problem {
  const fund = funds.find(isin)
  if (fund === undefined || fund.data_permitted === 0) return problems.noStructure(isin, type)
  const rows = funds.select<{ name_de: string; name_en: string | null; percent: number }>(
    'SELECT name_de, name_en, percent FROM structure_item WHERE isin = ? AND type = ? ORDER BY position',
    isin,
    type,
  )
  if (rows.length === 0) return problems.noStructure(isin, type)
  const items = rows.map((row) =>
    record({ name: inLanguage(language, row.name_de, row.name_en), percent: row.percent }),
  )
  return record({
    fund: basicFund(fund, 'with status date'),
    structure: record({ type: structureTypes.get(type)?.[language] ?? '', data: list(items) }),
  })
}

export function figures(funds: Funds, isin: string, language: Language): Branch | Problem {
  const fund = permitted(funds, isin, 'figures')
  if ('slug' in fund) return fund
  const rows = funds.select<{
    name_de: string
    name_en: string | null
    value: string
    value2: string | null
    has_value2: 0 | 1
  }>('SELECT * FROM key_figure WHERE isin = ? ORDER BY position', isin)
  const items = rows.map((row) =>
    record({
      name: inLanguage(language, row.name_de, row.name_en),
      value: row.value,
      value2: row.has_value2 === 1 ? row.value2 : undefined,
    }),
  )
  return record({ fund: basicFund(fund, 'with status date'), figures: list(items) })
}

export function allocations(
  funds: Funds,
  isin: string,
  derivatives: 0 | 1,
  language: Language,
): Branch | Problem {
  const fund = permitted(funds, isin, 'asset-allocations')
  if ('slug' in fund) return fund
  const rows = funds.select<{ class_de: string; class_en: string | null; date: string; percent: number }>(
    'SELECT * FROM asset_allocation WHERE isin = ? AND derivatives = ? ORDER BY position, date',
    isin,
    derivatives,
  )
  const classes = new Map<string, [string, Tree][]>()
  for (const row of rows) {
    const name = inLanguage(language, row.class_de, row.class_en)
    const dates = classes.get(name) ?? []
    dates.push([row.date, row.percent])
    classes.set(name, dates)
  }
  return record({
    fund: basicFund(fund, 'with status date'),
    allocations: keyed(
      [...classes].map(([name, dates]) => [name, keyed(dates.toSorted(([a], [b]) => (a < b ? -1 : 1)))]),
    ),
  })
}

const emtFields = [
  'srri',
  'ongoing_costs_date',
  'ongoing_costs',
  'transaction_costs_date',
  'transaction_costs',
  'incidental_costs_date',
  'incidental_costs',
  'entry_costs',
  'governanceprocess',
  'compatible_for_clients_with_esg_preferences',
  'other_specific_investment_need',
]

export function emt(funds: Funds, isin: string): Branch | Problem {
  const fund = permitted(funds, isin, 'emt')
  if ('slug' in fund) return fund
  const [row] = funds.select<Readonly<Record<string, string | number | null>>>(
    'SELECT * FROM emt WHERE isin = ?',
    isin,
  )
  if (row === undefined) return problems.noRow(isin, 'emt')
  return record({
    fund: basicFund(fund, 'with status date'),
    emt_data: record(Object.fromEntries(emtFields.map((field) => [field, row[field] ?? null]))),
  })
}

/** A fund whose data may be given out, or the refusal that endpoints 7 and 10 to 13 share. */
export function permitted(funds: Funds, isin: string, group: string): FundRow | Problem {
  const fund = funds.find(isin)
  if (fund === undefined) return problems.unknownFund(isin, group)
  return fund.data_permitted === 1 ? fund : problems.fundDenied(isin, group)
}

/** Where there is no English text the German one is published in both languages. */
export function inLanguage(language: Language, german: string, english: string | null): string {
  return language === 'en' && english !== null ? english : german
}
