import { expect, it } from 'vitest'
import { addressText, html, linkedData, linkTo, raw } from '../../../src/core/layout/html.ts'

it('escapes values in a template, in text and in attributes', () => {
  const hostile = `</script><b>"&'`
  expect(html`<p title="${hostile}">${hostile}</p>`.markup).toBe(
    '<p title="&#60;/script&#62;&#60;b&#62;&#34;&#38;&#39;">&#60;/script&#62;&#60;b&#62;&#34;&#38;&#39;</p>',
  )
})

it('writes a space for what HTML cannot hold, and keeps line feeds, tabs and all letters', () => {
  expect(html`${'a\rb\x85c\0d\x1be\x7ff\ufdd0g\uffffh\n\ti ÄÖ€😀'}`.markup).toBe('a b c d e f g h\n\ti ÄÖ€😀')
  expect(linkedData('\x85\r\uffff').markup).toContain(String.raw`"\u0085\r\uffff"`)
})

it('keeps markup, joins lists, and writes nothing for null and undefined', () => {
  expect(html`${[html`<i>${1}</i>`, raw('<br>'), ['a', '<']]}${null}${undefined}`.markup).toBe(
    '<i>1</i><br>a&#60;',
  )
})

it('removes the indent of a template, but not of a value', () => {
  const markup = html`<pre>${'a\n    b'}</pre>
    <p></p>`.markup
  expect(markup).toBe('<pre>a\n    b</pre>\n<p></p>')
})

it('writes JSON that cannot end its script element', () => {
  expect(linkedData({ name: '</script><!--' }).markup.split('\n')[1]).toBe(
    String.raw`{"name":"\u003c/script>\u003c!--"}`,
  )
})

it.each([
  ['docs/index.html', 'docs/assets/style.css', 'assets/style.css'],
  ['docs/de/index.html', 'docs/index.html#errors', '../index.html#errors'],
  ['funds/DE000FP06UX9/index.html', 'docs/assets/style.css', '../../docs/assets/style.css'],
  ['funds/index.html', 'funds/index.html', 'index.html'],
  ['funds/index.html', 'openapi.json', '../openapi.json'],
])('links from %s to %s as %s', (from, to, link) => {
  expect(linkTo(from, to)).toBe(link)
})

it.each([
  ['/api/v1/prices-current/', '/api/<wbr />v1/<wbr /><span class="whole">prices-current/</span>'],
  ["curl 'https://a.example/x/'", 'curl &#39;https://<wbr />a.example/<wbr />x/&#39;'],
])(
  'lets an address break after its slashes, so that no slash and no apostrophe is alone: %s',
  (text, expected) => {
    expect(addressText(text).markup).toBe(expected)
  },
)
