/** The keys of a fund's pages. Every fund has them whose data may be given out. */

import type { Language } from './chart/formats.ts'

export const fundPageKeys = (isin: string): Readonly<Record<Language, string>> => ({
  de: `funds/${isin}/de.html`,
  en: `funds/${isin}/index.html`,
})
