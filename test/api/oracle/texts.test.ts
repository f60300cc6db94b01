/** The oracle's texts and its negotiation, held to literal values; its XML to xmlbuilder2 as well. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Tree, numberText, toJson, toXml } from '../../../src/extensions/conform/oracle/document.ts'
import { acceptedFormat, acceptedLanguage } from '../../../src/extensions/conform/oracle/negotiate.ts'
import { decodePercent } from '../../../src/extensions/conform/oracle/route.ts'
import { byXmlbuilder, document, type Plain } from '../encode/documents.ts'

describe('texts', () => {
  it('writes numbers in their shortest form without an exponent', () => {
    expect([1e-7, -1.5e-10, 1e21, 1.2345e22, 100, -0.1, 0.1 + 0.2, -0].map(numberText)).toEqual([
      '0.0000001',
      '-0.00000000015',
      '1000000000000000000000',
      '12345000000000000000000',
      '100',
      '-0.1',
      '0.30000000000000004',
      '0',
    ])
  })

  it('escapes text and keys as the contract says', () => {
    const awkward = '&amp; <"\'> \r\n\t'
    const tree = { a: awkward, b: new Map([[awkward, true]]), c: '', d: null, e: false }
    expect(toXml(tree)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<root><a>&amp;amp; &lt;"\'&gt; &#xD;\n\t</a>' +
        '<b><item key="&amp;amp; &lt;&quot;\'&gt; &#xD;&#xA;&#x9;">1</item></b><c/><d/><e>0</e></root>',
    )
    expect(toJson(new Map<string, Tree>().set('10', 1e-7).set('9', null))).toBe('{"10":0.0000001,"9":null}')
  })

  it('writes the XML that xmlbuilder2 writes', () => {
    fc.assert(
      fc.property(document, ({ plain }) => {
        expect(toXml(treeOf(plain))).toBe(byXmlbuilder(plain))
      }),
      { numRuns: 300 },
    )
  })

  it('decodes percent escapes, and leaves a text alone that has one which cannot be decoded', () => {
    expect(decodePercent('%41%C3%A4%E2%82%AC%F0%9F%98%80')).toBe('Aä€😀')
    expect(decodePercent('%41%zz%C3%A4')).toBe('%41%zz%C3%A4')
  })
})

describe('negotiation', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['text/html', 'json'],
    ['application/xml;q=nonsense', 'json'],
    ['TEXT/XML', 'xml'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['text/csv', 'json'],
    ['application/xml;q=0.5, */*;q=0.8', 'json'],
    ['*/*, application/xml', 'xml'],
    ['application/xml, application/json', 'xml'],
    ['application/json, application/xml', 'json'],
    ['application/json;q=0, */*', 'xml'],
    ['application/json;q=0.5, */*;q=0.8', 'xml'],
    ['application/xml;q=0.4, application/hal+json;q=0.5', 'json'],
    ['application/xml;q=0', 'json'],
  ])('takes Accept %s as %s', (header, format) => {
    expect(acceptedFormat(header)).toBe(format)
  })

  it.each([
    ['text/csv', 'csv'],
    ['*/*', 'json'],
    ['text/csv, */*', 'csv'],
    ['text/csv;q=0.5, application/xml;q=0.6', 'xml'],
    ['text/csv;q=0', 'json'],
  ])('takes Accept %s as %s where there is CSV', (header, format) => {
    expect(acceptedFormat(header, true)).toBe(format)
  })

  it.each([
    [undefined, 'de'],
    ['fr', 'de'],
    ['en-GB', 'en'],
    ['EN', 'en'],
    ['fr, en;q=0.3', 'en'],
    ['de;q=0.5, en;q=0.6', 'en'],
    ['en, de', 'en'],
    ['*, en', 'en'],
    ['de;q=0.5, *', 'en'],
    ['en;q=0.9, *', 'de'],
    ['de;q=0, en;q=0.1', 'en'],
    ['en;q=0', 'de'],
  ])('takes Accept-Language %s as %s', (header, language) => {
    expect(acceptedLanguage(header)).toBe(language)
  })
})

function treeOf(plain: Plain): Tree {
  if (plain.kind === 'leaf') return plain.value
  const entries = plain.entries.map(([key, member]) => [key, treeOf(member)] as const)
  if (plain.kind === 'list') return entries.map(([, member]) => member)
  return plain.kind === 'keyed' ? new Map(entries) : Object.fromEntries(entries)
}
