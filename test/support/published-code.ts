/** Programs on the pages of the documentation, as readers copy them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names of all on a page. @param page its markup */
export const codeNames = (page: string) =>
  [...page.matchAll(/data-recipe="([\w-]+)"/g)].map(([, name = '']) => name)

/** @param page its markup */
export function codeOn(page: string, name: string): string {
  const pattern = new RegExp(`<(pre|dl)[^>]*data-recipe="${name}"[^>]*>([^]*?)</\\1>`)
  const [, , markup = ''] = pattern.exec(page) ?? []
  return markup
    .replace(/<\/?(?:code|(?:span|wbr)\b[^>]*)>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&amp;', '&')
}

/** The markup of a guide of a snapshot. */
export const guideOf = (out: string, guide: string, language: string) =>
  readFileSync(join(out, `docs/${language === 'en' ? '' : 'de/'}${guide}/index.html`), 'utf8')
