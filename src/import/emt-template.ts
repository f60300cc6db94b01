/** The European MiFID Template of FinDatEx (EMT V4): which of its fields go into which column of table emt. */

import { quoted } from '../source/printable.ts'
import type { Cell } from './cells.ts'
import type { Field, Layout } from './layout.ts'
import type { Table } from './tables.ts'

/** By the number that the name of a field starts with. Source: interface.md, and the template itself. */
const fieldOf: Readonly<Record<string, string>> = {
  isin: '00010',
  governanceprocess: '00075',
  srri: '04020',
  compatible_for_clients_with_esg_preferences: '05105',
  other_specific_investment_need: '05115',
  transaction_costs: '07130',
  incidental_costs: '07140',
  entry_costs: '08025',
  ongoing_costs: '08030',
  // The template dates the costs ex ante as a whole, and those ex post by the end of their period.
  transaction_costs_date: '07160',
  incidental_costs_date: '07160',
  ongoing_costs_date: '08100',
}

const versionField = '00001'
const codeTypeField = '00020'

/** What this was made for. Later ones of the fourth have kept the numbers so far. */
const knownVersions = ['V4', 'V4.0', 'V4.1', 'V4.2', 'V4.3']

/** The number of a field of the template, of a header's cell: `00010_Financial_Instrument_Identifying_Data`. */
export const fieldNumber = (cell: Cell): string | undefined =>
  /^\s*([0-9]{5})(?![0-9])/.exec(String(cell))?.[1]

/** Whether a line names fields of the template. */
export function isTemplateHeader(header: readonly Cell[]): boolean {
  const numbers = new Set(header.map(fieldNumber))
  return [versionField, '00010'].some((number) => numbers.has(number)) && numbers.size > 2
}

/** @throws {Error} if a field that nothing can be read without is missing */
export function templateLayout(table: Table, header: readonly Cell[]): Layout {
  const places = new Map<string, number>()
  for (const [at, cell] of header.entries()) {
    const number = fieldNumber(cell)
    if (number === undefined) continue
    if (places.has(number)) throw new Error(`field ${number} is there twice`)
    places.set(number, at)
  }
  const version = required(places, versionField, 'the version')
  required(places, '00010', 'the ISIN')
  const fields = table.columns.flatMap((column): Field[] => {
    const number = fieldOf[column.name] ?? ''
    const at = places.get(number)
    return at === undefined ? [] : [{ column, at, label: `${number} (${column.name})` }]
  })
  const wanted = new Set(Object.values(fieldOf))
  const absent = [...wanted].filter((number) => !places.has(number)).sort()
  const codeType = places.get(codeTypeField)
  const versions = new Set<string>()
  return {
    fields,
    width: [header.length, header.length],
    check: (cells) => {
      const name = versionName(textOf(cells[version]))
      const isFourth = /^V4(?:\.[0-9]{1,2})?$/.test(name)
      if (isFourth) versions.add(name)
      return [
        ...(isFourth
          ? []
          : [`${versionField}: EMT version ${quoted(name)} is not one of ${knownVersions.join(', ')}`]),
        ...(codeType === undefined ? [] : codeTypeFaults(textOf(cells[codeType]))),
      ]
    },
    notes: () => [
      ...[...versions]
        .sort()
        .map((name) => `EMT ${name}${knownVersions.includes(name) ? '' : ', which is not known here'}`),
      ...(absent.length === 0 ? [] : [`not in the file: ${absent.join(', ')}`]),
    ],
  }
}

function required(places: ReadonlyMap<string, number>, number: string, what: string): number {
  const at = places.get(number)
  if (at === undefined) throw new Error(`field ${number} of the template, ${what}, is missing`)
  return at
}

const textOf = (cell: Cell | undefined) => String(cell ?? '').trim()

/** A spreadsheet makes a number of it where nobody has written the V. */
const versionName = (version: string) => (/^[0-9]/.test(version) ? `V${version}` : version.toUpperCase())

/** Source: the template's closed list; 1 is ISO 6166. */
function codeTypeFaults(type: string): string[] {
  if (type === '1') return []
  return [`${codeTypeField}: the fund is named by a code of type ${quoted(type)}, not by its ISIN (1)`]
}
