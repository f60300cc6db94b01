/** How names are compared when they are searched and sorted: without accents, in lower case. */

/** `Möwenstein Straße` is `mowenstein strasse`. */
export const searchKey = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøðþłı]/g, (letter) => plain[letter] ?? letter)

/** Letters that are no others with a mark. */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}
