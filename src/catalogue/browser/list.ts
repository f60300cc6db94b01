/** What the list of funds does in a browser: search as one types, sorting. Without it the whole list is there. */

import { searchKey } from '../chart/search-key.ts'
import { tableOf } from './table.ts'

/** Rows cost a browser far more than finding them: while somebody types, the first ones are enough. */
const whileTyping = 50
/** After a pause there are so many; all of them only on demand. */
const atOnce = 1000
const pauseMs = 150

const table = document.querySelector<HTMLTableElement>('#funds')
const input = document.querySelector<HTMLInputElement>('#search')
const found = document.querySelector<HTMLElement>('#found')
if (table !== null && input !== null && found !== null) {
  const sorted = tableOf(table, () => show(whileTyping))
  const body = table.tBodies[0]
  const more = document.createElement('button')
  more.type = 'button'
  more.className = 'more'
  let pause: ReturnType<typeof setTimeout> | undefined

  const show = (most: number) => {
    clearTimeout(pause)
    const words = searchKey(input.value).split(/\s+/)
    const matching = sorted().filter(({ text }) => words.every((word) => text.includes(word)))
    body?.replaceChildren(...matching.slice(0, most).map(({ element }) => element))
    more.textContent = `${table.dataset['more'] ?? ''} (${matching.length})`
    more.hidden = matching.length <= Math.max(most, atOnce)
    const count = matching.length.toLocaleString(document.documentElement.lang)
    const text = matching.length === 0 ? found.dataset['none'] : `${found.dataset['words'] ?? ''} ${count}`
    found.textContent = text ?? ''
    if (matching.length > most && most < atOnce) pause = setTimeout(() => show(atOnce), pauseMs)
  }
  input.addEventListener('input', () => show(whileTyping))
  more.addEventListener('click', () => show(Infinity))
  table.after(more)
  // A link can carry a search, and going back brings one back.
  const asked = new URLSearchParams(location.search).get('q')
  if (asked !== null) input.value = asked
  show(atOnce)
}
