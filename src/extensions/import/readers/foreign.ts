/** Files that no reader takes: what each is, by its first bytes or its fields, and what to do. Pure. */

import type { FileCell } from '../values.ts'
import type { FileStart } from './reader.ts'
import { zipNames } from './start.ts'
import { quoted } from '../../../core/data/model/printable.ts'

/** @returns the end of a sentence that begins with the file's name; undefined if it may be a table */
export function foreignFile(start: FileStart): string | undefined {
  const { bytes, text, sheets, heads } = start
  if (sheets === null) {
    const binary = binaryFile(bytes)
    if (binary !== undefined) return binary
    const found = textSorts.find(({ pattern }) => pattern.test(text))
    if (found !== undefined) return found.what
    const root = /^\s*<(?:\?|!|[\w.:-]+[\s/>])/.test(text) ? rootOf(text) : undefined
    if (root !== undefined) return xmlFile(root)
  }
  return heads.map(otherTemplate).find((what) => what !== undefined)
}

const archives: readonly (readonly [start: string, what: string])[] = [
  ['1f8b', 'compressed (gzip): unpack it, and import the file in it'],
  ['425a68', 'compressed (bzip2): unpack it, and import the file in it'],
  ['fd377a585a00', 'compressed (xz): unpack it, and import the file in it'],
  ['28b52ffd', 'compressed (zstd): unpack it, and import the file in it'],
  ['377abcaf271c', 'a 7-Zip archive: unpack it, and import the files in it'],
  ['526172211a07', 'a RAR archive: unpack it, and import the files in it'],
  ['255044462d', 'a PDF, which is for people: ask for the same data as CSV, XLSX or FundsXML'],
  [
    '53514c69746520666f726d6174203300',
    'an SQLite database: --db names a database, and tables come from files',
  ],
  ['50415231', 'a Parquet file: save it as CSV'],
]

function binaryFile(bytes: Buffer): string | undefined {
  const hex = bytes.toString('hex', 0, 16)
  if (hex.startsWith('504b0304') || hex.startsWith('504b0506')) return zipFile(zipNames(bytes))
  if (hex.startsWith('d0cf11e0a1b11ae1')) return oleFile(bytes)
  return archives.find(([start]) => hex.startsWith(start))?.[1]
}

function zipFile(names: readonly string[]): string {
  if (names.some((name) => name.startsWith('word/')))
    return 'a document of Word: save its table as XLSX or CSV'
  if (names.some((name) => name.startsWith('ppt/')))
    return 'a presentation of PowerPoint: ask for the same data as CSV or XLSX'
  if (names[0] === 'mimetype') return 'an OpenDocument file: save it as XLSX or CSV'
  const [first] = names
  const what =
    first === undefined ? 'no files' : names.length === 1 ? quoted(first) : `${quoted(first)} and more`
  return `a ZIP archive with ${what}: unpack it, and import the files in it`
}

/** Excel puts a workbook with a password into the same sort of file as its old workbooks. */
function oleFile(bytes: Buffer): string {
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    return 'a workbook with a password: save it without one'
  return 'an old workbook (.xls): open it, and save it as XLSX'
}

const textSorts: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  {
    pattern: /^\s*(?:<!--[^]*?-->\s*)?<(?:!doctype html|html|head|body|table|meta|style)\b/i,
    what: 'a web page (HTML), whatever its name says: open it with a spreadsheet, and save it as XLSX',
  },
  {
    pattern: /^mime-version:/i,
    what: 'a web page in one file (MHTML), whatever its name says: open it with a spreadsheet, and save it as XLSX',
  },
  {
    pattern: /^\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[{["\]\d-]|$))/,
    what: 'JSON: make a CSV of it, with a line for each row',
  },
  { pattern: /^!(?:type|account|option):/i, what: 'QIF, the format of Quicken: make a CSV of it' },
  { pattern: /^\s*OFXHEADER:/i, what: 'OFX, which banks give their customers: make a CSV of it' },
  { pattern: /^\{\\rtf/, what: 'a document (RTF): save its table as XLSX or CSV' },
]

/** The first element of XML, with its attributes as far as the start of the file has them. */
function rootOf(text: string): { readonly name: string; readonly tag: string } | undefined {
  const [tag, name] = /<([A-Za-z_][\w.:-]*)(?![\w.:-])[^>]*/.exec(text.replace(/<!--[^]*?-->/g, '')) ?? []
  return tag === undefined || name === undefined ? undefined : { name, tag }
}

function xmlFile({ name, tag }: { readonly name: string; readonly tag: string }): string {
  const local = name.slice(name.indexOf(':') + 1)
  if (local === 'Workbook' && tag.includes('urn:schemas-microsoft-com:office:spreadsheet'))
    return 'a workbook in XML of Excel 2003: open it, and save it as XLSX'
  if (/^FundsXML$/i.test(local)) return 'FundsXML 3 or older: ask for FundsXML 4'
  return `XML with the element ${quoted(name)}, which no reader knows: ask for FundsXML 4, CSV or XLSX`
}

/** The other templates of FinDatEx, by the name of a field that only they have. */
const templates: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /^\s*\d{5}_C?EPT_Version/i, what: 'an EPT (European PRIIPs Template)' },
  { pattern: /^\s*\d{5}_EET_Version/i, what: 'an EET (European ESG Template)' },
  {
    pattern: /^\s*(?:12_CIC_code|1_Portfolio_identifying_data|1000_TPT_Version)/i,
    what: 'a TPT (Tripartite Template)',
  },
]

/** @returns what a file with this header is, if it is another template than the EMT */
export function otherTemplate(header: readonly FileCell[]): string | undefined {
  const found = templates.find(({ pattern }) => header.some((cell) => pattern.test(String(cell))))
  return found && `${found.what}, which is not read: of the templates of FinDatEx, the EMT is (V4)`
}
