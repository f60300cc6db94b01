/** Asks a page for codes, dates and amounts that stand on two lines: `DE000ODDONE / 8`, `28 Feb / 2025`. */
import type { Page } from 'playwright-core'

/** What a reader copies or compares as a whole. A space of a text may be one that breaks: the screen decides. */
const whole = [
  // An ISIN, and a WKN beside its name.
  String.raw`\b[A-Z]{2}[A-Z0-9]{9}[0-9]\b`,
  String.raw`(?<=WKN\s)[A-Z0-9]{6}\b`,
  // Days: ISO 8601, German, English.
  String.raw`\b\d{4}-\d\d-\d\d\b`,
  String.raw`\b\d\d\.\d\d\.\d{4}\b`,
  String.raw`\b\d{1,2}\s(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s\d{4}\b`,
  // Amounts and percentages in both languages.
  String.raw`\b(?:EUR|USD|GBP|CHF|SEK|JPY)\s[-+\u2212]?[\d,.]*\d\b`,
  String.raw`[-+\u2212]?\b\d[\d,.]*\s(?:EUR|USD|GBP|CHF|SEK|JPY)\b`,
  String.raw`[-+\u2212]?\b\d[\d,.]*\s?%`,
]

/** @returns a line for each text that is broken, with the element around it */
export const brokenTexts = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(${findBroken})(${JSON.stringify(whole.join('|'))})`)

/** Runs in the browser. */
const findBroken = `(whole) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest('script, style, noscript, template, svg') === null && node.parentElement.checkVisibility({ visibilityProperty: true })
      ? NodeFilter.FILTER_ACCEPT
      : NodeFilter.FILTER_REJECT,
  )
  const found = new Set()
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const { 0: text, index } of node.data.matchAll(new RegExp(whole, 'g'))) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + text.length)
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ bottom }) => Math.round(bottom)))
      if (lines.size > 1) found.add(text + ' in ' + node.parentElement.cloneNode(false).outerHTML.slice(0, 100))
    }
  }
  return [...found]
}`
