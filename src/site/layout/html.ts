/**
 * HTML by template: it escapes every value, unless the value is HTML itself. It is safe for text and for attribute values
 * in double quotes; never put a value into a script, a style or an attribute without quotes.
 */

/** Markup that is escaped already. Only {@link html} and {@link raw} make it. */
export interface Html {
  readonly markup: string
}

/** A value in a template, which joins lists and skips null, undefined and false. */
export type HtmlContent = Html | string | number | false | null | undefined | readonly HtmlContent[]

export function html(template: TemplateStringsArray, ...parts: readonly HtmlContent[]): Html {
  let pieces = unindented.get(template)
  if (pieces === undefined) {
    // The template's own indent is for readers of the source. The content of a `<pre>` is a value, and keeps its own.
    pieces = template.map((piece) => piece.replace(/\n\s+/g, '\n'))
    unindented.set(template, pieces)
  }
  let markup = pieces[0] ?? ''
  for (const [index, part] of parts.entries()) markup += markupOf(part) + (pieces[index + 1] ?? '')
  return { markup }
}

/** A template is the same object each time its place in the source runs. */
const unindented = new WeakMap<TemplateStringsArray, readonly string[]>()

/** Markup unchanged: for text made from constants, or escaped elsewhere. */
export const raw = (markup: string): Html => ({ markup })

export function markupOf(part: HtmlContent): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return 'markup' in part ? part.markup : part.map(markupOf).join('')
}

/** Text for an element's content or a quoted attribute value. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'\r]/g, (character) => `&#${character.charCodeAt(0)};`)

/** A value as JSON for a `<script type="application/ld+json">`: it can hold neither the script's end nor a comment. */
export const jsonForScript = (value: unknown): Html => raw(JSON.stringify(value).replace(/</g, '\\u003c'))

/**
 * A link between two files of a snapshot: relative and by file names, so that it works from `file://` too.
 * @param from key of the page that holds the link: `docs/de/index.html`
 * @param to key of the file, a fragment may follow: `docs/index.html#errors`
 * @returns for example `../index.html#errors`
 */
export function linkTo(from: string, to: string): string {
  const here = from.split('/').slice(0, -1)
  const there = to.split('/')
  let common = 0
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++
  return '../'.repeat(here.length - common) + there.slice(common).join('/')
}
