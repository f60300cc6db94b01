/** Asks a page for texts of separate elements that a person or a screen reader would read as one: `2021Distributions`. */
import type { Page } from 'playwright-core'

/** What is read as a whole, by its text alone: names of controls, what pops up, keys, headings. */
const named =
  '.tip, button, a, label, summary, legend, option, li, caption, figcaption, h1, h2, h3, h4, dt, dd, th, td, [role="status"], [role="option"]'

/**
 * Two texts are joined if no space lies between them in the document and a letter, a digit or a mark stands on each side:
 * within such an element always, elsewhere if they touch on the screen.
 * @returns a line for each pair
 */
export const joinedTexts = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(${findJoined})(${JSON.stringify(named)})`)

/** Runs in the browser. */
const findJoined = `(named) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
    node.data !== '' && node.parentElement.closest('script, style, noscript, template, pre, code, svg') === null
      ? NodeFilter.FILTER_ACCEPT
      : NodeFilter.FILTER_REJECT,
  )
  const boxOf = (node, from, to) => {
    const range = document.createRange()
    range.setStart(node, from)
    range.setEnd(node, to)
    return range.getBoundingClientRect()
  }
  const found = new Set()
  let before = null
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const last = before
    before = node
    if (last === null || last.parentElement === node.parentElement) continue
    // A colon or a comma ends with a space, an opening bracket begins a word.
    if (!/[\\p{L}\\p{N}%.,:;!?)]$/u.test(last.data) || !/^[\\p{L}\\p{N}(+\\u2212]/u.test(node.data)) continue
    const outer = node.parentElement.closest(named)
    const isNamed = outer !== null && outer.contains(last)
    const isSeen = [last, node].every(({ parentElement }) => parentElement.checkVisibility())
    const [end, start] = [boxOf(last, last.data.length - 1, last.data.length), boxOf(node, 0, 1)]
    const touches =
      isSeen &&
      Math.min(end.bottom, start.bottom) > Math.max(end.top, start.top) &&
      Math.abs(start.left - end.right) < 1
    if (isNamed || touches) {
      const place = (outer ?? node.parentElement).cloneNode(false).outerHTML.slice(0, 80)
      found.add((touches ? 'seen' : 'read') + ': ' + last.data.slice(-30) + '|' + node.data.slice(0, 30) + ' in ' + place)
    }
  }
  return [...found]
}`
