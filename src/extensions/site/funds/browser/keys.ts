/** What stands for a line or a dot of a chart, in tips, chips and tables. */

import { lineKeyOf, markKey } from '../chart/keys.ts'

export const lineKey = (style: number): Element => drawn(lineKeyOf(style))

/** Of a distribution or a split. */
export const eventKey = (): Element => drawn(markKey)

function drawn(markup: string): Element {
  const holder = document.createElement('span')
  holder.innerHTML = markup
  return holder.firstElementChild ?? holder
}
