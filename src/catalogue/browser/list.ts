/** What the list of funds does in a browser: search as one types, sorting. Without it the whole list is there. */

import { searchKey } from '../chart/search-key.ts'
import { tableOf } from './table.ts'

/** More rows than these are shown on demand: a browser lays ten thousand out again at every letter. */
const atOnce = 400

const table = document.querySelector<HTMLTableElement>('#funds')
const input = document.querySelector<HTMLInputElement>('#search')
const found = document.querySelector<HTMLElement>('#found')
if (table !== null && input !== null && found !== null) {
  const sorted = tableOf(table, () => show())
  const body = table.tBodies[0]
  const more = document.createElement('button')
  more.type = 'button'
  more.className = 'more'
  let showsAll = false

  const show = () => {
    const words = searchKey(input.value).split(/\s+/)
    const matching = sorted().filter(({ text }) => words.every((word) => text.includes(word)))
    const shown = showsAll ? matching : matching.slice(0, atOnce)
    body?.replaceChildren(...shown.map(({ element }) => element))
    const rest = matching.length - shown.length
    more.textContent = `${table.dataset['more'] ?? ''} (${matching.length})`
    more.hidden = rest === 0
    const count = matching.length.toLocaleString(document.documentElement.lang)
    const text = matching.length === 0 ? found.dataset['none'] : `${count} ${found.dataset['words'] ?? ''}`
    found.textContent = text ?? ''
  }
  input.addEventListener('input', () => {
    showsAll = false
    show()
  })
  more.addEventListener('click', () => {
    showsAll = true
    show()
  })
  table.after(more)
  // A link can carry a search, and going back brings one back.
  const asked = new URLSearchParams(location.search).get('q')
  if (asked !== null) input.value = asked
  show()
}
