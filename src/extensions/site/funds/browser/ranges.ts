/** The buttons that choose the range of a chart. The page's address holds the range. */

import { parameterOf, setParameters } from '../../../../core/layout/browser/address.ts'
import { firstDayOf } from './first-day.ts'

/** Its button is never disabled. */
export const wholeRange = 'Max'

/** Reads the range from the address (`1Y`, `YTD`, `Max`), and marks its button. @param standard without one */
export function chosenRange(figure: HTMLElement, standard: string): string {
  const buttons = rangeChoices(figure)
  const choices = buttons.filter(({ disabled }) => !disabled).map(({ dataset }) => dataset['range'] ?? '')
  const asked = parameterOf('range').toLowerCase()
  const range =
    choices.find((choice) => choice.toLowerCase() === asked) ??
    choices.find((choice) => choice === standard) ??
    wholeRange
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset['range'] === range))
  return range
}

/** Enables all ranges: how old the history is, is not known. */
export function freeRanges(figure: HTMLElement): void {
  for (const button of rangeChoices(figure)) button.disabled = false
}

/** Disables each range that shows the same days as the whole history. @param oldest first day @param newest last day, both since 1970-01-01 */
export function limitRanges(figure: HTMLElement, oldest: number, newest: number): void {
  for (const button of rangeChoices(figure)) {
    const first = firstDayOf(button.dataset['range'] ?? '', newest)
    button.disabled = first !== null && first <= oldest
  }
}

/** The address has one range: all charts of the page show it. */
const charts: (() => void)[] = []

export function showRange(): void {
  for (const each of charts) each()
}

export function onRange(figure: HTMLElement, standard: string, show: () => void): void {
  charts.push(show)
  for (const button of rangeChoices(figure)) {
    button.addEventListener('click', () => {
      const range = button.dataset['range'] ?? standard
      setParameters({ range: range === standard ? '' : range.toLowerCase() }, 'new')
      showRange()
    })
  }
  figure.classList.add('ready')
}

export const rangeChoices = (figure: HTMLElement): readonly HTMLButtonElement[] => [
  ...figure.querySelectorAll<HTMLButtonElement>('.ranges button'),
]
