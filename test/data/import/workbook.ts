/** Workbooks as a spreadsheet would save them: a few XML parts in a ZIP archive. */
import { zipSync } from 'fflate'

/**
 * Text, a number as it is to stand in the file, perhaps with a format, a day (a number that is shown as a date), an error, or a formula
 * with its last value, if it was ever calculated.
 */
export type SheetCell =
  | string
  | { readonly number: string; readonly format?: string }
  | { readonly day: string }
  | { readonly error: string }
  | { readonly formula: string; readonly value?: string }
  | null

export interface Sheet {
  readonly name: string
  readonly rows: readonly (readonly SheetCell[])[]
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export const workbook = (...sheets: readonly Sheet[]): Buffer => zip(workbookParts(...sheets))

/** Its XML, by the names of the parts. */
export function workbookParts(...sheets: readonly Sheet[]): Record<string, string> {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const packaged = 'http://schemas.openxmlformats.org/package/2006'
  const cells = sheets.flatMap(({ rows }) => rows.flat())
  const formats = [...new Set(cells.flatMap((cell) => formatOf(cell) ?? []))]
  const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  return {
    '[Content_Types].xml': `<Types xmlns="${packaged}/content-types">
      <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
      <Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/>
      <Override PartName="/xl/styles.xml" ContentType="${sheetType}.styles+xml"/>
      ${sheets.map((_, index) => `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="${sheetType}.worksheet+xml"/>`).join('')}
    </Types>`,
    '_rels/.rels': `<Relationships xmlns="${packaged}/relationships">
      <Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets
      .map(
        ({ name }, index) =>
          `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships">${sheets
      .map(
        (_, index) =>
          `<Relationship Id="rId${index + 1}" Type="${office}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
      )
      .join('')}<Relationship Id="rId99" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${formats
      .map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(code)}"/>`)
      .join('')}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>${formats
      .map((_, index) => `<xf numFmtId="${164 + index}"/>`)
      .join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ rows }, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${rows.map((row, at) => rowXml(row, at, formats)).join('')}</sheetData></worksheet>`,
      ]),
    ),
  }
}

const formatOf = (cell: SheetCell) =>
  cell !== null && typeof cell === 'object' && 'number' in cell ? cell.format : undefined

/** @param formats behind the two that every workbook here has */
function rowXml(cells: readonly SheetCell[], index: number, formats: readonly string[]): string {
  const texts = cells.map((cell, column) => {
    const place = `r="${columnName(column)}${index + 1}"`
    if (cell === null) return ''
    if (typeof cell === 'string') return `<c ${place} t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`
    const style = formats.indexOf(formatOf(cell) ?? '') + 2
    if ('number' in cell) return `<c ${place}${style > 1 ? ` s="${style}"` : ''}><v>${cell.number}</v></c>`
    if ('error' in cell) return `<c ${place} t="e"><v>${cell.error}</v></c>`
    if ('formula' in cell) {
      const value = cell.value === undefined ? '' : `<v>${cell.value}</v>`
      return `<c ${place}><f>${escapeXml(cell.formula)}</f>${value}</c>`
    }
    const serial = Date.parse(cell.day) / 86_400_000 + 25_569
    return `<c ${place} s="1"><v>${serial}</v></c>`
  })
  // A spreadsheet leaves out rows that are empty.
  return texts.join('') === '' ? '' : `<row r="${index + 1}">${texts.join('')}</row>`
}

const columnName = (index: number): string =>
  (index < 26 ? '' : columnName(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

/** @param method of ZIP: 0 stores, 8 deflates @param declared what the archive says of the size of each part */
export function zip(
  files: Readonly<Record<string, string | Buffer>>,
  { method = 0, declared }: { readonly method?: 0 | 8; readonly declared?: number } = {},
): Buffer {
  const parts = Object.entries(files).map(([name, content]) => {
    const xml = typeof content === 'string' ? `<?xml version="1.0" encoding="UTF-8"?>${content}` : content
    return [name, Buffer.from(xml)] as const
  })
  const archive = Buffer.from(zipSync(Object.fromEntries(parts), { level: method === 0 ? 0 : 1 }))
  if (declared === undefined) return archive
  // Each entry of the directory at the end has its size 24 bytes after its mark.
  for (let at = archive.indexOf('PK\u0001\u0002'); at >= 0; at = archive.indexOf('PK\u0001\u0002', at + 4))
    archive.writeUInt32LE(declared, at + 24)
  return archive
}
