import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyed, record, text } from '../../../src/core/api/contract/shape.ts'
import { xmlEncoder } from '../../../src/core/api/encode/xml.ts'
import { byXmlbuilder, document } from './documents.ts'
import { times } from '../../support/rounds.ts'

it('a document has the same bytes as from xmlbuilder2', () => {
  fc.assert(
    fc.property(document, ({ shape, value, plain }) => {
      expect(xmlEncoder(shape)(value)).toBe(byXmlbuilder(plain))
    }),
    { numRuns: times(1000) },
  )
})

it('a carriage return in text and white space in a key are escaped', () => {
  const encode = xmlEncoder(record({ note: text('any'), years: keyed('any', 'any', text('any')) }))
  expect(encode({ note: 'a\rb\n\tc', years: new Map([['a\tb\nc\rd"<>&', '']]) })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<root><note>a&#xD;b\n\tc</note><years><item key="a&#x9;b&#xA;c&#xD;d&quot;&lt;&gt;&amp;"/></years></root>',
  )
})

it('an ampersand is escaped before what looks like an entity', () => {
  const encode = xmlEncoder(record({ note: text('any') }))
  expect(encode({ note: 'a &amp; b &lt; c &foo; d' })).toContain(
    '<note>a &amp;amp; b &amp;lt; c &amp;foo; d</note>',
  )
})
