/**
 * A workbook for Excel in each language: newest prices, computed figures, funds and key figures, and a sheet about the data. Numbers and
 * days are typed, so Excel shows them as its user's country writes them, and no text is a formula. The last sheet is the one about the
 * data: programs read the first, whose first row has the names of columns. Sheets need not fit into memory.
 * Source: ECMA-376, Part 1, SpreadsheetML, and Part 2 for properties.
 */

import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Zip, ZipDeflate } from 'fflate'
import { priceTitle } from '../../../core/api/contract/prices.ts'
import { xmlText } from '../../../core/api/encode/xml.ts'
import type { Licence } from '../../../core/api/contract/page.ts'
import { languages, type Language } from '../../../core/api/routes/table.ts'
import { bilingual } from '../../../core/layout/bilingual.ts'
import { dayIn } from '../../../core/layout/formats.ts'
import { dayNumber } from '../../../core/system/day-number.ts'
import { fileSink } from '../../../core/snapshot/file-sink.ts'
import {
  type ColumnType,
  computedTable,
  newestPrices,
  type OutputCell,
  type OutputTable,
  tables,
} from '../tables.ts'
import {
  type FormatWork,
  type FundTables,
  inBoth,
  type PieceRows,
  type RowsFormat,
  rowsOfTable,
} from './format.ts'

const paths: Readonly<Record<Language, string>> = { en: 'fund-data.xlsx', de: 'fondsdaten.xlsx' }

const labels = {
  en: { en: 'Excel, English', de: 'Excel, englisch' },
  de: { en: 'Excel, German', de: 'Excel, deutsch' },
}

export const excel: RowsFormat = {
  id: 'xlsx',
  kind: 'rows',
  name: 'xlsx',
  label: inBoth('Excel'),
  mediatype: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  advice: {
    en: 'Workbooks for any version of Excel, in English and in German, with real numbers and dates.',
    de: 'Arbeitsmappen für jede Version von Excel, auf Deutsch und auf Englisch, mit echten Zahlen und Datumswerten.',
  },
  isStamped: true,
  pieces: (funds) => {
    const computed = rowsOfTable(computedTable, funds)
    const digest: PieceRows['digest'] = (fund) => {
      const { profile, keyFigures } = fund.rows.groups
      return [computed.digest(fund), profile, keyFigures].join(' ')
    }
    return languages.map((language) => {
      const description = `Newest prices, computed figures, funds and key figures in a workbook, in ${languageNames[language]}`
      const shared = { row: 'workbook', describe, rows: { funds, digest } }
      return { name: paths[language], ...shared, label: labels[language], resource: { description } }
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
  en: 'Newest prices, computed figures, funds and key figures in a workbook, in English and in German',
  de: 'Neueste Preise, berechnete Werte, Fonds und Kennzahlen in einer Arbeitsmappe, auf Deutsch und auf Englisch',
}

const tableNamed = (wanted: string) => tables.filter(({ name }) => name === wanted)
/** Sheets, and the tables whose columns stand in one beside the other. */
const sheets = {
  prices: [newestPrices],
  computed: [computedTable],
  funds: [...tableNamed('funds'), ...tableNamed('profiles')],
  figures: tableNamed('key_figures'),
} as const satisfies Readonly<Record<string, readonly OutputTable[]>>

const words = bilingual((say) => ({
  sheets: {
    prices: say('Newest prices', 'Neueste Preise'),
    computed: say('Return and volatility', 'Rendite und Volatilität'),
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
      'Other currency (all share classes)',
      'Andere Währung (alle Anteilklassen)',
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
    total_return_1y: say('Total return 1 year in %', 'Wertentwicklung 1 Jahr in %'),
    volatility_1y: say('Volatility 1 year in % p.a.', 'Volatilität 1 Jahr in % p.\u00a0a.'),
    total_return_3y: say('Total return 3 years in %', 'Wertentwicklung 3 Jahre in %'),
    volatility_3y: say('Volatility 3 years in % p.a.', 'Volatilität 3 Jahre in % p.\u00a0a.'),
    total_return_5y: say('Total return 5 years in %', 'Wertentwicklung 5 Jahre in %'),
    volatility_5y: say('Volatility 5 years in % p.a.', 'Volatilität 5 Jahre in % p.\u00a0a.'),
  },
  about: {
    sheet: say('About these data', 'Über diese Daten'),
    title: (day: string) => say(`Fund data as of ${day}`, `Fondsdaten, Stichtag ${day}`),
    publisher: say('Publisher', 'Herausgeber'),
    asOf: say('As-of date', 'Stichtag'),
    licence: say('Licence', 'Lizenz'),
    source: say('Source', 'Quelle'),
    totalReturn: say('Total return', 'Wertentwicklung'),
    volatility: say('Volatility', 'Volatilität'),
    howReturned: say(
      'Computed from net asset values: distributions are reinvested at the net asset value of the ex-date or of the next price (BVI method), splits are taken into account, costs of purchase are not. Empty if the prices do not cover the period, or performance may not be shown.',
      'Aus den Nettoinventarwerten berechnet: Ausschüttungen werden zum Nettoinventarwert des Ex-Tags oder des nächsten Preises wieder angelegt (BVI-Methode), Anteilsplits sind berücksichtigt, Kaufkosten nicht. Leer, wenn die Preise den Zeitraum nicht abdecken oder die Wertentwicklung nicht gezeigt werden darf.',
    ),
    howVolatile: say(
      'Sample standard deviation of the logarithmic changes from one price to the next, with distributions reinvested, times the square root of the number of changes that a year of the period had.',
      'Stichprobenstandardabweichung der logarithmischen Veränderungen von einem Preis zum nächsten, mit Wiederanlage der Ausschüttungen, mal Wurzel aus der Zahl der Veränderungen, die ein Jahr des Zeitraums hatte.',
    ),
    past: say(
      'Past performance is no reliable indicator of future results.',
      'Die frühere Wertentwicklung ist kein verlässlicher Indikator für künftige Ergebnisse.',
    ),
  },
}))

const priceNames = newestPrices.columns.map((column) => column.name)

interface SheetColumn {
  readonly name: string
  readonly title: string
  readonly type: ColumnType
  /** Computed figures have as many decimals as the pages; what was delivered has all of its own. */
  readonly isComputed: boolean
  /** Of the cell in the rows of the sheet's tables, one behind the other. */
  readonly at: number
  /** Characters of the longest cell so far. */
  widest: number
}

/** A text in both languages stands in two columns, such as `name_de` and `name_en`. The second ISIN is left out. */
function columnsOf(some: readonly OutputTable[], language: Language): readonly SheetColumn[] {
  const known: Readonly<Record<string, string>> = words[language].titles
  const titles = new Set<string>()
  return some
    .flatMap((table) => table.columns.map((column) => ({ table, column })))
    .flatMap(({ table, column }, at) => {
      const name = column.name.endsWith(`_${language}`) ? column.name.slice(0, -3) : column.name
      const title = known[name] ?? (priceNames.includes(name) ? priceTitle(name, language) : undefined)
      if (title === undefined || titles.has(title)) return []
      titles.add(title)
      return [{ name, title, type: column.type, isComputed: table === computedTable, at, widest: 0 }]
    })
}

function openWorkbook(work: FormatWork, language: Language) {
  const temporary = dirname(work.copy)
  const made = Object.values(sheets).map((some, index) => {
    const columns = columnsOf(some, language)
    const path = `${language}-sheet${index + 1}.xml`
    return { some, columns, path, rows: fileSink(temporary, path), written: 1 }
  })
  return {
    add: ({ rows }: FundTables) => {
      for (const sheet of made) {
        const [first, ...others] = sheet.some
        const beside = others.flatMap((table) => {
          const [row = table.columns.map(() => null)] = rows(table)
          return row
        })
        for (const row of rows(first)) {
          const cells = [...row, ...beside]
          const number = ++sheet.written
          let lines = 1
          const line = sheet.columns.map((column, place) => {
            const cell = cells[column.at] ?? null
            const length = shownLength(column.type, cell)
            column.widest = Math.max(column.widest, length)
            lines = Math.max(lines, Math.ceil(length / mostWidth))
            return cellOf(addressOf(place, number), column, cell)
          })
          sheet.rows.write(rowOf(number, line, lines))
        }
      }
    },
    close: () => {
      const sink = fileSink(work.folder, paths[language])
      const zip = new Zip((_, chunk) => {
        sink.write(chunk)
      })
      const open = (path: string) => {
        const file = new ZipDeflate(path, { level: 6 })
        file.mtime = oldestDay
        zip.add(file)
        return file
      }
      const write = (path: string, content: string) => {
        open(path).push(Buffer.from(content), true)
      }
      for (const [path, content] of frameOf(made, work, language)) write(path, content)
      for (const [index, { columns, path, rows, written }] of made.entries()) {
        rows.close()
        const file = open(`xl/worksheets/sheet${index + 1}.xml`)
        file.push(Buffer.from(sheetStart(columns, index === 0)))
        for (const piece of piecesOf(join(temporary, path))) file.push(piece)
        rmSync(join(temporary, path))
        file.push(Buffer.from(sheetEnd(columns, written)), true)
      }
      write(`xl/worksheets/sheet${made.length + 1}.xml`, aboutSheet(work, language))
      zip.end()
      return { ...sink.close(), piece: paths[language] }
    },
  }
}

/** The bytes of a file, each piece in memory of its own. */
function* piecesOf(place: string): Generator<Buffer> {
  const file = openSync(place, 'r')
  try {
    for (;;) {
      const block = Buffer.allocUnsafeSlow(1 << 18)
      const read = readSync(file, block)
      if (read === 0) return
      yield block.subarray(0, read)
    }
  } finally {
    closeSync(file)
  }
}

/** A ZIP has a time for each file. Source: the format's first day. */
const oldestDay = new Date(1980, 0, 1)

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006'
const packaging = 'http://schemas.openxmlformats.org/package/2006'
const typeOf = (part: string) => `application/vnd.openxmlformats-officedocument.${part}+xml`
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

interface MadeSheet {
  readonly columns: readonly SheetColumn[]
  /** Rows, with that of the titles. */
  readonly written: number
}

/** All parts but the sheets. */
function frameOf(
  made: readonly MadeSheet[],
  work: FormatWork,
  language: Language,
): readonly (readonly [path: string, content: string])[] {
  const part = (path: string, type: string) => `<Override PartName="/${path}.xml" ContentType="${type}"/>`
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="r${id}" Type="${type}" Target="${target}"/>`
  const list = (items: readonly string[]) =>
    `${declaration}<Relationships xmlns="${packaging}/relationships">${items.join('')}</Relationships>`
  const names = [...Object.values(words[language].sheets), words[language].about.sheet]
  const numbers = names.map((_, index) => index + 1)
  const parts = [
    part('xl/workbook', typeOf('spreadsheetml.sheet.main')),
    part('xl/styles', typeOf('spreadsheetml.styles')),
    ...numbers.map((id) => part(`xl/worksheets/sheet${id}`, typeOf('spreadsheetml.worksheet'))),
    part('docProps/core', 'application/vnd.openxmlformats-package.core-properties+xml'),
    part('docProps/app', typeOf('extended-properties')),
  ]
  // Excel finds the rows of a filter by this name.
  const filters = made.map((sheet, index) => {
    const range = `'${names[index]}'!$A$1:$${letterOf(sheet.columns.length - 1)}$${sheet.written}`
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${range}</definedName>`
  })
  const titles = made.map(
    (_, index) =>
      `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">'${names[index]}'!$1:$1</definedName>`,
  )
  return [
    [
      '[Content_Types].xml',
      `${declaration}<Types xmlns="${packaging}/content-types"><Default Extension="rels" ` +
        `ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${parts.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      list([
        relation(1, `${office}/relationships/officeDocument`, 'xl/workbook.xml'),
        relation(2, `${packaging}/relationships/metadata/core-properties`, 'docProps/core.xml'),
        relation(3, `${office}/relationships/extended-properties`, 'docProps/app.xml'),
      ]),
    ],
    ['docProps/core.xml', coreProperties(work, language)],
    [
      'docProps/app.xml',
      `${declaration}<Properties xmlns="${office}/extended-properties">` +
        `<Application>fundpress</Application><Company>${xmlText(work.publisher)}</Company></Properties>`,
    ],
    [
      'xl/workbook.xml',
      `${declaration}<workbook xmlns="${main}" xmlns:r="${office}/relationships"><sheets>` +
        names
          .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="r${index + 1}"/>`)
          .join('') +
        `</sheets><definedNames>${filters.join('')}${titles.join('')}</definedNames></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      list([
        ...numbers.map((id) =>
          relation(id, `${office}/relationships/worksheet`, `worksheets/sheet${id}.xml`),
        ),
        relation(names.length + 1, `${office}/relationships/styles`, 'styles.xml'),
      ]),
    ],
    ['xl/styles.xml', stylesOf(language)],
  ]
}

/** What file managers and Excel show of a file. The standard has no place for a licence but the description. */
function coreProperties({ asOf, publisher, licence, page }: FormatWork, language: Language): string {
  const w = words[language].about
  const terms = licence === null ? [] : [`${w.licence}: ${licenceText(licence)}`]
  const created = `<dcterms:created xsi:type="dcterms:W3CDTF">${asOf}T00:00:00Z</dcterms:created>`
  return (
    `${declaration}<cp:coreProperties xmlns:cp="${packaging}/metadata/core-properties" ` +
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<dc:title>${xmlText(w.title(dayIn(language, asOf)))}</dc:title><dc:creator>${xmlText(publisher)}</dc:creator>` +
    `<dc:description>${xmlText([`${w.source}: ${page}`, ...terms].join('\n'))}</dc:description>` +
    `<dc:language>${language}</dc:language>${created}${created.replaceAll('created', 'modified')}</cp:coreProperties>`
  )
}

const licenceText = ({ name, url }: Licence) => (url === null ? name : `${name} (${url})`)

/** The numbers of styles, in their order. */
const styles = {
  text: 0,
  title: 1,
  day: 2,
  amount: 3,
  figure: 4,
  percent: 5,
  whole: 6,
  heading: 7,
  saidDay: 8,
} as const

function stylesOf(language: Language): string {
  const dayFormat = language === 'de' ? 'dd.mm.yyyy' : 'yyyy-mm-dd'
  const formats = [dayFormat, '#,##0.00####', '#,##0.00##', '#,##0.00']
  const font = (size: number, more: string) =>
    `<font>${more}<sz val="${size}"/><name val="Calibri"/><family val="2"/></font>`
  const style = (
    format: number,
    own: {
      readonly font?: number
      readonly fill?: number
      readonly isLeft?: true
      readonly isOneLine?: true
    } = {},
  ) =>
    `<xf numFmtId="${format}" fontId="${own.font ?? 0}" fillId="${own.fill ?? 0}" borderId="0" xfId="0" applyNumberFormat="1" ` +
    `applyFont="1" applyFill="1" applyAlignment="1"><alignment${own.isLeft ? ' horizontal="left"' : ''} vertical="top"${own.isOneLine ? '' : ' wrapText="1"'}/></xf>`
  const cells: Readonly<Record<keyof typeof styles, string>> = {
    text: style(0),
    title: style(0, { font: 1, fill: 2 }),
    day: style(firstFormat),
    amount: style(firstFormat + 1),
    figure: style(firstFormat + 2),
    percent: style(firstFormat + 3),
    // Built in: a whole number without a separator.
    whole: style(1),
    heading: style(0, { font: 2, isOneLine: true }),
    saidDay: style(firstFormat, { isLeft: true }),
  }
  const fill = (pattern: string) => `<fill><patternFill ${pattern}</fill>`
  return (
    `${declaration}<styleSheet xmlns="${main}"><numFmts count="${formats.length}">` +
    formats
      .map((code, index) => `<numFmt numFmtId="${firstFormat + index}" formatCode="${code}"/>`)
      .join('') +
    `</numFmts><fonts count="3">${font(11, '')}${font(11, '<b/>')}${font(14, '<b/>')}</fonts>` +
    `<fills count="3">${fill('patternType="none"/>')}${fill('patternType="gray125"/>')}` +
    `${fill('patternType="solid"><fgColor rgb="FFE8EBEF"/></patternFill>')}</fills>` +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${Object.keys(cells).length}">${Object.values(cells).join('')}</cellXfs>` +
    // openpyxl, and so pandas, warns without a name for the default style.
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  )
}

/** Smaller numbers are those of formats that are built in. */
const firstFormat = 164

/** In characters, as widths of columns are. Longer texts wrap. */
const leastWidth = 9
const mostWidth = 60
/** Excel leaves out some of a column for its edges, and the button of the filter hides the end of a title. */
const edges = 2
const filterButton = 3

function widthOf(column: SheetColumn): number {
  const words = column.title.split(' ').map(({ length }) => length + filterButton)
  return Math.min(mostWidth, Math.max(leastWidth, column.widest, ...words)) + edges
}

/** The lines that a title takes in its column. */
function linesOf(column: SheetColumn): number {
  const room = widthOf(column) - edges - filterButton
  let lines = 1
  let used = 0
  for (const { length } of column.title.split(' ')) {
    const isSame = used > 0 && used + 1 + length <= room
    if (used > 0 && !isSame) lines++
    used = isSame ? used + 1 + length : length
  }
  return lines
}

/** In points. A row with several lines says so: LibreOffice does not measure them. */
const lineHeight = 15

const rowOf = (number: number, cells: readonly string[], lines = 1): string => {
  const height = lines === 1 ? '' : ` ht="${lines * lineHeight}" customHeight="1"`
  return `<row r="${number}"${height}>${cells.join('')}</row>`
}

/** The first row stays in sight. */
function sheetStart(columns: readonly SheetColumn[], isChosen: boolean): string {
  const widths = columns.map((column, index) => {
    return `<col min="${index + 1}" max="${index + 1}" width="${widthOf(column)}" customWidth="1"/>`
  })
  const titles = columns.map(({ title }, column) => textCell(addressOf(column, 1), title, styles.title))
  return (
    `${declaration}<worksheet xmlns="${main}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>` +
    `<sheetViews><sheetView${isChosen ? ' tabSelected="1"' : ''} workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${widths.join('')}</cols><sheetData>` +
    rowOf(1, titles, Math.max(...columns.map(linesOf)))
  )
}

const sheetEnd = (columns: readonly SheetColumn[], written: number) =>
  `</sheetData><autoFilter ref="A1:${addressOf(columns.length - 1, written)}"/>${landscape}</worksheet>`

/** All columns on a page in print. */
const landscape = '<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/>'

/** Who publishes which data on which terms, and how figures are computed. */
function aboutSheet({ asOf, publisher, licence, page }: FormatWork, language: Language): string {
  const w = words[language].about
  const facts: readonly (readonly [name: string, type: ColumnType, value: string])[] = [
    [w.asOf, 'date', asOf],
    [w.publisher, 'text', publisher],
    ...(licence === null ? [] : [[w.licence, 'text', licenceText(licence)] as const]),
    [w.source, 'text', page],
    [w.totalReturn, 'text', `${w.howReturned} ${w.past}`],
    [w.volatility, 'text', w.howVolatile],
  ]
  const heading = `<row r="1" ht="24" customHeight="1">${textCell('A1', w.title(dayIn(language, asOf)), styles.heading)}</row>`
  const rows = facts.map(([name, type, value], index) => {
    const row = index + 2
    const place = addressOf(1, row)
    const isDay = type === 'date' && !isBeforeExcel(value)
    const said = isDay ? dayCell(place, value, styles.saidDay) : textCell(place, value)
    const lines = Math.ceil(value.length / aboutWidth)
    return rowOf(row, [textCell(addressOf(0, row), name, styles.title), said], lines)
  })
  return (
    `${declaration}<worksheet xmlns="${main}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>` +
    '<sheetViews><sheetView workbookViewId="0"/></sheetViews>' +
    `<cols><col min="1" max="1" width="20" customWidth="1"/><col min="2" max="2" width="${aboutWidth}" customWidth="1"/></cols>` +
    `<sheetData>${heading}${rows.join('')}</sheetData>${landscape}</worksheet>`
  )
}

const aboutWidth = 90

/** Some readers need the address of each cell. @param row counts from 1 */
const addressOf = (column: number, row: number) => `${letterOf(column)}${row}`

/** No sheet has more columns than there are letters. */
const letterOf = (column: number) => String.fromCharCode(letterA + column)

const letterA = 65

/** @returns '' for none */
function cellOf(address: string, { type, isComputed }: SheetColumn, cell: OutputCell): string {
  if (cell === null || cell === '') return ''
  switch (type) {
    case 'text':
      return textCell(address, String(cell))
    case 'date':
      return isBeforeExcel(String(cell))
        ? textCell(address, String(cell))
        : dayCell(address, String(cell), styles.day)
    case 'boolean':
      return `<c r="${address}" t="b"><v>${cell}</v></c>`
    case 'decimal':
      return valueCell(address, Number(cell), styles.amount)
    case 'number':
      return valueCell(address, Number(cell), isComputed ? styles.percent : styles.figure)
    case 'integer':
      return valueCell(address, Number(cell), styles.whole)
    default:
      return type satisfies never
  }
}

/** Excel has no days before 1900, and a day too many in its February. */
const isBeforeExcel = (day: string) => day < '1900-03-01'

const dayCell = (address: string, day: string, style: number) =>
  valueCell(address, dayNumber(day) + firstDay, style)

const valueCell = (address: string, value: number, style: number) =>
  `<c r="${address}" s="${style}"><v>${value}</v></c>`

const textCell = (address: string, text: string, style: number = styles.text) =>
  `<c r="${address}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`

/** Characters of a cell as its format shows it. */
function shownLength(type: ColumnType, cell: OutputCell): number {
  if (cell === null) return 0
  switch (type) {
    case 'text':
      return String(cell).length
    case 'date':
      return 'yyyy-mm-dd'.length
    case 'boolean':
      return 'FALSCH'.length
    case 'decimal':
    case 'number':
    case 'integer':
      return amountLength(String(cell))
    default:
      return type satisfies never
  }
}

/** With separators of thousands; two decimals at least, and six at most. */
function amountLength(amount: string): number {
  const [whole = '', decimals = ''] = amount.split('.')
  return whole.length + Math.floor((whole.length - 1) / 3) + 1 + Math.min(6, Math.max(2, decimals.length))
}

/** Excel's number of 1970-01-01. Source: ECMA-376, Part 1, 18.17.4.1, with the leap day of 1900 that Excel has. */
const firstDay = 25_569
