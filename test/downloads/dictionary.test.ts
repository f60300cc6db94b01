/** What the page of the downloads says of each table: its columns, and how its file begins. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { demoNight, type Night, oddNight } from './night.ts'

const makers = { demo: demoNight, odd: oddNight }
const languages = ['en', 'de'] as const

interface Field {
  readonly name: string
  readonly description: string
}
interface Resource {
  readonly path: string
  readonly schema?: { readonly fields: readonly Field[]; readonly primaryKey: readonly string[] }
}

/** The text of some markup. */
const plain = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .trim()

/** HTML cannot hold control characters: a space stands for each. */
const asInHtml = (text: string) =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/(?![\n\t\f])[\p{Cc}\p{Cn}]/gu, ' ')
    .trim()

/** The rows of the page that have a dictionary, by their CSV file. */
function dictionariesOf(page: string) {
  const parts = page.split('<details class="dictionary">')
  return parts.slice(1).map((part, index) => {
    const files = [...(parts[index] ?? '').matchAll(/<a href="([\w.-]+\.csv)">/g)]
    const [table = '', after = ''] = part.split('</table>')
    const cells = [...table.matchAll(/<tr><th scope="row">(.*?)<\/th><td>(.*?)<\/td><td>(.*?)<\/td><\/tr>/gs)]
    return {
      file: files.findLast(([, path = '']) => !path.includes('-excel'))?.[1] ?? '',
      columns: cells.map(([, name = '', type = '', meaning = '']) => ({
        name: plain(name),
        type: plain(type),
        meaning: plain(meaning),
      })),
      beginning: plain(/<code>(.*?)<\/code>/s.exec(after)?.[1] ?? ''),
    }
  })
}

describe.each(['demo', 'odd'] as const)('the page of the downloads of the %s funds', (which) => {
  let night: Night = { db: '', out: '', asOf: '', folder: '' }
  const read = (name: string) => readFileSync(join(night.folder, name), 'utf8')
  const pageIn = (language: 'en' | 'de') => dictionariesOf(read(language === 'en' ? 'index.html' : 'de.html'))
  beforeAll(async () => {
    night = await makers[which]()
  })

  it('has every column of every table, with the meaning that datapackage.json has', () => {
    const { resources } = JSON.parse(read('datapackage.json')) as { readonly resources: readonly Resource[] }
    const tables = new Map(resources.flatMap(({ path, schema }) => (schema ? [[path, schema] as const] : [])))
    const page = pageIn('en')
    expect(page.map(({ file }) => file).sort()).toEqual([...tables.keys()].sort())
    for (const { file, columns } of page) {
      const { fields = [], primaryKey = [] } = tables.get(file) ?? {}
      expect(columns.map(({ name, meaning }) => ({ name, description: meaning }))).toEqual(
        fields.map(({ name, description }) => ({ name, description })),
      )
      const keys = columns.filter(({ type }) => type.includes('key')).map(({ name }) => name)
      expect({ file, keys: keys.sort() }).toEqual({ file, keys: [...primaryKey].sort() })
    }
  })

  it('says it in German on the German page', () => {
    const english = pageIn('en')
    const german = pageIn('de')
    expect(german.map(({ file }) => file)).toEqual(english.map(({ file }) => file))
    for (const [index, { columns }] of german.entries())
      for (const [at, { name, meaning, type }] of columns.entries()) {
        const other = english[index]?.columns[at]
        expect(name).toBe(other?.name)
        if (name !== 'isin') expect({ name, meaning }).not.toEqual({ name, meaning: other?.meaning })
        expect(type).toMatch(/^(?:Text|Datum|Dezimalzahl|Zahl|Ganzzahl|true oder false)/)
      }
  })

  it.each(languages)('shows the header and the first rows as the file has them (%s)', (language) => {
    let rows = 0
    for (const { file, beginning } of pageIn(language)) {
      const text = asInHtml(read(file))
      expect({ file, begins: text.startsWith(beginning) }).toEqual({ file, begins: true })
      rows += beginning.split('\n').length - 1
      // The header at least, and nothing that is cut.
      expect(['', '\n']).toContain(text.slice(beginning.length, beginning.length + 1))
      expect(beginning).not.toBe('')
    }
    expect(rows).toBeGreaterThan(20)
  })
})
