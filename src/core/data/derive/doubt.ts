/** Splits that the NAVs of a fund contradict: nothing is derived by them. */

import { type DoubtfulActions, doubtfulActions } from '../../guards/new-actions.ts'
import type { DatedNav, PricingAction } from './figures.ts'

/** @returns the splits that the guard `corporate-action` refuses, too */
export function doubtfulSplits(
  prices: readonly DatedNav[],
  actions: readonly PricingAction[],
): readonly DoubtfulActions[] {
  if (actions.every(({ factor }) => factor === null)) return []
  const texts = prices.map(({ date, nav }) => [date, nav, nav, nav, '0', '0', null] as const)
  const rows = actions.map(({ exDate, factor, amount }) => {
    const kind = factor === null ? ('distribution' as const) : ('split' as const)
    return { exDate, kind, factor, amount, currency: null, successorIsin: null }
  })
  return doubtfulActions(texts, rows).filter(
    (found) => found.isRefused && found.rows.some(({ kind }) => kind === 'split'),
  )
}
