/** Keys of a chart as markup: what is drawn in it, as small as a word. */

import { lineStyle } from './charts.ts'

const key = (shape: string) => `<svg class="key" aria-hidden="true">${shape}</svg>`

export const lineKeyOf = (style: number) =>
  key(`<line class="${lineStyle(style)}" x2="100%" y1="50%" y2="50%"/>`)

export const markKey = key('<circle class="event" cx="50%" cy="50%" r="3"/>')
