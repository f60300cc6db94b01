/**
 * HTML by template: what is put into it is escaped, unless it is HTML itself. Good for text and for attribute values in
 * double quotes; never put a value into a script, a style or an attribute without quotes.
 */

/** Markup that needs no escaping any more. Only {@link html} and {@link raw} make it. */
export interface Html {
  readonly markup: string
}

/** A list is joined; null and undefined are nothing. */
export type Part = Html | string | number | null | undefined | readonly Part[]

export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const pieces = withoutIndent(template)
  let markup = pieces[0] ?? ''
  parts.forEach((part, index) => (markup += markupOf(part) + (pieces[index + 1] ?? '')))
  return { markup }
}

/** The template's own indent is for whoever reads the source. (What is put into a `<pre>` is not touched.) */
function withoutIndent(template: TemplateStringsArray): readonly string[] {
  const known = indented.get(template)
  if (known !== undefined) return known
  const pieces = template.map((piece) => piece.replace(/\n\s+/g, '\n'))
  indented.set(template, pieces)
  return pieces
}

/** A template is the same object each time that its place in the source is run. */
const indented = new WeakMap<TemplateStringsArray, readonly string[]>()

/** Markup as it stands: for what was made from constants, or escaped elsewhere. */
export const raw = (markup: string): Html => ({ markup })

function markupOf(part: Part): string {
  if (part === null || part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return 'markup' in part ? part.markup : part.map(markupOf).join('')
}

/** Text for an element's content or a quoted attribute value. */
export function escapeHtml(text: string): string {
  return mayNeedEscape.test(text)
    ? text.replace(/[&<>"'\r]/g, (character) => `&#${character.charCodeAt(0)};`)
    : text
}

const mayNeedEscape = /[&<>"'\r]/

/**
 * A value as JSON for a `<script type="application/json">` or `ld+json`: neither its end nor a comment can stand in it.
 */
export const jsonForScript = (value: unknown): Html => raw(JSON.stringify(value).replace(/</g, '\\u003c'))
