/** Code as readers see it: a compact document in lines, and the pieces that have a colour. Pure: pages and the explorer's script share it. */

import type { DocumentFormat } from '../../core/api/routes/table.ts'

export interface Piece {
  /** Class of its colour; undefined for a piece without one. */
  readonly kind: string | undefined
  readonly text: string
}

/** The name of a group is the class of a piece. Each pattern matches any text, piece by piece: none is lost where a text was cut. */
export const patterns = {
  json: /(?<k>"(?:\\.|[^"\\])*"(?=:))|(?<s>"(?:\\.|[^"\\])*")|(?<c>…[^\n]*)|(?<n>[\w.+-]+)|[^"…\w.+-]+|./gsy,
  /** Tags and names of attributes are the names of XML. The text of an element is a number or a text. */
  xml: /(?<c><!--.*?-->|<\?.*?\?>)|(?<k><\/?[^\s<>="/]+|\s[^\s<>="/]+=|\/?>)|(?<n>(?<=>)-?\d+(?:\.\d+)?(?=<))|(?<s>(?<==)"[^"<]*"|(?<=>)[^\s<>][^<>]*(?=<\/))|[^<>"\s/]+|./gsy,
  /** Comments, texts and numbers look the same in all of these languages. The port of an address is no number. */
  program:
    /(?<c>(?<!\S)(?:#|--|\/\/) [^\n]*)|(?<s>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<n>(?<![\w./@:])\d+(?:\.\d+)?(?![\w./-]))|[^"'#/\d-]+|./gsy,
} as const

export const piecesOf = (text: string, pattern: RegExp): readonly Piece[] =>
  Array.from(text.matchAll(pattern), ({ 0: piece, groups = {} }) => ({
    kind: Object.keys(groups).find((each) => groups[each] !== undefined),
    text: piece,
  }))

/** Parts of a compact document, each of which may have a line: what begins, what ends, or a member without members. */
const syntax = {
  json: {
    part: /("(?:\\.|[^"\\])*":)?((?:"(?:\\.|[^"\\])*"|\{\}|\[\]|[^"{}[\],]+|[{}[\]]),?)/gy,
    begins: /[{[]$/,
    ends: /^[}\]]/,
    gap: ' ',
    separator: ',',
  },
  xml: {
    part: /<[^/>]+>[^<]+<\/[^>]+>|<[^>]+>/gy,
    begins: /^<[^/>]+>$/,
    ends: /^<\//,
    gap: '',
    separator: '',
  },
}

/** Counts of the members that are left out, in the order in which what holds them ends. */
interface LeftOut {
  readonly hidden: readonly number[]
  /** For example `n => '… 5 more'`. */
  readonly more: (hidden: number) => string
}

/**
 * A compact document, indented; what fits into a line has one. Works on the text: an object would put keys that look like
 * numbers first. @param text without a declaration of XML @param width characters of a line, without its indent
 * @returns a text that is no such document as it is
 */
export function laidOut(format: DocumentFormat, text: string, width: number, leftOut?: LeftOut): string {
  const { part, begins, ends, gap, separator } = syntax[format]
  const parts = [...text.matchAll(part)]
  if (parts.reduce((sum, { 0: each }) => sum + each.length, 0) !== text.length) return text
  const counts = leftOut?.hidden.values()
  const lines: string[] = []
  /** Lines that begin what has not ended, and the first line after the last count: what holds a count is not joined. */
  const open: number[] = []
  let free = 0
  const add = (line: string) => lines.push('  '.repeat(open.length) + line)
  const end = (line: string) => {
    const start = open.pop() ?? 0
    const inside = lines.slice(start)
    const isFree = start >= free && inside.length <= most
    const joined = isFree ? [...inside.map((each) => each.trim()), line].join(gap) : ''
    const isShort = isFree && joined.length <= width
    if (isShort) lines.splice(start)
    add(isShort ? joined : line)
  }
  for (const [whole, name, member = ''] of parts) {
    const line = name === undefined ? whole : `${name} ${member}`
    if (ends.test(line)) {
      const count = counts?.next().value ?? 0
      if (leftOut !== undefined && count > 0) {
        lines.push(`${lines.pop() ?? ''}${separator}`)
        free = add(format === 'xml' ? `<!-- ${leftOut.more(count)} -->` : leftOut.more(count))
      }
      end(line)
    } else {
      add(line)
      if (begins.test(line)) open.push(lines.length - 1)
    }
  }
  return lines.join('\n')
}

/** Lines that may fit into one: joining all of a long document at each depth would take long. */
const most = 40
