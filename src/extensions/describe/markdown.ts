/** Markdown of a guide to HTML. The dialect is CommonMark with tables, ids of headings and lists of definitions; it has no HTML. */

import { Marked } from 'marked'
import { addressText, html, raw } from '../../core/layout/html.ts'
import { codeBlock } from './site.ts'

/**
 * Renders a guide. A heading says its id: `## Quick start {#start}`. A term is above its definition, which begins with `: `.
 * The paragraph below the title is the lead.
 * @param linkOf makes the link of an address, which is no fragment @param code names a block of code for screen readers
 * @throws {Error} for HTML, and for a heading without an id
 */
export function renderMarkdown(text: string, linkOf: (address: string) => string, code: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1>${content}</h1>\n`
        const [, title, id] = /^([^{]+) \{#([\w-]+)\}$/.exec(content) ?? []
        if (title === undefined || id === undefined) throw new Error(`the heading ${content} has no {#id}`)
        return `<h${depth} id="${id}">${title}</h${depth}>\n`
      },
      paragraph({ tokens }) {
        const [content = '', ...definitions] = this.parser.parseInline(tokens).split('\n: ')
        if (definitions.length === 0) return `<p>${content}</p>\n`
        const described = definitions.map((definition) => `<dd>${definition}</dd>\n`)
        return `${listStart}<dt>${content}</dt>\n${described.join('')}${listEnd}`
      },
      link({ href, tokens }) {
        const to = href.startsWith('#') ? href : linkOf(href)
        return html`<a href="${to}">${raw(this.parser.parseInline(tokens))}</a>`.markup
      },
      codespan: ({ text }) => html`<code>${addressText(text)}</code>`.markup,
      code: (block) => `${codeBlock(block.text, code, true).markup}\n`,
      html(token) {
        throw new Error(`a guide may not have HTML: ${token.text.trim()}`)
      },
    },
  })
  return marked
    .parser(marked.lexer(text))
    .replace('</h1>\n<p>', '</h1>\n<p class="lead">')
    .replaceAll(listEnd + listStart, '')
}

/** Around each term. Terms that follow each other are one list. */
const listStart = '<dl class="decisions">\n'
const listEnd = '</dl>\n'
