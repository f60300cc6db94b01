/** Funds whose newest prices are as old as can be, on Friday, 20 November 2026: each is a case of its own. */
import { goodRows, insertGood, isinOf, makeDatabase, type Row } from './database.ts'

export const asOf = '2026-11-20'

export const isins = {
  fresh: isinOf(1),
  late: isinOf(2),
  stale: isinOf(3),
  monthly: isinOf(4),
  single: isinOf(5),
  merged: isinOf(6),
  unpriced: isinOf(7),
  withheld: isinOf(8),
  hidden: isinOf(9),
} as const

export const names: Readonly<Record<keyof typeof isins, string>> = {
  fresh: `</script><b>"&'`,
  late: '\u202eevil',
  stale: "=cmd|' /C calc'!A1",
  monthly: 'Haus und Hof',
  single: 'Neu',
  merged: 'Verschmolzen',
  unpriced: 'Ohne Preis',
  withheld: 'Ohne Freigabe',
  hidden: 'Geheim',
}

const days: Readonly<Record<keyof typeof isins, readonly string[]>> = {
  fresh: ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'],
  late: ['2026-11-13', '2026-11-16', '2026-11-17'],
  stale: ['2026-11-05', '2026-11-06', '2026-11-09', '2026-11-10'],
  monthly: ['2026-07-31', '2026-08-31', '2026-09-30', '2026-10-30'],
  single: ['2026-11-19'],
  merged: ['2019-06-27', '2019-06-28'],
  unpriced: [],
  withheld: ['2026-11-18', '2026-11-19'],
  hidden: ['2026-11-09', '2026-11-10'],
}

const rows: Readonly<Partial<Record<keyof typeof isins, Readonly<Record<string, Row>>>>> = {
  monthly: { profile: { category_de: 'Immobilienfonds' } },
  withheld: { fund: { prices_permitted: 0 } },
  hidden: { fund: { data_permitted: 0 } },
}

/** With a group each for the funds that need one. */
export const freshness = {
  groups: [
    { category: 'Immobilienfonds', warnDays: 25, errorDays: 40 },
    { isins: [isins.merged], never: true },
  ],
}

export function makePricedFunds(file: string): void {
  makeDatabase(file, (insert, db) => {
    for (const kind of Object.keys(isins) as (keyof typeof isins)[]) {
      const isin = isins[kind]
      const changed = rows[kind] ?? {}
      insertGood(insert, isin, { ...changed, fund: { name: names[kind], ...changed['fund'] } })
      db.prepare('DELETE FROM price WHERE isin = ?').run(isin)
      for (const [index, date] of days[kind].entries()) {
        const value = {
          net_asset_value: `${100 + index}.00`,
          change: index === 0 ? '0.00' : '1.00',
          change_percent: index === 0 ? '0.00' : (100 / (99 + index)).toFixed(2),
          // No price of the end of 2025 is there to count from.
          performance: null,
        }
        insert('price', { ...goodRows['price'], ...value, isin, date })
      }
    }
  })
}
