/** The same answer in other forms: the values of its `Link`. */

import { formats, languages, type Format, type Language } from '../routes/table.ts'
import type { Wanted } from './resolve.ts'

/** The other formats in this language, this format in the other languages. Source: RFC 8288. */
export function alternates(path: string, { format, language }: Wanted): string[] {
  const link = (otherFormat: Format, otherLanguage: Language | null) => {
    const inLanguage = otherLanguage === null ? '' : `&language=${otherLanguage}`
    const hreflang = otherLanguage === language ? '' : `; hreflang="${otherLanguage}"`
    return `<${path}?format=${otherFormat}${inLanguage}>; rel="alternate"; type="application/${otherFormat}"${hreflang}`
  }
  return formats
    .filter((other) => other !== format)
    .map((other) => link(other, language))
    .concat(
      language === null
        ? []
        : languages.filter((other) => other !== language).map((other) => link(format, other)),
    )
}
