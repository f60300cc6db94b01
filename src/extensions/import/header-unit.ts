/** The unit that a header names beside a column: `Fondsvolumen in Mio. EUR`, `Weight (%)`, `NAV in EUR`. Pure. */

import { currencyFault } from '../../core/data/model/currencies.ts'

export interface HeaderUnit {
  /** The name without the unit; all of it if it names none. */
  readonly bare: string
  /** How many of its units one is: 1000000 in `Mio.`. */
  readonly factor: number
}

const factors: readonly (readonly [words: string, factor: number])[] = [
  ['tsd tausend thousand thousands teur keur tsd.', 1000],
  ['mio mill mln mn million millions millionen meur mio. mill. mln.', 1_000_000],
  ['mrd bn billion billions milliarde milliarden milliards mrd. bn.', 1_000_000_000],
]
const factorsByWord = new Map(
  factors.flatMap(([words, factor]) => words.split(' ').map((word) => [word, factor] as const)),
)

const scaleWords = [...factorsByWord.keys()].map((word) => word.replaceAll('.', String.raw`\.`)).join('|')
/** In brackets, behind `in`, a percent sign, or a word for thousands or more. */
const withUnit = new RegExp(
  String.raw`^(?<bare>.+?)\s*(?:[([]\s*(?:in )?(?<bracketed>[^()[\]]+?)\s*[)\]]|\s(?:in|en|w) (?<behind>\S.*)|(?<percent>%)|\s(?<scale>(?:${scaleWords})(?: .*)?))$`,
  'u',
)

/** @param name in small letters, with single blanks */
export function headerUnit(name: string): HeaderUnit {
  const none = { bare: name, factor: 1 }
  const { bare, bracketed, behind, percent, scale } = withUnit.exec(name)?.groups ?? {}
  const unit = bracketed ?? behind ?? percent ?? scale
  if (bare === undefined || unit === undefined) return none
  const words = unit
    .replace(/[€$£%]/g, ' $& ')
    .trim()
    .split(/\s+/)
  const isUnit = words.every((word) => factorsByWord.has(word) || isOfUnit(word))
  if (!isUnit) return none
  return { bare, factor: words.reduce((product, word) => product * (factorsByWord.get(word) ?? 1), 1) }
}

const isOfUnit = (word: string) =>
  /^[€$£%]$/.test(word) || (word.length === 3 && currencyFault(word.toUpperCase()) === undefined)
