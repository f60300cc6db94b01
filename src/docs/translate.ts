/** What declarations say in English, in the language of a page. */

import type { Language } from '../routes/table.ts'
import german from './german.json' with { type: 'json' }

const germanOf: Readonly<Record<string, string | undefined>> = german

/** @returns the English text itself where it has no translation */
export const translate = (english: string, language: Language): string =>
  language === 'de' ? (germanOf[english] ?? english) : english
