/** The files that all pages share: the style sheet and the icon. Whoever makes pages of the documentation adds them. */

import { readFileSync } from 'node:fs'
import type { Page } from '../contract/page.ts'
import { iconKey, styleKey } from './layout.ts'

export const pageAssets = (): readonly Page[] => [
  { key: styleKey, content: pageTemplate('pages/style.css') },
  { key: iconKey, content: pageTemplate('pages/icon.svg') },
]

/** @param path below `templates/` @throws {Error} when it is not there */
export function pageTemplate(path: string): string {
  return readFileSync(new URL(`../../templates/${path}`, import.meta.url), 'utf8')
}
