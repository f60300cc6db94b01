import { searchText } from './search.ts'

/** A fund in `funds/index.json`. */
export interface ListedFund {
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
  readonly currency: string
  readonly price: { readonly date: string; readonly overdue: 'late' | 'stale' | null } | null
  readonly state: 'ended' | 'suspended' | null
  /** ISO 8601 */
  readonly inception_date: string
  /** ISO 8601, which may be to come; null if no end is known. */
  readonly end_date: string | null
  readonly end_reason: 'liquidated' | 'matured' | 'merged' | null
  /** ISIN of a fund in the list. */
  readonly successor: string | null
  readonly accumulating: boolean | null
  /** Why it cannot be compared. */
  readonly not_comparable: 'young' | 'no_prices' | 'not_permitted' | null
  readonly total_expense_ratio: number | null
  /** Decimal text, a space, and the currency. */
  readonly total_fund_assets: string | null
  readonly srri: number | null
  readonly page: Readonly<Record<'de' | 'en', string>>
}

/** @throws {Error} if the list cannot be loaded */
export async function fetchFunds(address: string): Promise<readonly ListedFund[]> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return ((await response.json()) as { readonly funds: readonly ListedFund[] }).funds
}

export const fundText = ({ name, isin, wkn }: ListedFund) => searchText([name, isin, wkn ?? ''])

/** Why no new price of a fund is there: its page and the list mark it so; null if one is, or is not due yet. */
export const markOf = ({ state, price }: ListedFund) => state ?? price?.overdue ?? null

/** A fund's name in an element, marked with the language that the company says its names have. */
export function nameElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { name }: Pick<ListedFund, 'name'>,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.textContent = name
  const { names } = document.documentElement.dataset
  if (names !== undefined) made.lang = names
  return made
}
