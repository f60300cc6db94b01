/**
 * Rows with one key become one row, or are bad. A column that a row does not bring says nothing, so rows may complete each other. What is
 * taken and how many are bad does not depend on their order. Pure.
 */

import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { shortestOf, sumOf } from '../decimals.ts'
import type { Value } from '../values.ts'
import type { Origin, Said } from './staging.ts'

export interface SaidRow {
  readonly origin: Origin
  readonly says: Said
}

/** A column in which two rows differ. */
export interface Difference {
  readonly column: string
  /** What the other row says. */
  readonly there: Value
  /** What this one says. */
  readonly here: Value
}

/** A row that says something else than another one. */
export interface Contradicted {
  readonly origin: Origin
  /** The other row. */
  readonly other: Origin
  /** Undefined if it contradicts no row itself: others of its key do. */
  readonly difference: Difference | undefined
}

/** A row with a fault of its own. */
export interface Faulty {
  readonly origin: Origin
  readonly fault: string
}

export interface JoinedRows {
  /** What the rows say together; undefined if nothing is taken. */
  readonly taken: { readonly origins: readonly Origin[]; readonly says: Said } | undefined
  readonly contradicted: readonly Contradicted[]
  readonly faulty: readonly Faulty[]
  /** Rows that say the same as another one. */
  readonly repeated: readonly Origin[]
  /** Rows that are taken beside another one, which lacks something that they say. */
  readonly completing: readonly Origin[]
  /** Payments that were added to another one of their day and file. */
  readonly summed: readonly Origin[]
}

/** A row, or the payments of a day that a file lists: they speak as one. */
interface Voice {
  readonly origins: readonly [Origin, ...Origin[]]
  /** Tells rows apart, word for word. */
  readonly id: string
  readonly says: Said
}

/**
 * @param rows with the same key, in the order of the files and their lines
 * @param faultOf why a row is bad, whatever others say
 */
export function joinRows(
  table: SchemaTable,
  rows: readonly SaidRow[],
  faultOf: (says: Said) => string | undefined,
): JoinedRows {
  const { plainOf, joined } = decimalsOf(table)
  const repeated: Origin[] = []
  const distinct = (voices: readonly Voice[]): readonly Voice[] =>
    [...Map.groupBy(voices, ({ id }) => id).values()].flatMap(([first, ...others]) => {
      if (first === undefined) return []
      for (const { origins } of others) for (const origin of origins) repeated.push(origin)
      return [{ ...first, says: joined([first, ...others]) }]
    })
  const idOf = (says: Said) =>
    JSON.stringify([...says].map(([column, value]) => [column, plainOf(column, value)]))
  const voiceOf = ({ origin, says }: SaidRow): Voice => ({ origins: [origin], id: idOf(says), says })
  const ofFiles = [...Map.groupBy(rows, ({ origin }) => origin.file).values()].flatMap((own) =>
    summedPayments(table, distinct(own.map(voiceOf))),
  )
  const voices = distinct(ofFiles)
  const faulty = voices.flatMap(({ origins, says }) => {
    const fault = faultOf(says)
    return fault === undefined ? [] : origins.map((origin) => ({ origin, fault }))
  })
  const good = voices.filter(({ says }) => faultOf(says) === undefined)
  const contradicted = contradictions(good, plainOf)
  const none = { taken: undefined, contradicted, faulty, repeated, completing: [], summed: [] }
  if (good.length === 0 || contradicted.length > 0) return none
  const byWords = [...Map.groupBy(good, ({ says }) => idOf(says)).values()]
  return {
    taken: { origins: good.flatMap(({ origins }) => origins), says: joined(good) },
    contradicted,
    faulty,
    // One file may have the sum of what another one lists.
    repeated: [...repeated, ...byWords.flatMap((same) => same.slice(1).map(({ origins }) => origins[0]))],
    completing: byWords.slice(1).flatMap((same) => same.slice(0, 1).map(({ origins }) => origins[0])),
    summed: good.flatMap(({ origins }) => origins.slice(1)),
  }
}

/** Compares and joins values: of decimals that are the same number, the one with the most digits counts. */
function decimalsOf(table: SchemaTable) {
  const names = new Set(table.columns.filter(({ kind }) => kind === 'decimal').map(({ name }) => name))
  const plainOf = (column: string, value: Value): Value =>
    names.has(column) && typeof value === 'string' ? shortestOf(value) : value
  const joined = (voices: readonly Voice[]): Said => {
    const says = new Map<string, Value>()
    for (const [column, value] of voices.flatMap((voice) => [...voice.says])) {
      const found = says.get(column)
      const isLonger = names.has(column) && String(value).length > String(found).length
      if (found === undefined || isLonger) says.set(column, value)
    }
    return says
  }
  return { plainOf, joined }
}

/** Several payments of one ex-day, as files list an ordinary and a special distribution, are their sum, if only their amounts differ. */
function summedPayments(table: SchemaTable, voices: readonly Voice[]): readonly Voice[] {
  const [first, ...others] = voices
  if (table !== schemaTables.corporateActions || first === undefined || others.length === 0) return voices
  const amounts = voices.map(({ says }) => says.get('amount'))
  const rest = ({ says }: Voice) => JSON.stringify([...says].filter(([column]) => column !== 'amount'))
  if (others.some((other) => rest(other) !== rest(first))) return voices
  if (!amounts.every((amount) => typeof amount === 'string')) return voices
  return [
    {
      origins: [first.origins[0], ...others.flatMap(({ origins }) => origins)],
      id: JSON.stringify(voices.map(({ id }) => id).sort()),
      says: new Map(first.says).set('amount', sumOf(amounts)),
    },
  ]
}

/** @returns all rows if two of them differ in a column that both say: nothing says which is right */
function contradictions(
  voices: readonly Voice[],
  plainOf: (column: string, value: Value) => Value,
): readonly Contradicted[] {
  /** By column: the first voice that says it, and the first one that says something else. */
  const speakers = new Map<string, { readonly first: Voice; other: Voice | undefined }>()
  const isSame = (column: string, value: Value, { says }: Voice) =>
    plainOf(column, value) === plainOf(column, says.get(column) ?? null)
  for (const voice of voices) {
    for (const [column, value] of voice.says) {
      const found = speakers.get(column)
      if (found === undefined) speakers.set(column, { first: voice, other: undefined })
      else if (found.other === undefined && !isSame(column, value, found.first)) found.other = voice
    }
  }
  const split = [...speakers.values()].find(({ other }) => other !== undefined)
  if (split === undefined) return []
  return voices.flatMap(({ origins, says }): readonly Contradicted[] => {
    for (const [column, here] of says) {
      const { first, other } = speakers.get(column) ?? {}
      if (first === undefined || other === undefined) continue
      const found = isSame(column, here, first) ? other : first
      const difference = { column, there: found.says.get(column) ?? null, here }
      return origins.map((origin) => ({ origin, other: found.origins[0], difference }))
    }
    return origins.map((origin) => ({ origin, other: split.first.origins[0], difference: undefined }))
  })
}
