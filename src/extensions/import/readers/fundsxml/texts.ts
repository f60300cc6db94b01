/** Texts of FundsXML as values of the schema, and short ways to declare elements. Pure. */

import type { Value } from '../../values.ts'
import type { Element, Elements } from './xml.ts'

export type Texts = Readonly<Record<string, string | undefined>>

/** Elements whose texts are kept under their own names. */
export const leaves = (names: string): Elements =>
  Object.fromEntries(names.split(' ').map((name) => [name, { text: name }]))

/** Amounts by currency, kept as `name EUR`. */
export const amounts = (name: string): Element => ({ below: { Amount: { text: name, by: 'ccy' } } })

/** @returns the amounts of that name, by currency */
export function amountsOf(texts: Texts, name: string): ReadonlyMap<string, string> {
  const start = `${name} `
  const found = Object.entries(texts).flatMap(([key, text]) =>
    key.startsWith(start) && text !== undefined
      ? [[key.slice(start.length), decimal(text) ?? text] as const]
      : [],
  )
  return new Map(found)
}

/** The day of an xs:date, which may have a zone: it is the day there. */
export const day = (text: string | undefined) =>
  text?.replace(/(?<=^[0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})$/, '')

/** An xs:decimal with the same digits, as the schema writes it: `+.50` is `0.50`. Another text stays as it is, to be refused. */
export function decimal(text: string | undefined): string | undefined {
  const [, minus = '', whole = '', fraction = ''] =
    /^(?:(-)|\+)?([0-9]*)(?:\.([0-9]*))?$/.exec(text ?? '') ?? []
  if (whole + fraction === '') return text
  return `${minus}${whole.replace(/^0+(?=[0-9])/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
}

/** A number of a REAL column. Another text stays as it is, to be refused. */
export function number(text: string | undefined): Value | undefined {
  const plain = decimal(text)
  return plain !== undefined && /^-?[0-9]+(?:\.[0-9]+)?$/.test(plain) ? Number(plain) : plain
}

/** An xs:boolean. Another text stays as it is, to be refused. */
export function flag(text: string | undefined): Value | undefined {
  return text === 'true' || text === '1' ? 1 : text === 'false' || text === '0' ? 0 : text
}

/** Without what is undefined: such columns are absent. */
export const present = (values: Readonly<Record<string, Value | undefined>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )

export const linesOf = (text: string | undefined): readonly string[] => text?.split('\n') ?? []
