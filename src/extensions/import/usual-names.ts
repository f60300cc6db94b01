/**
 * Names that columns of files usually have, in German and English. They are proposed by `import --explain`, for people to confirm;
 * an import never takes a column by them. Pure.
 */

import type { SchemaTable } from '../../core/data/model/columns.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import { columnsOf, headerName, keyNames, takesFactor, targetsOf, type ColumnMap } from './layout.ts'
import { headerUnit } from './header-unit.ts'
import type { FileCell } from './values.ts'

/** By the column of any table, or of one. Units behind a name do not count. */
const usual: Readonly<Record<string, RegExp>> = {
  isin: /^(?:isin(?:[ -]?(?:code|nummer|no\.?))?|(?:code|kod|κωδικός) isin)$/,
  wkn: /^wkn(?:[ -]?(?:nummer|code))?$/,
  currency:
    /^(?:whg\.?|(?:fonds|anteils?(?:klassen)?)?w[äa]e?hrung(?:s(?:code|k[üu]e?rzel))?|(?:fund |share ?class |base )?(?:currency|ccy|curr\.?)(?: code)?|devise|waluta|νόμισμα)$/,
  // Before that of the fund, with which it is compared.
  'price.currency':
    /^(?:(?:preis|kurs|nav[ -]?|notierungs)w[äa]e?hrung|(?:price|nav|pricing|trading|quotation) (?:currency|ccy|curr\.?)(?: code)?)$/,
  date: /^(?:datum|tag|stand|stichtag|bewertungs(?:tag|datum)|(?:preis|kurs|nav)[ -]?datum|(?:nav|price|pricing|valuation|trade|dealing)[ _-]?da(?:te|y)|as of|date(?: de)? (?:vl|valorisation|valeur liquidative)|data(?: wyceny)?|ημερομηνία(?: αποτίμησης)?)$/,
  'price.net_asset_value':
    /^(?:r?nav|niw|vl|kurs|preis|price|fondspreis|(?:nav|net asset value) (?:per share|per unit|pro anteil|je anteil)|net asset value|(?:netto)?inventarwert|anteils?(?:wert|preis)|rechenwert|valeur liquidative|warto[śs][ćc] (?:jednostki(?: uczestnictwa)?|aktyw[óo]w netto na jednostk[ęe](?: uczestnictwa)?)|καθαρή (?:τιμή|αξία)(?: μεριδίου)?)$/,
  'price.issue_price':
    /^(?:ausgabe(?:preis|kurs)|issue price|(?:offer|ask|subscription) price|prix de souscription|τιμή διάθεσης)$/,
  'price.repurchase_price':
    /^(?:r[üu]e?cknahme(?:preis|kurs)|(?:redemption|bid|repurchase) price|prix de rachat|τιμή εξαγοράς)$/,
  'price.intercompany_profit': /^(?:zwischengewinn|interim profit)$/,
  'price.share_profit': /^(?:aktiengewinn|equity gain)$/,
  'price.real_estate_profits': /^(?:immobiliengewinn|real estate gain)$/,
  'fund.name':
    /^(?:fonds(?:name)?|(?:fund|full|share class) name|bezeichnung|fund|name des fonds|nom du fonds|libellé|nazwa(?: funduszu)?|όνομα(?: αμοιβαίου)?)$/,
  'fund.fund_inception_date':
    /^(?:auflage(?:datum|tag)?|auflegung(?:sdatum)?|(?:fund )?(?:inception|launch)(?: date)?|gr[üu]e?ndungsdatum)$/,
  'fund.url': /^(?:link|webseite|website|web ?page|internet)$/,
  'fund.end_date':
    /^(?:(?:end|termination|liquidation|maturity) date|enddatum|f[äa]e?lligkeit|laufzeitende)$/,
  'corporate_action.ex_date': /^(?:ex[ -]?(?:tag|datum|date|day))$/,
  'corporate_action.kind': /^(?:art|typ|type|ereignis|event)$/,
  'corporate_action.amount':
    /^(?:betrag|aussch[üu]e?ttung(?:sbetrag)?|dividende?(?: amount)?|distribution(?: amount)?)(?: (?:je|pro|per) (?:anteil|share|unit))?$/,
  'document.language': /^(?:sprache|lang)$/,
  'document.title': /^(?:titel|name|bezeichnung)$/,
  'document.url': /^(?:link|adresse|address)$/,
  'document.kind': /^(?:art|typ|type|dokument(?:en)?(?:art|typ)?|document(?: (?:type|kind))?)$/,
  'structure_item.name_de': /^(?:name|bezeichnung|land|branche|titel|position(?:sname)?)$/,
  'structure_item.percent': /^(?:anteil|gewicht(?:ung)?|weight|weighting|prozent|(?:in )?%)$/,
  'asset_allocation.class_de': /^(?:(?:anlage|asset|verm[öo]e?gens)[ -]?klasse|asset class)$/,
  'asset_allocation.percent': /^(?:anteil|gewicht(?:ung)?|weight|weighting|prozent|(?:in )?%)$/,
  'asset_allocation.derivatives':
    /^(?:(?:inkl(?:\.|usive)|mit) derivaten?|(?:incl\.|including|with) derivatives)$/,
  'key_figure.name_de': /^(?:kennzahl|key figure)$/,
  'key_figure.value': /^(?:wert der kennzahl|value of (?:the )?key figure)$/,
  'profile.category_de': /^(?:fonds)?(?:kategorie|gattung)$/,
  'profile.category_en': /^(?:fund )?category$/,
  'profile.benchmark': /^(?:benchmark|vergleichsindex|referenzindex|reference index)$/,
  // A volume without another word is that of all share classes.
  'profile.total_fund_assets':
    /^(?:(?:gesamt)?fonds(?:volumen|verm[öo]e?gen)|fund (?:size|volume)|(?:total )?net assets|aum)$/,
  'profile.fund_assets':
    /^(?:(?:anteils?|tranchen)(?:klassen)?(?:volumen|verm[öo]e?gen)|share ?class (?:size|volume|assets))$/,
  'profile.total_fund_assets_currency':
    /^(?:w[äa]e?hrung des (?:fondsvolumens|fondsverm[öo]e?gens)|fund size currency)$/,
  'profile.end_of_fiscal_year':
    /^(?:(?:ende (?:des )?)?gesch[äa]e?ftsjahr(?:es)?(?:ende)?|(?:fiscal|financial) year[ -]end)$/,
  'profile.accumulating':
    /^(?:ertragsverwendung|gewinnverwendung|aussch[üu]e?ttungsart|use of income|distribution policy)$/,
  'profile.conformity': /^(?:ucits|ogaw)(?:[ -]?(?:konform|compliant))?$/,
  'profile.issue_surcharge':
    /^(?:ausgabeaufschlag|agio|(?:front[ -]?end )?(?:load|sales charge)|(?:entry|subscription) (?:fee|charge)|issue surcharge)$/,
  'profile.redemption_fee': /^(?:r[üu]e?cknahme(?:abschlag|geb[üu]e?hr)|(?:exit|redemption) (?:fee|charge))$/,
  'profile.total_expense_ratio': /^(?:ter|laufende kosten|gesamtkostenquote|ongoing charges?|ocf)$/,
  'profile.management_fee': /^(?:verwaltungs(?:verg[üu]e?tung|geb[üu]e?hr)|management fee)(?: p\.? ?a\.?)?$/,
  'profile.custodian_bank_fee':
    /^(?:(?:depotbank|verwahrstellen)(?:verg[üu]e?tung|geb[üu]e?hr)|(?:custodian|depositary) fee)(?: p\.? ?a\.?)?$/,
  'profile.performance_fee': /^(?:erfolgs(?:abh[äa]e?ngige )?verg[üu]e?tung|erfolgsgeb[üu]e?hr)$/,
  'profile.savings_plan': /^(?:sparplan|sparplanf[äa]e?hig)$/,
  'performance_year.year': /^(?:jahr|kalenderjahr)$/,
  'performance_year.percent': /^(?:wertentwicklung|performance|rendite)$/,
}

/** @returns the column of the table that a column of this name usually is; undefined if there is none */
export const usualColumn = (table: SchemaTable, cell: FileCell): string | undefined =>
  spelledColumn(table, cell) ?? ownUsualColumn(table, cell) ?? commonUsualColumn(table, cell)

/** `Net asset value` is `net_asset_value`. */
function spelledColumn(table: SchemaTable, cell: FileCell): string | undefined {
  const spelled = headerName(cell).replaceAll(/[ .-]+/g, '_')
  return namesOf(table).find((column) => column === spelled)
}

const ownUsualColumn = (table: SchemaTable, cell: FileCell): string | undefined =>
  namesOf(table).find((column) => isUsual(cell, `${table.name}.${column}`))

const commonUsualColumn = (table: SchemaTable, cell: FileCell): string | undefined =>
  namesOf(table).find((column) => isUsual(cell, column))

const isUsual = (cell: FileCell, key: string) => {
  const name = headerName(cell)
  return usual[key]?.test(name) === true || usual[key]?.test(headerUnit(name).bare) === true
}

/**
 * Finds columns of a file that another table of the schema usually has: a list of funds often has their profiles, too.
 * @param names of all columns of the file @param left those that its own table does not take
 * @returns the tables that could be filled, with the columns of the file for each
 */
export function usualElsewhere(
  own: SchemaTable,
  names: readonly string[],
  left: readonly string[],
): readonly { readonly table: SchemaTable; readonly columns: readonly string[] }[] {
  return Object.values(schemaTables)
    .filter((table) => table !== own)
    .flatMap((table) => {
      const found = new Set(names.map((name) => usualColumn(table, name)))
      const columns = left.filter((name) => {
        const column = spelledColumn(table, name) ?? ownUsualColumn(table, name)
        return column !== undefined && column !== 'wkn' && !table.key.includes(column)
      })
      return columns.length > 1 && keyNames(table).every((name) => found.has(name))
        ? [{ table, columns }]
        : []
    })
}

const namesOf = (table: SchemaTable): readonly string[] => [
  ...columnsOf(table).map((column) => column.name),
  'wkn',
]

/** What the cells of columns are, by the columns, from 0. */
export interface CellSorts {
  /** Codes of currencies, or of hundredths of one. */
  readonly currencies: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly isins: ReadonlySet<number>
}

export const unknownSorts: CellSorts = { currencies: new Set(), days: new Set(), isins: new Set() }

/** Adds what is proposed to a map: a usual name for each column, once; what has none is ignored. */
export function proposedMap(
  table: SchemaTable,
  header: readonly FileCell[],
  known: ColumnMap,
  sorts: CellSorts = unknownSorts,
): ColumnMap {
  const map = new Map(known)
  const taken = new Set([...known.values()].flatMap((mapped) => targetsOf(mapped).map(({ name }) => name)))
  const names = new Set(columnsOf(table).map(({ name }) => name))
  const hasIsin = taken.has('isin') || header.some((cell) => usualColumn(table, cell) === 'isin')
  for (const cell of header) if (names.has(headerName(cell))) taken.add(headerName(cell))
  const open = [...header.entries()].filter(([, cell]) => {
    const name = headerName(cell)
    return name !== '' && !map.has(name) && !names.has(name)
  })
  const isOpen = (cell: FileCell) => !map.has(headerName(cell))
  const byCells = (at: number) =>
    columnByCells(table, sorts, at, (sort) => {
      const own = open.filter(([other, cell]) => sort.has(other) && isOpen(cell))
      return own.length === 1 && sort.has(at)
    })
  // What is surer has its column first.
  const ways = [
    (_: number, cell: FileCell) => spelledColumn(table, cell),
    (_: number, cell: FileCell) => ownUsualColumn(table, cell),
    (_: number, cell: FileCell) => commonUsualColumn(table, cell),
    byCells,
  ]
  for (const columnBy of ways)
    for (const [at, cell] of open) {
      const column = isOpen(cell) ? columnBy(at, cell) : undefined
      if (column === undefined || taken.has(column)) continue
      // It names a fund in place of the ISIN.
      if (column === 'wkn' && !names.has(column) && hasIsin) continue
      map.set(headerName(cell), withFactor(table, cell, column))
      taken.add(column)
    }
  for (const [, cell] of open) if (isOpen(cell)) map.set(headerName(cell), '')
  return taken.has(nav) ? map : withNav(map, header)
}

/** @returns the column, with the factor that the header names */
function withFactor(table: SchemaTable, cell: FileCell, name: string): string {
  const { factor } = headerUnit(headerName(cell))
  const own = table.columns.find((column) => column.name === name)
  return factor > 1 && own !== undefined && takesFactor(own) ? `${name}*${factor}` : name
}

/** @param isOnly whether the column is the only open one of a sort */
function columnByCells(
  table: SchemaTable,
  { currencies, days, isins }: CellSorts,
  at: number,
  isOnly: (sort: ReadonlySet<number>) => boolean,
): string | undefined {
  const columns = columnsOf(table)
  if (currencies.has(at)) return columns.find(({ name }) => name === 'currency')?.name
  if (isOnly(days)) return columns.find(({ isKey, kind }) => isKey && kind === 'day')?.name
  return isOnly(isins) ? 'isin' : undefined
}

const nav = 'net_asset_value'

/** Proposes the repurchase price for a NAV that a list of prices lacks: without a redemption fee it is one. */
function withNav(map: ReadonlyMap<string, string>, header: readonly FileCell[]): ColumnMap {
  const source = header.map(headerName).find((name) => (map.get(name) ?? name) === repurchase)
  return source === undefined ? map : new Map([...map, [source, navByRepurchase]])
}

const repurchase = 'repurchase_price'

/** What the column of repurchase prices is proposed for where a file lacks the NAV. */
export const navByRepurchase = `${repurchase},${nav}`
