/** Code in colours, as HTML: of answers, and of programs in any of the languages of the recipes. Pure. */

import { addressText, html, type Html, type HtmlContent } from '../../core/layout/html.ts'
import { patterns, piecesOf } from './laid-out.ts'

export const coloured = (
  text: string,
  pattern: RegExp,
  show: (piece: string) => HtmlContent = (piece) => piece,
): Html =>
  html`${piecesOf(text, pattern).map(({ kind, text: piece }) =>
    kind === undefined ? piece : html`<span class="${kind}">${show(piece)}</span>`,
  )}`

/** An address breaks after slashes. */
export const colouredProgram = (text: string): Html =>
  coloured(text, patterns.program, (piece) => (/\s/.test(piece) ? piece : addressText(piece)))
