/**
 * HTML by template, which escapes every value that is not HTML itself. Never put a value into a script, a style or an
 * attribute without quotes. Also sections, tables, figures and drawings.
 */

import type { Publisher } from '../api/contract/page.ts'
import type { Language } from '../api/routes/table.ts'
import { decimalIn, percentSign } from './formats.ts'
import { wording } from './wording.ts'

/** Escaped markup. Only {@link html} and {@link raw} make it. */
export interface Html {
  readonly markup: string
}

/** A value in a template, which joins lists and skips null, undefined and false. */
export type HtmlContent = Html | string | number | false | null | undefined | readonly HtmlContent[]

export function html(template: TemplateStringsArray, ...parts: readonly HtmlContent[]): Html {
  let pieces = unindented.get(template)
  if (pieces === undefined) {
    // The template's indent is for readers of the source. The content of a `<pre>` is a value, and keeps its own.
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

/** A space replaces characters that HTML cannot hold, not even as a reference. Source: HTML Standard, 13.1.4. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'\0-\x08\v\x0e-\x1f\r\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g, (character) =>
    /[&<>"']/.test(character) ? `&#${character.charCodeAt(0)};` : ' ',
  )

/** Data for search engines, as JSON that can hold neither the script's end nor a comment. Source: schema.org. */
export const linkedData = (value: unknown): Html =>
  html`<script type="application/ld+json">
    ${raw(JSON.stringify(value).replace(/[<\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g, asEscape))}
  </script> `

const asEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * A relative link between two files of a snapshot by file names, for `file://`: `../index.html#errors`.
 * @param from key of the page, `docs/de/index.html` @param to key of the file, `docs/index.html#errors`
 */
export function linkTo(from: string, to: string): string {
  const here = from.split('/').slice(0, -1)
  const there = to.split('/')
  let common = 0
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++
  return '../'.repeat(here.length - common) + there.slice(common).join('/')
}

/**
 * An address, or a command with one: its line breaks after slashes and at spaces only, so that no code and no day is broken, and
 * no slash or apostrophe is alone.
 */
export const addressText = (text: string): Html =>
  html`${text
    .split(/(?<=.\/)(?=[^/'])/)
    .map((piece, index) => [
      index > 0 && raw('<wbr />'),
      piece.includes('-') ? html`<span class="whole">${piece}</span>` : piece,
    ])}`

export const section = (id: string, heading: string, content: HtmlContent): Html =>
  html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section> `

export interface Styled {
  readonly content: HtmlContent
  readonly kind?: string
  readonly attributes?: Html
}
export type TableCell = HtmlContent | Styled

interface HtmlTable extends Omit<Styled, 'content'> {
  /** For screen readers. */
  readonly caption?: string
  /** A column's cells have the classes of its heading. */
  readonly columns: readonly TableCell[]
  /** The first cell is the row's heading. */
  readonly rows: readonly (readonly TableCell[])[]
}

export function table({ caption, columns, rows, ...style }: HtmlTable): Html {
  const styled = columns.map((column) => styledAs(column))
  const headings = styled.map((column) => element('th scope="col"', column))
  const body = rows.map((cells) => {
    const row = cells.map((cell, index) =>
      element(index === 0 ? 'th scope="row"' : 'td', styledAs(cell, styled[index]?.kind)),
    )
    return `<tr>${row.join('')}</tr>\n`
  })
  const title = caption === undefined ? '' : `<caption class="unseen">${escapeHtml(caption)}</caption>`
  const head = `<thead><tr>${headings.join('')}</tr></thead>`
  return raw(element('table', { ...style, content: raw(`${title}${head}<tbody>\n${body.join('')}</tbody>`) }))
}

/** A table that may be wider than the page: readers without a mouse must be able to scroll it. */
export const wideTable = (label: string, content: HtmlTable): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">${table(content)}</div> `

function styledAs(cell: TableCell, kind = ''): Styled {
  const isStyled = typeof cell === 'object' && cell !== null && 'content' in cell
  return isStyled ? { kind, ...cell } : { content: cell, kind }
}

function element(tag: string, { content, kind = '', attributes }: Styled): string {
  const start = `${tag}${kind === '' ? '' : ` class="${kind}"`}${attributes?.markup ?? ''}`
  return `<${start}>${markupOf(content)}</${tag.replace(/ .*/, '')}>`
}

/** A name and its value in a `<dl>`, with a remark below. */
export const figure = (name: HtmlContent, value: HtmlContent, below?: HtmlContent): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
    ${below !== undefined && html`<dd class="below">${below}</dd> `}
  </div> `

/** An English page marks a German category as German. Not for names: most have no translation. */
export const categoryIn = (language: Language, german: string, english: string | null): HtmlContent =>
  language === 'en' ? (english ?? html`<span lang="de">${german}</span>`) : german

/** A name is the same in both languages. `<bdi>`: written from right to left, it must not turn its neighbours round. */
export const fundName = (publisher: Publisher | null, name: string): Html =>
  publisher?.fundNames ? html`<bdi lang="${publisher.fundNames}">${name}</bdi>` : html`<bdi>${name}</bdi>`

export const noValue = (language: Language): Html =>
  html`<span role="img" aria-label="${wording[language].shell.noValue}">–</span>`

/** A change in percent as decimal text, digit for digit, and the class of its colour: none for 0. */
export function changeOf(language: Language, decimal: string) {
  const value = Number(decimal)
  const text = `${value > 0 ? '+' : ''}${decimalIn(language, decimal)}${percentSign(language)}`
  return { text, tone: value > 0 ? 'good' : value < 0 ? 'bad' : '' }
}

/** @param decimal change in percent, or null @param kind further CSS classes */
export function changeCell(language: Language, decimal: string | null, kind: string): Styled {
  if (decimal === null) return { content: noValue(language), kind }
  const { text, tone } = changeOf(language, decimal)
  return { content: text, kind: `${kind} ${tone}`.trimEnd() }
}

interface Drawing {
  readonly id: string
  readonly title: string
  /** For screen readers, unless a table beside it has the figures. */
  readonly description?: string
  readonly height: number
  /** Markup of `chart/`. */
  readonly shapes: string
  readonly kind?: string
}

/** An `<svg>` as wide as its place, with a title and a description for screen readers, in a place for the script. */
export function drawing({ id, title, description, height, shapes, kind = '' }: Drawing): Html {
  const described = description !== undefined && html` aria-describedby="${id}-text"`
  return html`<div class="stage">
    <svg
      class="canvas${kind}"
      role="img"
      aria-labelledby="${id}-title"
      ${described}
      height="${height}"
      width="100%"
    >
      <title id="${id}-title">${title}</title>
      ${description !== undefined && html`<desc id="${id}-text">${description}</desc> `}${raw(shapes)}
    </svg>
  </div> `
}

/** Two views of the same thing, of which one is shown: the first, until the reader chooses. Without a script. */
export const twoViews = (name: string, legend: string, views: readonly (readonly [string, Html])[]): Html =>
  html`<div class="views">
    ${tabs(
      name,
      legend,
      views.map(([label]) => ({ label })),
    )}
    ${views.map(([, view]) => html`<div class="view">${view}</div> `)}
  </div> `

interface Tab {
  readonly label: string
  /** For styles and scripts. */
  readonly value?: string
}

/** A choice of views, the first of which is chosen. */
export const tabs = (name: string, legend: string, all: readonly Tab[]): Html =>
  html`<fieldset class="tabs">
    <legend class="unseen">${legend}</legend>
    ${all.map(
      ({ label, value }, index) =>
        html`<label
          ><input
            type="radio"
            name="${name}"
            ${value !== undefined && html` value="${value}"`}
            ${index === 0 && raw('checked ')}
          />${label}</label
        > `,
    )}
  </fieldset>`
