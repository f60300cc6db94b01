/** The dialect of the guides: what a writer may use, and what ends the build. */
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../src/extensions/describe/markdown.ts'

const render = (text: string) => renderMarkdown(text, (address) => `to:${address}`, 'Example')

describe('Markdown of a guide', () => {
  it('has a lead below the title, and ids of headings', () => {
    expect(
      render('# Recipes\n\nThe most common questions.\n\n## The last price {#last}\n\nOne line.\n'),
    ).toBe(
      '<h1>Recipes</h1>\n<p class="lead">The most common questions.</p>\n<h2 id="last">The last price</h2>\n<p>One line.</p>\n',
    )
  })

  it('makes one list of terms that follow each other, with line breaks, links and code in their definitions', () => {
    const text =
      'ISIN\n: Upper or\n  `lower` case.\n\nDates\n: ISO 8601.\n: See [lists](lists/index.html#day).\n\nEnd.\n'
    expect(render(text)).toBe(
      [
        '<dl class="decisions">',
        '<dt>ISIN</dt>',
        '<dd>Upper or',
        '  <code>lower</code> case.</dd>',
        '<dt>Dates</dt>',
        '<dd>ISO 8601.</dd>',
        '<dd>See <a href="to:lists/index.html#day">lists</a>.</dd>',
        '</dl>',
        '<p>End.</p>',
        '',
      ].join('\n'),
    )
  })

  it('has tables, and blocks of code that can be copied and scrolled', () => {
    expect(render('| a | b |\n|---|---|\n| 1 | `<2>` |\n')).toContain('<td><code>&#60;2&#62;</code></td>')
    expect(render('```sh\ncurl "$url" | jq .\n```\n')).toBe(
      '<div class="code" data-copy><pre tabindex="0" role="group" aria-label="Example"><code>curl &#34;$url&#34; | jq .</code></pre></div>\n',
    )
  })

  it('leaves fragments, escapes text and code, and keeps a fixed space', () => {
    expect(render('[all](#all): a < b & `c < d && "e"`, ISO&#160;8601')).toBe(
      '<p><a href="#all">all</a>: a &lt; b &amp; <code>c &#60; d &#38;&#38; &#34;e&#34;</code>, ISO\u00a08601</p>\n',
    )
  })

  it.each(['<script>alert(1)</script>', 'a <b>word</b>', '<!-- a remark -->', 'for <isin> alone'])(
    'refuses HTML: %s',
    (text) => {
      expect(() => render(text)).toThrow(/^a guide may not have HTML: </)
    },
  )

  it('refuses a heading without an id, to which nobody could link', () => {
    expect(() => render('# Title\n\n## Part\n')).toThrow('the heading Part has no {#id}')
  })
})
