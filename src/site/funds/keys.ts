/** The keys of the catalogue's files. Every fund whose data may be given out has pages. */

import type { Language } from '../../api/routes/table.ts'

export const fundPageKeys = (isin: string): Readonly<Record<Language, string>> => ({
  de: `funds/${isin}/de.html`,
  en: `funds/${isin}/index.html`,
})

/** Their templates are `pages/<name>`. */
export const catalogueStyleKey = 'funds/catalogue.css'
export const fundScriptKey = 'funds/fund.js'
export const listScriptKey = 'funds/list.js'
