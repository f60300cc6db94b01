/** The colour of an asset class: the same class has the same colour in every chart and table, of every fund and in both languages. */

import { searchKey } from './formats.ts'

/**
 * German names of asset classes, as `searchKey` writes them, by colour: the style sheet has `--class-1` to `--class-12`. Classes
 * that usually lie on one another differ in lightness, so that they differ for colour-blind readers, too. Classes that hardly
 * any fund has together share a colour.
 */
const known: readonly (readonly string[])[] = [
  ['aktien', 'aktien industrielander'],
  ['anleihen', 'renten', 'rentenpapiere', 'staatsanleihen'],
  ['pfandbriefe & covered bonds', 'pfandbriefe', 'covered bonds', 'wandelanleihen', 'edelmetalle'],
  ['fonds', 'investmentfonds', 'zielfonds', 'aktien schwellenlander'],
  ['zertifikate', 'unternehmensanleihen'],
  ['liquiditat', 'kasse', 'barmittel', 'bankguthaben'],
  ['derivate', 'optionen', 'futures', 'terminkontrakte', 'optionsscheine'],
  ['immobilien'],
  ['beteiligungen an immobilien-gesellschaften', 'beteiligungen', 'rohstoffe'],
  ['geldmarktpapiere', 'geldmarkt', 'geldmarktinstrumente'],
  ['floater', 'sonstige', 'sonstiges'],
  ['termingelder', 'festgelder', 'kredite'],
]

const byName = new Map(known.flatMap((names, index) => names.map((name) => [name, index + 1] as const)))

/**
 * The CSS class of an asset class's colour. A name that is not known gets one of the same colours, by a sum over its letters:
 * a rank among the fund's classes would change from fund to fund.
 * @param germanName every class has it, so it says which class it is
 */
export function classColour(germanName: string): string {
  const name = searchKey(germanName).trim()
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return `c${byName.get(name) ?? (sum % known.length) + 1}`
}
