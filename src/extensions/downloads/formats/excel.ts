/**
 * A workbook for Excel in each language: newest prices, funds and key figures. Numbers and days are typed, so Excel shows them as its
 * user's country writes them, and no text is a formula. Sheets are packed while they grow: they need not fit into memory.
 * Source: ECMA-376, Part 1, SpreadsheetML.
 */

import { Zip, ZipDeflate } from 'fflate'
import { priceTitle } from '../../../core/api/contract/prices.ts'
import { xmlText } from '../../../core/api/encode/xml.ts'
import { languages, type Language } from '../../../core/api/routes/table.ts'
import { bilingual } from '../../../core/layout/bilingual.ts'
import { dayNumber } from '../../../core/system/day-number.ts'
import { fileSink } from '../../../core/snapshot/file-sink.ts'
import { type ColumnType, newestPrices, type OutputCell, type OutputTable, tables } from '../tables.ts'
import type { FormatWork, FundTables, PieceRows, RowsFormat } from './format.ts'

const paths: Readonly<Record<Language, string>> = { en: 'fund-data.xlsx', de: 'fondsdaten.xlsx' }

export const excel: RowsFormat = {
  id: 'xlsx',
  kind: 'rows',
  name: 'xlsx',
  label: 'Excel',
  mediatype: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  advice: {
    en: 'Workbooks for any version of Excel, in English and in German, with numbers and dates as such.',
    de: 'Arbeitsmappen für jede Version von Excel, auf Deutsch und auf Englisch, mit typisierten Zahlen und Tagen.',
  },
  pieces: (funds) => {
    const digest: PieceRows['digest'] = ({ fund, groups: { profile, keyFigures }, prices }) =>
      [fund, profile, keyFigures, Object.values(prices).at(-1)].join(' ')
    return languages.map((language) => {
      const description = `Newest prices, funds and key figures in a workbook, in ${languageNames[language]}`
      const shared = { row: 'workbook', describe, rows: { funds, digest } }
      return { name: paths[language], ...shared, resource: { description } }
    })
  },
  open: (work) => {
    const workbooks = languages
      .filter((language) => work.wanted.has(paths[language]))
      .map((language) => openWorkbook(work, language))
    return {
      add: (fund) => {
        for (const { add } of workbooks) add(fund)
      },
      close: () => workbooks.map(({ close }) => close()),
    }
  },
}

const languageNames = { en: 'English', de: 'German' }

const describe = {
  en: 'Newest prices, funds and key figures in a workbook, in English and in German',
  de: 'Neueste Preise, Fonds und Kennzahlen in einer Arbeitsmappe, auf Deutsch und auf Englisch',
}

const tableNamed = (wanted: string) => tables.filter(({ name }) => name === wanted)
/** Sheets, and the tables whose columns stand in one beside the other. */
const sheets = {
  prices: [newestPrices],
  funds: [...tableNamed('funds'), ...tableNamed('profiles')],
  figures: tableNamed('key_figures'),
} as const satisfies Readonly<Record<string, readonly OutputTable[]>>

const words = bilingual((say) => ({
  sheets: {
    prices: say('Newest prices', 'Neueste Preise'),
    funds: say('Funds', 'Fonds'),
    figures: say('Key figures', 'Kennzahlen'),
  },
  /** Columns that are neither here nor prices are left out. */
  titles: {
    isin: 'ISIN',
    wkn: 'WKN',
    name: 'Name',
    currency: say('Currency', 'Währung'),
    fund_inception_date: say('Launched', 'Auflegung'),
    status_date: say('As of', 'Stand'),
    url: say('Fund website', 'Website des Fonds'),
    end_date: say('Last day', 'Letzter Tag'),
    end_reason: say('Why it ends', 'Grund des Endes'),
    suspended_from: say('Suspended from', 'Ausgesetzt ab'),
    suspended_to: say('Suspended to', 'Ausgesetzt bis'),
    category: say('Category', 'Kategorie'),
    benchmark: say('Benchmark', 'Vergleichsindex'),
    fund_assets: say('Fund assets (share class)', 'Fondsvermögen (Anteilklasse)'),
    total_fund_assets: say('Fund assets (all share classes)', 'Fondsvermögen (alle Anteilklassen)'),
    total_fund_assets_currency: say(
      'Currency of the assets of all share classes, if it is another one',
      'Währung des Vermögens aller Anteilklassen, wenn sie abweicht',
    ),
    accumulating: say('Accumulating', 'Thesaurierend'),
    issue_surcharge: say('Issue surcharge in %', 'Ausgabeaufschlag in %'),
    redemption_fee: say('Redemption fee in %', 'Rücknahmeabschlag in %'),
    total_expense_ratio: say('Total expense ratio in %', 'Gesamtkostenquote in %'),
    management_fee: say('Management fee in %', 'Verwaltungsvergütung in %'),
    custodian_bank_fee: say('Depositary fee in %', 'Verwahrstellenvergütung in %'),
    performance_fee: say('Performance fee', 'Erfolgsabhängige Vergütung'),
    value: 'Text',
    value2: say('Second text', 'Zweiter Text'),
    number: say('Number', 'Zahl'),
    number2: say('Second number', 'Zweite Zahl'),
  },
}))

const priceNames = newestPrices.columns.map((column) => column.name)

interface SheetColumn {
  readonly title: string
  readonly type: ColumnType
  /** Of the cell in the rows of the sheet's tables, one behind the other. */
  readonly at: number
}

/** A text in both languages stands in two columns, such as `name_de` and `name_en`. The second ISIN is left out. */
function columnsOf(some: readonly OutputTable[], language: Language): readonly SheetColumn[] {
  const known: Readonly<Record<string, string>> = words[language].titles
  const titles = new Set<string>()
  return some
    .flatMap(({ columns }) => columns)
    .flatMap((column, at) => {
      const name = column.name.endsWith(`_${language}`) ? column.name.slice(0, -3) : column.name
      const title = known[name] ?? (priceNames.includes(name) ? priceTitle(name, language) : undefined)
      if (title === undefined || titles.has(title)) return []
      titles.add(title)
      return [{ title, type: column.type, at }]
    })
}

function openWorkbook({ folder }: FormatWork, language: Language) {
  const sink = fileSink(folder, paths[language])
  const zip = new Zip((_, chunk) => {
    sink.write(chunk)
  })
  const open = (path: string, content: string) => {
    const file = new ZipDeflate(path, { level: 6 })
    file.mtime = oldestDay
    zip.add(file)
    file.push(Buffer.from(content))
    return file
  }
  const names = Object.values(words[language].sheets)
  for (const [path, content] of frameOf(names, language)) open(path, content).push(nothing, true)
  const made = Object.values(sheets).map((some, index) => {
    const columns = columnsOf(some, language)
    const file = open(`xl/worksheets/sheet${index + 1}.xml`, sheetStart(columns))
    return { some, columns, file, written: 1 }
  })
  return {
    add: ({ rows }: FundTables) => {
      for (const sheet of made) {
        const [first, ...others] = sheet.some
        const beside = others.flatMap((table) => rows(table)[0] ?? [])
        for (const row of rows(first)) {
          const cells = [...row, ...beside]
          const number = ++sheet.written
          const line = sheet.columns.map(({ type, at }, column) =>
            cellOf(addressOf(column, number), type, cells[at] ?? null),
          )
          sheet.file.push(Buffer.from(rowOf(number, line)))
        }
      }
    },
    close: () => {
      for (const { file } of made) file.push(sheetEnd, true)
      zip.end()
      return { ...sink.close(), piece: paths[language] }
    },
  }
}

/** A ZIP has a time for each file. Source: the format's first day. */
const oldestDay = new Date(1980, 0, 1)
const nothing = Buffer.alloc(0)

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaging = 'http://schemas.openxmlformats.org/package/2006'
const typeOf = (part: string) => `application/vnd.openxmlformats-officedocument.spreadsheetml.${part}+xml`
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** All parts but the sheets. @param names of these */
function frameOf(names: readonly string[], language: Language): readonly (readonly [string, string])[] {
  const part = (path: string, type: string) =>
    `<Override PartName="/xl/${path}.xml" ContentType="${typeOf(type)}"/>`
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="r${id}" Type="${relations}/${type}" Target="${target}"/>`
  const list = (items: readonly string[]) =>
    `${declaration}<Relationships xmlns="${packaging}/relationships">${items.join('')}</Relationships>`
  const numbers = names.map((_, index) => index + 1)
  const dayFormat = language === 'de' ? 'dd.mm.yyyy' : 'yyyy-mm-dd'
  return [
    [
      '[Content_Types].xml',
      `${declaration}<Types xmlns="${packaging}/content-types"><Default Extension="rels" ` +
        `ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('workbook', 'sheet.main')}` +
        `${part('styles', 'styles')}${numbers.map((id) => part(`worksheets/sheet${id}`, 'worksheet')).join('')}</Types>`,
    ],
    ['_rels/.rels', list([relation(1, 'officeDocument', 'xl/workbook.xml')])],
    [
      'xl/workbook.xml',
      `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>` +
        names
          .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="r${index + 1}"/>`)
          .join('') +
        `</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      list([
        ...numbers.map((id) => relation(id, 'worksheet', `worksheets/sheet${id}.xml`)),
        relation(names.length + 1, 'styles', 'styles.xml'),
      ]),
    ],
    [
      'xl/styles.xml',
      `${declaration}<styleSheet xmlns="${main}"><numFmts count="2">` +
        `<numFmt numFmtId="164" formatCode="${dayFormat}"/><numFmt numFmtId="165" formatCode="#,##0.00####"/></numFmts>` +
        '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
        '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4">' +
        `${cellStyle(0)}${cellStyle(0, 1)}${cellStyle(164)}${cellStyle(165)}</cellXfs>` +
        // openpyxl, and so pandas, warns without a name for the default style.
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
    ],
  ]
}

const cellStyle = (format: number, font = 0) =>
  `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`

/** The numbers of styles, in their order. */
const bold = 1
const ofDays = 2
const ofAmounts = 3

/** The first row stays in sight. */
const sheetStart = (columns: readonly SheetColumn[]) => {
  const widths = columns.map(({ title }, index) => {
    return `<col min="${index + 1}" max="${index + 1}" width="${Math.max(14, title.length + 2)}" customWidth="1"/>`
  })
  const titles = columns.map(({ title }, column) => textCell(addressOf(column, 1), title, bold))
  return (
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${widths.join('')}</cols><sheetData>${rowOf(1, titles)}`
  )
}

const sheetEnd = Buffer.from('</sheetData></worksheet>')

const rowOf = (number: number, cells: readonly string[]) => `<row r="${number}">${cells.join('')}</row>`

/** Some readers need the address of each cell. No sheet has more columns than there are letters. @param row counts from 1 */
const addressOf = (column: number, row: number) => `${String.fromCharCode(letterA + column)}${row}`

const letterA = 65

/** @returns '' for none */
function cellOf(address: string, type: ColumnType, cell: OutputCell): string {
  if (cell === null || cell === '') return ''
  if (type === 'text') return textCell(address, String(cell))
  // Excel has no days before 1900, and a day too many in its February.
  if (type === 'date' && String(cell) < '1900-03-01') return textCell(address, String(cell))
  if (type === 'date')
    return `<c r="${address}" s="${ofDays}"><v>${dayNumber(String(cell)) + firstDay}</v></c>`
  if (type === 'boolean') return `<c r="${address}" t="b"><v>${cell}</v></c>`
  return `<c r="${address}"${type === 'decimal' ? ` s="${ofAmounts}"` : ''}><v>${Number(cell)}</v></c>`
}

const textCell = (address: string, text: string, style = 0) =>
  `<c r="${address}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`

/** Excel's number of 1970-01-01. Source: ECMA-376, Part 1, 18.17.4.1, with the leap day of 1900 that Excel has. */
const firstDay = 25_569
