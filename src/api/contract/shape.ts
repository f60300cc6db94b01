/**
 * Document shapes: what a published document looks like, said once. A shape gives the TypeScript type of the value
 * that is to be encoded (`ValueOf`), and tells `encode/` how it is written in JSON and in XML.
 *
 * Source of the XML forms: the interface, "Conventions for all responses".
 */

import type { Language } from '../routes/table.ts'

/** A text for people, in each language. */
export type Texts = Readonly<Record<Language, string>>

export type Shape =
  | Text
  | Decimal
  | Numeric
  | Described<'day'>
  /** A boolean: true and false in JSON, 1 and 0 in XML. */
  | Described<'flag'>
  | Item
  /** null in JSON, an empty element in XML, or the inner shape. */
  | Around<'nullable'>
  | RecordOf
  /** An array; in XML `<item key="0">`, counted from 0. */
  | Around<'list'>
  | Keyed
  /** A map by ISIN: the one map that XML writes with the key as the element's name. */
  | Around<'byIsin'>

interface Described<K extends string> {
  readonly kind: K
  readonly description: Texts
}

interface Around<K extends string, S extends Shape = Shape> {
  readonly kind: K
  readonly of: S
}

/** Free text, unless a form is known of it. */
export interface Text extends Described<'text'> {
  readonly form?: TextForm
}

/** What every text of a field matches (a regular expression), or is. Only what the checks of a database see to. */
type TextForm =
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'values'; readonly values: readonly string[] }

/**
 * Decimal text, published as a string digit for digit: '-12.50', or '-12,50'. Never holds a character that has to be
 * escaped.
 */
export interface Decimal extends Described<'decimal'> {
  readonly mark: '.' | ','
}

/** A number, written in its shortest decimal form, never with an exponent. */
export interface Numeric extends Described<'number'> {
  /** Only for whole numbers: the least and the greatest one, null if there is no such bound. */
  readonly whole?: { readonly from: number | null; readonly to: number | null }
}

/** A decimal with a display name that is always the same: `{name, value}`. Its value here is the decimal alone. */
interface Item {
  readonly kind: 'item'
  readonly name: string
  readonly value: Decimal
}

/** An object with known names, in this order. A field whose value is undefined is left out. */
export interface RecordOf<F extends Fields = Fields> {
  readonly kind: 'record'
  readonly fields: F
}

/** A map whose keys are data (years, dates, labels, asset classes); in XML `<item key="2020">`. */
interface Keyed<S extends Shape = Shape> extends Around<'keyed', S> {
  readonly key: Texts
}

export type Optional<S extends Shape = Shape> = Around<'optional', S>

export type Fields = Readonly<Record<string, Shape | Optional>>

/** The TypeScript type of a shape's values. Maps are `Map`s: objects would put keys that look like integers first. */
export type ValueOf<S> =
  // A shape that is not known more closely: the type would have no end.
  Shape extends S
    ? unknown
    : S extends { kind: 'number' }
      ? number
      : S extends { kind: 'flag' }
        ? boolean
        : S extends { kind: 'nullable'; of: infer T }
          ? ValueOf<T> | null
          : S extends { kind: 'record'; fields: infer F extends Fields }
            ? FieldValues<F>
            : S extends { kind: 'list'; of: infer T }
              ? readonly ValueOf<T>[]
              : S extends { kind: 'keyed' | 'byIsin'; of: infer T }
                ? ReadonlyMap<string, ValueOf<T>>
                : string

type FieldValues<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { kind: 'optional' } ? never : K]: ValueOf<F[K]>
} & {
  readonly [K in keyof F as F[K] extends { kind: 'optional' } ? K : never]?: F[K] extends { of: infer T }
    ? ValueOf<T> | undefined
    : never
}

/** The parameters `en` and `de` of these functions are the description of the field; the German one may be left out in tests. */
export const text = (en: string, de = en, form?: TextForm): Text =>
  form === undefined
    ? { kind: 'text', description: { en, de } }
    : { kind: 'text', description: { en, de }, form }
export const textLike = (en: string, de: string, pattern: string) =>
  text(en, de, { kind: 'pattern', pattern })
export const textAmong = (en: string, de: string, values: readonly string[]) =>
  text(en, de, { kind: 'values', values })
export const decimal = (en: string, de = en, mark: '.' | ',' = '.') =>
  ({ kind: 'decimal', description: { en, de }, mark }) as const
export const day = (en: string, de: string) => ({ kind: 'day', description: { en, de } }) as const
export const number = (en: string, de = en): Numeric => ({ kind: 'number', description: { en, de } })
export const wholeNumber = (en: string, de: string, from: number | null = null, to: number | null = null) =>
  ({ kind: 'number', description: { en, de }, whole: { from, to } }) as const
export const flag = (en: string, de: string) => ({ kind: 'flag', description: { en, de } }) as const
/** A decimal with its German name. */
export const item = (name: string, en: string, de = name, mark: '.' | ',' = '.') =>
  ({ kind: 'item', name, value: decimal(en, de, mark) }) as const
export const nullable = <S extends Shape>(of: S) => ({ kind: 'nullable', of }) as const
export const record = <F extends Fields>(fields: F): RecordOf<F> => ({ kind: 'record', fields })
export const list = <S extends Shape>(of: S) => ({ kind: 'list', of }) as const
/** `en` and `de` say what the keys are. */
export const keyed = <S extends Shape>(en: string, de: string, of: S): Keyed<S> => ({
  kind: 'keyed',
  key: { en, de },
  of,
})
export const byIsin = <S extends Shape>(of: S) => ({ kind: 'byIsin', of }) as const
export const optional = <S extends Shape>(of: S): Optional<S> => ({ kind: 'optional', of })
