/** Splits and distributions as attributes of a chart: numbers between blanks. */

import type { FundActions } from '../../../../core/layout/total-return.ts'

export const packed = ({ distributions, splits }: FundActions) => ({
  distributions: distributions
    .map(
      ({ exDay, amount, reinvested }) =>
        `${exDay} ${amount} ${reinvested?.day ?? '-'} ${reinvested?.nav ?? '-'}`,
    )
    .join(' '),
  splits: splits.map(({ exDay, factor }) => `${exDay} ${factor}`).join(' '),
})

/** @param flat as `packed` gives them */
export function unpacked(flat: { readonly distributions: string; readonly splits: string }): FundActions {
  return {
    distributions: inGroups(flat.distributions, 4).map(([exDay, amount = '', day, nav = '']) => ({
      exDay: Number(exDay),
      amount,
      reinvested: day === '-' ? null : { day: Number(day), nav },
    })),
    splits: inGroups(flat.splits, 2).map(([exDay, factor = '']) => ({ exDay: Number(exDay), factor })),
  }
}

function inGroups(flat: string, size: number): readonly (readonly string[])[] {
  const parts = flat === '' ? [] : flat.split(' ')
  return Array.from({ length: parts.length / size }, (_, index) =>
    parts.slice(index * size, (index + 1) * size),
  )
}
