/** Guides as Markdown: the few elements that they use, no more. */

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' }
const decode = (text: string) =>
  text.replace(/&(?:#(\d+)|(lt|gt|amp));/g, (_, code: string | undefined, name: string) =>
    code === undefined ? (named[name] ?? '') : String.fromCharCode(Number(code)),
  )

/** Elements whose text is for the page only. */
const skipped = /<(legend|label|h1|p class="(?:actions|lead))\b[^]*?<\/(?:legend|label|h1|p)>/g

/**
 * @param markup a fragment of our own: headings, paragraphs, lists, code and links
 * @param page absolute address of its page: links become absolute
 * @param depth how many orders its headings go down
 */
export function markdownOf(markup: string, page: string, depth: number): string {
  const blocks: string[] = []
  const parts = markup.replace(skipped, '').split(/(<pre\b[^]*?<\/pre>)/)
  for (const part of parts)
    blocks.push(...(part.startsWith('<pre') ? [codeOf(part)] : textBlocks(part, page, depth)))
  return blocks.join('\n\n')
}

function codeOf(pre: string): string {
  const label = /aria-label="([^"]*)"/.exec(pre)?.[1] ?? ''
  const code = decode(pre.replace(/<[^<>]+>/g, '')).trimEnd()
  return `${label}:\n\n\`\`\`\n${code}\n\`\`\``
}

function textBlocks(markup: string, page: string, depth: number): string[] {
  const inline = (text: string) =>
    decode(
      text
        .replace(/<a\s([^<>]*)>([^]*?)<\/a\s*>/g, (_, attributes: string, name: string) => {
          const [, to = ''] = /href="([^"]*)"/.exec(attributes) ?? []
          return `[${name}](${new URL(decode(to), page).href})`
        })
        .replace(/<\/?code\b[^<>]*>/g, '`')
        .replace(/<[^<>]+>/g, ''),
    )
      .replace(/\s+/g, ' ')
      .trim()
  const blocks = [...markup.matchAll(/<(h[2-4]|p|li|dt|dd)\b[^<>]*>([^]*?)<\/\1\s*>/g)]
  return blocks.flatMap(([, name = '', content = '']) => {
    const text = inline(content)
    if (text === '') return []
    if (name.startsWith('h')) return [`${'#'.repeat(Number(name[1]) + depth)} ${text}`]
    if (name === 'dt') return [`**${text}**`]
    return [name === 'li' ? `- ${text}` : text]
  })
}
