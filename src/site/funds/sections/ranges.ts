/** Buttons for the ranges of a chart over days. A script makes them work. */

import type { Language } from '../../../api/routes/table.ts'
import { html, type Html } from '../../layout/html.ts'
import { fundWords } from '../wording.ts'

const ranges = {
  en: ['1M', '3M', 'YTD', '1Y', '3Y', '5Y', 'Max'],
  de: ['1M', '3M', 'Lfd. Jahr', '1J', '3J', '5J', 'Max'],
} as const

export const rangeButtons = (language: Language): Html =>
  html`<div class="ranges" role="group" aria-label="${fundWords[language].ranges}">
    ${ranges[language].map((label, index) => html`<button type="button" data-range="${ranges.en[index]}">${label}</button>`)}
  </div>`
