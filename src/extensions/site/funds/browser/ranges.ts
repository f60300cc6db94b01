/** The buttons that choose the range of a chart. The page's address holds the range. */

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
