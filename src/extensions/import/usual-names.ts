/**
 * Names that columns of files usually have, in German and English. They are proposed by `import --explain`, for people to confirm;
 * an import never takes a column by them. Pure.
 */

import type { SchemaTable } from '../../core/data/model/columns.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import { columnsOf, headerName, keyNames, type ColumnMap } from './layout.ts'
import type { FileCell } from './values.ts'

/** By the column of any table, or of one. */
const usual: Readonly<Record<string, RegExp>> = {
  isin: /^isin(?:[ -]?(?:code|nummer|no\.?))?$/,
  wkn: /^wkn(?:[ -]?(?:nummer|code))?$/,
  currency:
    /^(?:whg\.?|(?:fonds|anteils?(?:klassen)?)?w[äa]e?hrung(?:s(?:code|k[üu]e?rzel))?|(?:fund |share ?class |base )?(?:currency|ccy|curr\.?)(?: code)?)$/,
  // Before that of the fund, with which it is compared.
  'price.currency':
    /^(?:(?:preis|kurs|nav[ -]?|notierungs)w[äa]e?hrung|(?:price|nav|pricing|trading|quotation) (?:currency|ccy|curr\.?)(?: code)?)$/,
  date: /^(?:datum|tag|stand|stichtag|bewertungs(?:tag|datum)|(?:preis|kurs)datum|(?:nav|price|pricing|valuation)[ _]?da(?:te|y)|as of)$/,
  'price.net_asset_value':
    /^(?:r?nav|nav (?:per share|pro anteil|je anteil)|net asset value|(?:netto)?inventarwert|anteils?wert)$/,
  'price.issue_price': /^(?:ausgabe(?:preis|kurs)|issue price|(?:offer|ask|subscription) price)$/,
  'price.repurchase_price': /^(?:r[üu]e?cknahme(?:preis|kurs)|(?:redemption|bid|repurchase) price)$/,
  'fund.name': /^(?:fonds(?:name)?|(?:fund|full|share class) name|bezeichnung|fund|name des fonds)$/,
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
  'document.kind': /^(?:art|typ|type|dokumentart|document type)$/,
  'structure_item.name_de': /^(?:name|bezeichnung|land|branche|titel|position(?:sname)?)$/,
  'structure_item.percent': /^(?:anteil|gewicht(?:ung)?|weight|prozent|in %|%|anteil in %)$/,
  'asset_allocation.class_de': /^(?:(?:anlage|asset|verm[öo]e?gens)[ -]?klasse|asset class)$/,
  'asset_allocation.percent': /^(?:anteil|gewicht(?:ung)?|weight|prozent|in %|%|anteil in %)$/,
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
    /^(?:ausgabeaufschlag|agio|(?:front[ -]?end )?(?:load|sales charge)|(?:entry|subscription) (?:fee|charge)|issue surcharge)(?: \(?(?:in )?%\)?)?$/,
  'profile.redemption_fee':
    /^(?:r[üu]e?cknahme(?:abschlag|geb[üu]e?hr)|(?:exit|redemption) (?:fee|charge))(?: \(?(?:in )?%\)?)?$/,
  'profile.total_expense_ratio':
    /^(?:ter|laufende kosten|gesamtkostenquote|ongoing charges?|ocf)(?: \(?(?:in )?%\)?)?$/,
  'profile.management_fee':
    /^(?:verwaltungs(?:verg[üu]e?tung|geb[üu]e?hr)|management fee)(?: p\.? ?a\.?)?(?: \(?(?:in )?%\)?)?$/,
  'profile.custodian_bank_fee':
    /^(?:(?:depotbank|verwahrstellen)(?:verg[üu]e?tung|geb[üu]e?hr)|(?:custodian|depositary) fee)(?: p\.? ?a\.?)?(?: \(?(?:in )?%\)?)?$/,
  'profile.performance_fee': /^(?:erfolgs(?:abh[äa]e?ngige )?verg[üu]e?tung|erfolgsgeb[üu]e?hr)$/,
  'profile.savings_plan': /^(?:sparplan|sparplanf[äa]e?hig)$/,
  'performance_year.year': /^(?:jahr|kalenderjahr)$/,
  'performance_year.percent': /^(?:wertentwicklung|performance|rendite)(?: in %)?$/,
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
  namesOf(table).find((column) => usual[`${table.name}.${column}`]?.test(headerName(cell)))

const commonUsualColumn = (table: SchemaTable, cell: FileCell): string | undefined =>
  namesOf(table).find((column) => usual[column]?.test(headerName(cell)))

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

/**
 * Adds what is proposed to a map: a usual name for each column, once; what has none is ignored.
 * @param codes the columns of the file, from 0, that hold codes of currencies
 */
export function proposedMap(
  table: SchemaTable,
  header: readonly FileCell[],
  known: ColumnMap,
  codes: ReadonlySet<number> = new Set(),
): ColumnMap {
  const map = new Map(known)
  const taken = new Set([...known.values()].flatMap((target) => target.split(',')))
  const names = new Set(columnsOf(table).map(({ name }) => name))
  const hasIsin = taken.has('isin') || header.some((cell) => usualColumn(table, cell) === 'isin')
  for (const cell of header) if (names.has(headerName(cell))) taken.add(headerName(cell))
  const open = [...header.entries()].filter(([, cell]) => {
    const name = headerName(cell)
    return name !== '' && !map.has(name) && !names.has(name)
  })
  const byCodes = (at: number) => (codes.has(at) && names.has('currency') ? 'currency' : undefined)
  // What is surer has its column first.
  const ways = [
    (_: number, cell: FileCell) => spelledColumn(table, cell),
    (_: number, cell: FileCell) => ownUsualColumn(table, cell),
    (_: number, cell: FileCell) => commonUsualColumn(table, cell),
    byCodes,
  ]
  for (const columnBy of ways)
    for (const [at, cell] of open) {
      const column = map.has(headerName(cell)) ? undefined : columnBy(at, cell)
      if (column === undefined || taken.has(column)) continue
      // It names a fund in place of the ISIN.
      if (column === 'wkn' && !names.has(column) && hasIsin) continue
      map.set(headerName(cell), column)
      taken.add(column)
    }
  for (const [, cell] of open) if (!map.has(headerName(cell))) map.set(headerName(cell), '')
  return map
}
