/** The colour of an asset class, the same in every chart and table, of every fund and in both languages. */

import { searchKey } from '../../../../core/layout/formats.ts'

/**
 * German names, as `searchKey` writes them, by colour (`--class-1` to `--class-12`). Classes that usually touch differ
 * in lightness, for colour-blind readers. Classes that rarely meet share a colour.
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

/** The CSS class of a colour. Unknown names get a sum over their letters: a rank would change from fund to fund. */
export function classColour(germanName: string): string {
  const name = searchKey(germanName).trim()
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return `c${byName.get(name) ?? (sum % known.length) + 1}`
}
