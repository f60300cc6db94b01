/**
 * Names that columns of files usually have, in German and English. They are proposed by `import --explain`, for people to confirm;
 * an import never takes a column by them. Pure.
 */

import type { SchemaTable } from '../../core/data/model/columns.ts'
import { columnsOf, headerName, type ColumnMap } from './layout.ts'
import type { FileCell } from './values.ts'

/** By the column of any table, or of one. */
const usual: Readonly<Record<string, RegExp>> = {
  isin: /^isin(?:[ -]?(?:code|nummer|no\.?))?$/,
  wkn: /^wkn(?:[ -]?(?:nummer|code))?$/,
  currency: /^(?:w[äa]e?hrung|fondsw[äa]e?hrung|fund currency|share class currency|ccy|curr\.?)$/,
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
  'corporate_action.amount':
    /^(?:betrag|aussch[üu]e?ttung(?:sbetrag)?|dividend(?: (?:amount|per share))?|distribution)$/,
  'document.language': /^(?:sprache|lang)$/,
  'document.title': /^(?:titel|name|bezeichnung)$/,
  'document.url': /^(?:link|adresse|address)$/,
  'document.kind': /^(?:art|typ|type|dokumentart|document type)$/,
  'structure_item.name_de': /^(?:name|bezeichnung|land|branche|titel|position(?:sname)?)$/,
  'structure_item.percent': /^(?:anteil|gewicht(?:ung)?|weight|prozent|in %|%|anteil in %)$/,
  'performance_year.year': /^(?:jahr|kalenderjahr)$/,
  'performance_year.percent': /^(?:wertentwicklung|performance|rendite)(?: in %)?$/,
}

/** @returns the column of the table that a column of this name usually is; undefined if there is none */
export function usualColumn(table: SchemaTable, cell: FileCell): string | undefined {
  const name = headerName(cell)
  const names = [...columnsOf(table).map((column) => column.name), 'wkn']
  const spelled = name.replaceAll(/[ .-]+/g, '_')
  if (names.includes(spelled)) return spelled
  return names.find((column) => (usual[`${table.name}.${column}`] ?? usual[column])?.test(name))
}

/** Adds what is proposed to a map: a usual name for each column, once; what has none is ignored. */
export function proposedMap(table: SchemaTable, header: readonly FileCell[], known: ColumnMap): ColumnMap {
  const map = new Map(known)
  const taken = new Set([...known.values()].flatMap((target) => target.split(',')))
  const names = new Set(columnsOf(table).map(({ name }) => name))
  for (const cell of header) if (names.has(headerName(cell))) taken.add(headerName(cell))
  for (const cell of header) {
    const name = headerName(cell)
    if (name === '' || map.has(name) || names.has(name)) continue
    const proposed = usualColumn(table, cell)
    const isFree = proposed !== undefined && !taken.has(proposed)
    map.set(name, isFree ? proposed : '')
    if (isFree) taken.add(proposed)
  }
  return map
}
