/** The buttons that choose the range of a chart. The page's address holds the range. */

import { dayNumber, isoOf } from '../../../../core/system/day-number.ts'
import { parameterOf, setParameters } from '../../../../core/layout/browser/address.ts'

/** Reads the range from the address (`1Y`, `YTD`, `Max`), and marks its button. @param standard without one */
export function chosenRange(figure: HTMLElement, standard: string): string {
  const buttons = rangeChoices(figure)
  const isAsked = ({ disabled, dataset }: HTMLButtonElement) =>
    !disabled && dataset['range']?.toLowerCase() === parameterOf('range').toLowerCase()
  const range = buttons.find(isAsked)?.dataset['range'] ?? standard
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset['range'] === range))
  return range
}

export function onRange(figure: HTMLElement, standard: string, show: () => void): void {
  for (const button of rangeChoices(figure)) {
    button.addEventListener('click', () => {
      const range = button.dataset['range'] ?? standard
      setParameters({ range: range === standard ? '' : range.toLowerCase() }, 'new')
      show()
    })
  }
  figure.classList.add('ready')
}

export const rangeChoices = (figure: HTMLElement): readonly HTMLButtonElement[] => [
  ...figure.querySelectorAll<HTMLButtonElement>('.ranges button'),
]

/** The first day of a range that ends with the newest price (days since 1970-01-01); null is the whole history. */
export function firstDayOf(range: string, newest: number): number | null {
  const day = isoOf(newest)
  // A year counts from the last price of the year before.
  if (range === 'YTD') return dayNumber(`${Number(day.slice(0, 4)) - 1}-12-31`)
  const [, count = '', unit] = /^(\d+)([MY])$/.exec(range) ?? []
  if (unit === undefined) return null
  const start = new Date(`${day}T00:00:00Z`)
  const months = Number(count) * (unit === 'Y' ? 12 : 1)
  start.setUTCMonth(start.getUTCMonth() - months)
  // A month that is too short overflows into the next: back to its last day.
  if (start.getUTCDate() !== Number(day.slice(8))) start.setUTCDate(0)
  return dayNumber(start.toISOString().slice(0, 10))
}
