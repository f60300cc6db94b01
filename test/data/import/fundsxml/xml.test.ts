/** XML as a stream: records, lines, encodings, and what is refused before it costs memory. */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readXml, type Elements, type Found } from '../../../../src/extensions/import/readers/fundsxml/xml.ts'
import { tempFolder } from '../../../support/folders.ts'

const folder = tempFolder()

/** A tree with records, amounts by currency, an element that is known by its name, and one that is left out. */
function books(onBook: (found: Found) => void): Elements {
  const ofBook: Elements = {
    Title: { text: 'Title' },
    Price: { below: { Amount: { text: 'Price', by: 'ccy' } } },
    Hardcover: { mark: 'binding' },
    Paperback: { mark: 'binding' },
    Notes: { out: 'notes: nobody reads them' },
  }
  return {
    Books: {
      below: {
        Shelf: { below: { Name: { text: 'Name' }, Book: { below: ofBook, ends: onBook } }, ends: onBook },
      },
    },
  }
}

async function read(content: string | Buffer, encoding?: 'windows-1252') {
  const file = folder.file('books.xml')
  writeFileSync(file, content)
  return readFile(file, encoding)
}

async function readFile(file: string, encoding?: 'windows-1252') {
  const records: { texts: Found['texts']; place: string }[] = []
  const leftOut: string[] = []
  const form = await readXml(
    file,
    books(({ texts, place }) => records.push({ texts: { ...texts }, place })),
    { encoding, onBytes: () => undefined, onLeftOut: (what, place) => leftOut.push(`${what} (${place})`) },
  )
  return { form, records, leftOut }
}

const refusal = async (reading: Promise<unknown>): Promise<string> => {
  const error: unknown = await reading.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  )
  return error instanceof Error ? error.message.replace(/^.*books\.xml/, 'books.xml') : String(error)
}

const shelf = (books: string) => `<Books><Shelf>${books}</Shelf></Books>`

describe('XML', () => {
  it('becomes records with their texts, lines and paths', async () => {
    const { records, leftOut, form } = await read(`<?xml version="1.0" encoding="UTF-8"?>
<!-- <Book> of a comment -->
<Books
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:noNamespaceSchemaLocation="books.xsd">
  <Shelf>
    <Name> Left
    </Name>
    <Other><Title>passed over</Title><Book/></Other>
    <Empty/>
    <Book>
      <Title>A &amp; B &#x263A;<![CDATA[ <&raw;> ]]></Title>
      <Price><Amount ccy="EUR">12.50</Amount><Amount ccy="USD">14</Amount></Price>
      <Hardcover/>
      <Notes>long</Notes>
    </Book>
    <Book><Title>One</Title><Title>Two</Title><Paperback><Weight>3</Weight></Paperback></Book>
  </Shelf>
</Books>
`)
    expect(form).toBe('UTF-8')
    expect(records).toEqual([
      {
        texts: { Title: 'A & B ☺ <&raw;>', 'Price EUR': '12.50', 'Price USD': '14', binding: 'Hardcover' },
        place: 'line 11, /Books/Shelf/Book',
      },
      { texts: { Title: 'One\nTwo', binding: 'Paperback' }, place: 'line 17, /Books/Shelf/Book' },
      { texts: { Name: 'Left' }, place: 'line 6, /Books/Shelf' },
    ])
    expect(leftOut).toEqual(['notes: nobody reads them (line 15, /Books/Shelf/Book/Notes)'])
  })

  it('tells the lines of a file of many pieces, and reads characters that lie across them', async () => {
    const lines = Array.from(
      { length: 40_000 },
      (_, at) => `<Book><Title>ö${'ü'.repeat(at % 23)}</Title></Book>`,
    )
    const { records } = await read(`<Books><Shelf>\n${lines.join('\n')}\n</Shelf></Books>`)
    expect(records).toHaveLength(40_001)
    const titles = records.slice(0, -1).map(({ texts }, at) => texts['Title'] === `ö${'ü'.repeat(at % 23)}`)
    expect(titles.filter((isRight) => !isRight)).toEqual([])
    expect(records[39_999]?.place).toBe('line 40001, /Books/Shelf/Book')
  })

  it.each([
    ['with a mark', Buffer.from('\ufeff<Books/>'), 'UTF-8'],
    [
      'in UTF-16',
      Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${shelf('<Name>Ž</Name>')}`, 'utf16le'),
      'UTF-16',
    ],
    [
      'in ISO-8859-1',
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${shelf('<Name>Ü</Name>')}`, 'latin1'),
      'Windows-1252',
    ],
  ])('is read %s', async (_, content, form) => {
    expect((await read(content)).form).toBe(form)
  })

  it('keeps the letters of its encoding', async () => {
    const content = Buffer.from(
      `<?xml version='1.0' encoding='windows-1252'?>${shelf('<Name>Grüße, \x80</Name>')}`,
      'latin1',
    )
    expect((await read(content)).records[0]?.texts['Name']).toBe('Grüße, €')
  })

  it('is read in the encoding that a flag names, whatever it says', async () => {
    const content = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${shelf('<Name>Ü</Name>')}`, 'latin1')
    expect((await read(content, 'windows-1252')).records[0]?.texts['Name']).toBe('Ü')
  })
})

describe('XML is refused', () => {
  const deep = '<Other>'.repeat(200)
  const attributes = Array.from({ length: 1_000_000 }, (_, at) => `a${at}=""`).join(' ')
  it.each([
    [
      'with a document type',
      `<?xml version="1.0"?>\n<!DOCTYPE Books [<!ENTITY a "b">]>\n<Books/>`,
      'line 2: it has a document type (<!DOCTYPE), which FundsXML has not; leave it out: entities are never read',
    ],
    [
      'with an entity',
      `<Books><Shelf>\n<Name>&lol;</Name></Shelf></Books>`,
      'line 2: "&lol;" is an entity that XML does not have',
    ],
    [
      'with a sign that is no entity',
      shelf('\n<Name>R&D Ltd</Name>'),
      'line 2: "&D" is an entity that XML does not have',
    ],
    [
      'with a character that there is not',
      shelf('<Name>&#xD800;</Name>'),
      'line 1: "&#xD800;" is an entity that XML does not have',
    ],
    ['if it is cut', '<Books>\n<Shelf>\n<Name>', 'line 3: it ends within <Name>: it is not complete'],
    [
      'if it is cut within what is passed over',
      '<Books>\n<Other><A>',
      'line 2: it ends within <Other>: it is not complete',
    ],
    ['without an element', '<?xml version="1.0"?>\n', 'line 2: it has no element'],
    ['with another root', '<Book/>', 'line 1: its root is <Book>, not <Books>'],
    [
      'with two roots',
      '<Books/>\n<Books/>',
      'line 1: a second root <Books> begins behind the end of the first',
    ],
    ['with text behind its end', '<Books/>\nend', 'line 1: text stands behind its end'],
    ['if tags do not match', '<Books>\n<Shelf></Books>', 'line 2: it is no right XML: closing tag mismatch'],
    ['if it is nested deeply', `<Books>${deep}`, 'line 1: elements lie in more than 100 levels'],
    [
      'with a million attributes',
      `<Books>\n<Shelf ${attributes}/></Books>`,
      'line 1: a tag, a comment or a section goes on for more than 1 MiB',
    ],
    [
      'with a long text',
      shelf(`\n<Name>${'x'.repeat(3e6)}</Name>`),
      'line 2: the text of <Name> goes on for more than 1 MiB',
    ],
    [
      'with a text of many sections',
      shelf(`<Name>${'<![CDATA[x]]>'.repeat(1.1e6)}</Name>`),
      'line 1: the text of <Name> goes on for more than 1 MiB',
    ],
    [
      'with many texts in one record',
      shelf(`<Book>${`<Title>${'x'.repeat(1000)}</Title>`.repeat(5000)}</Book>`),
      'line 1: an element above <Title> has more than 4 MiB of texts',
    ],
    [
      'with many attributes in one record',
      shelf(
        `<Book><Price>${Array.from({ length: 600_000 }, (_, at) => `<Amount ccy="${at}">1</Amount>`).join('')}</Price></Book>`,
      ),
      'line 1: an element above <Amount> has more than 4 MiB of texts',
    ],
    [
      'with a long comment',
      shelf(`<!--${'<a>'.repeat(2e6)}-->`),
      'line 1: a comment or a section goes on for more than 1 MiB',
    ],
    [
      'with a word for its encoding that nobody knows',
      '<?xml version="1.0" encoding="EBCDIC-DE"?><Books/>',
      'line 1: its encoding "ebcdic-de" is not read: only utf-16, utf-8, windows-1252, windows-1250, windows-1251, windows-1253, windows-1254, windows-1257, iso-8859-2, iso-8859-15, macintosh, cp850 and iso-8859-1 are',
    ],
    [
      'if it says UTF-16 and is not',
      '<?xml version="1.0" encoding="UTF-16"?><Books/>',
      'line 1: it is UTF-16 without a mark, or says so: save it with a mark, or as UTF-8',
    ],
  ])('%s', async (_, content, message) => {
    expect(await refusal(read(content))).toBe(`books.xml, ${message}`)
  })

  it('if its letters are not of the encoding that it says', async () => {
    const latin = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${shelf('<Name>Ü</Name>')}`, 'latin1')
    expect(await refusal(read(latin))).toBe(
      'books.xml, line 2: it is text of another encoding, not utf-8, as its first line says: name the right one with --encoding',
    )
    const utf8 = `<?xml version="1.0" encoding="ISO-8859-1"?>\n\n${shelf('<Name>Ü</Name>')}`
    expect(await refusal(read(utf8))).toBe(
      'books.xml, line 3: it is UTF-8, not iso-8859-1, as its first line says: name the right one with --encoding',
    )
    const marked = `\ufeff<?xml version="1.0" encoding="ISO-8859-1"?><Books/>`
    expect(await refusal(read(marked))).toBe(
      'books.xml, line 1: its first bytes say that it is UTF-8, and its declaration that it is "iso-8859-1"',
    )
  })

  it('with an element of gigabytes, in little memory', async () => {
    const file = folder.file('large-books.xml')
    const descriptor = openSync(file, 'w')
    writeSync(descriptor, '<?xml version="1.0" encoding="UTF-8"?><Books><Shelf><Name>A shelf</Name>\n<Other>')
    // The end of a sparse file is zeros, which cost no disk.
    writeSync(descriptor, '</Other></Shelf></Books>', 4e9)
    closeSync(descriptor)
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
    const message = await refusal(readFile(file))
    expect(message).toMatch(/line 2: the text of <Other> goes on for more than 1 MiB$/)
    expect(process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before).toBeLessThan(100e6)
  })

  it('with a document in it that is too large, which is not kept', async () => {
    const binary = (megabytes: number) =>
      shelf(`<BinaryData>${'QUJD'.repeat(megabytes * 262_144)}</BinaryData><Name>A</Name>`)
    expect((await read(binary(20))).records[0]?.texts['Name']).toBe('A')
    expect(await refusal(read(binary(70)))).toBe('books.xml, line 1: <BinaryData> has more than 64 MiB')
  })
})
