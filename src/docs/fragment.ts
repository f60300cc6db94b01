/** Pages that people write: HTML fragments in `templates/docs`, a file a language, with places that are filled in. */

import { html, raw, type Html } from '../pages/html.ts'
import { linkTo } from '../pages/link.ts'
import type { Language } from '../routes/table.ts'
import type { Heading } from './site.ts'
import { docKey } from './site.ts'

export interface Place {
  /** Key of the page that the fragment becomes part of. */
  readonly key: string
  readonly language: Language
  /** By the name in `{{name}}`. */
  readonly blocks: Readonly<Record<string, Html | string>>
}

/**
 * Fills in `{{name}}` (text is escaped), `{{to KEY}}` (a link to a file of the snapshot) and `{{doc PATH}}` (a link to
 * a page of the documentation in the fragment's language).
 * @throws {Error} for a place that nothing is known of
 */
export function fillFragment(fragment: string, { key, language, blocks }: Place): Html {
  const fill = (_: string, name: string, argument: string | undefined): string => {
    if (argument !== undefined && name === 'to') return html`${linkTo(key, argument)}`.markup
    if (argument !== undefined && name === 'doc')
      return html`${linkTo(key, docKey(language, argument))}`.markup
    const block = blocks[name]
    if (block === undefined || argument !== undefined) throw new Error(`${key}: no {{${name}}} is known`)
    return html`${block}`.markup
  }
  return raw(fragment.replace(/\{\{(\w+)(?: ([^{}]+))?\}\}/g, fill))
}

/** The headings of the second order that can be jumped to. */
export function headingsOf({ markup }: Html): readonly Heading[] {
  return [...markup.matchAll(/<h2 id="([\w-]+)">([^<]+)<\/h2>/g)].map(([, id = '', text = '']) => ({
    id,
    text: text.trim(),
  }))
}
