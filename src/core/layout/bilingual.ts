import type { Language } from '../api/routes/table.ts'

type Say = <Word>(english: Word, german: Word) => Word

/** Words in both languages, side by side. @param words gets a function that picks from a pair */
export const bilingual = <Words>(words: (say: Say) => Words): Readonly<Record<Language, Words>> => ({
  en: words((english) => english),
  de: words((_, german) => german),
})
