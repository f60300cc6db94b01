/** HTML out of template literals: whatever is put in is escaped, unless it is HTML itself. Pure. */

/** Text that is HTML already. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | readonly Html[]

/** In element content and in attribute values in double quotes; nowhere else, and never within a script. */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, index) => text + written(parts[index])).join('') }
}

function written(part: Part | undefined): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part))
  return 'html' in part ? part.html : part.map((one) => one.html).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
