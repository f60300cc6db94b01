/** Code in colours: of answers, and of programs in any of the languages of the recipes. Pure. */

import { addressText, html, type Html, type HtmlContent } from '../../core/layout/html.ts'

/** @param pattern matches all of the text, piece by piece; the name of a group is the class of a piece */
export function coloured(
  text: string,
  pattern: RegExp,
  show: (piece: string) => HtmlContent = (piece) => piece,
): Html {
  const pieces = Array.from(text.matchAll(pattern), ({ 0: piece, groups = {} }) => {
    const kind = Object.keys(groups).find((each) => groups[each] !== undefined)
    return kind === undefined ? piece : html`<span class="${kind}">${show(piece)}</span>`
  })
  return html`${pieces}`
}

/** Comments, texts and numbers look the same in all of these languages. The port of an address is no number. */
const program =
  /(?<c>(?<!\S)(?:#|--|\/\/) [^\n]*)|(?<s>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<n>(?<![\w./@:])\d+(?:\.\d+)?(?![\w./-]))|[^"'#/\d-]+|./gsy

/** An address breaks after slashes. */
export const colouredProgram = (text: string): Html =>
  coloured(text, program, (piece) => (/\s/.test(piece) ? piece : addressText(piece)))
