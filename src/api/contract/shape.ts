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
  Text | Decimal | Day | Numeric | Flag | Item | Nullable | RecordOf | ListOf | Keyed | ByIsin

/** Free text, unless a form is known of it. */
export interface Text {
  readonly kind: 'text'
  readonly description: Texts
  readonly form?: TextForm
}

/** What every text of a field matches (a regular expression), or is. Only what the checks of a database see to. */
export type TextForm =
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'values'; readonly values: readonly string[] }

/**
 * Decimal text, published as a string digit for digit: '-12.50', or '-12,50'. Never holds a character that has to be
 * escaped.
 */
export interface Decimal {
  readonly kind: 'decimal'
  readonly description: Texts
  readonly mark: '.' | ','
}

/** An ISO 8601 day, YYYY-MM-DD. */
export interface Day {
  readonly kind: 'day'
  readonly description: Texts
}

/** A number, written in its shortest decimal form, never with an exponent. */
export interface Numeric {
  readonly kind: 'number'
  readonly description: Texts
  /** Only for whole numbers: the least and the greatest one, null if there is no such bound. */
  readonly whole?: { readonly from: number | null; readonly to: number | null }
}

/** A boolean: true and false in JSON, 1 and 0 in XML. */
export interface Flag {
  readonly kind: 'flag'
  readonly description: Texts
}

/** A decimal with a display name that is always the same: `{name, value}`. Its value here is the decimal alone. */
export interface Item {
  readonly kind: 'item'
  readonly name: string
  readonly value: Decimal
}

/** null in JSON, an empty element in XML, or the inner shape. */
export interface Nullable<S extends Shape = Shape> {
  readonly kind: 'nullable'
  readonly of: S
}

/** An object with known names, in this order. A field whose value is undefined is left out. */
export interface RecordOf<F extends Fields = Fields> {
  readonly kind: 'record'
  readonly fields: F
}

/** An array; in XML `<item key="0">`, counted from 0. */
export interface ListOf<S extends Shape = Shape> {
  readonly kind: 'list'
  readonly of: S
}

/** A map whose keys are data (years, dates, labels, asset classes); in XML `<item key="2020">`. */
export interface Keyed<S extends Shape = Shape> {
  readonly kind: 'keyed'
  readonly of: S
  readonly key: Texts
}

/** A map by ISIN: the one map that XML writes with the key as the element's name. */
export interface ByIsin<S extends Shape = Shape> {
  readonly kind: 'byIsin'
  readonly of: S
}

export interface Optional<S extends Shape = Shape> {
  readonly kind: 'optional'
  readonly of: S
}

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
export const text = (en: string, de = en): Text => ({ kind: 'text', description: { en, de } })
export const textLike = (en: string, de: string, pattern: string): Text => ({
  ...text(en, de),
  form: { kind: 'pattern', pattern },
})
export const textAmong = (en: string, de: string, values: readonly string[]): Text => ({
  ...text(en, de),
  form: { kind: 'values', values },
})
export const decimal = (en: string, de = en, mark: '.' | ',' = '.'): Decimal => ({
  kind: 'decimal',
  description: { en, de },
  mark,
})
export const day = (en: string, de: string): Day => ({ kind: 'day', description: { en, de } })
export const number = (en: string, de = en): Numeric => ({ kind: 'number', description: { en, de } })
export const wholeNumber = (
  en: string,
  de: string,
  from: number | null = null,
  to: number | null = null,
): Numeric => ({ ...number(en, de), whole: { from, to } })
export const flag = (en: string, de: string): Flag => ({ kind: 'flag', description: { en, de } })
export const item = (name: string, value: Decimal): Item => ({ kind: 'item', name, value })
export const nullable = <S extends Shape>(of: S): Nullable<S> => ({ kind: 'nullable', of })
export const record = <F extends Fields>(fields: F): RecordOf<F> => ({ kind: 'record', fields })
export const list = <S extends Shape>(of: S): ListOf<S> => ({ kind: 'list', of })
/** `en` and `de` say what the keys are. */
export const keyed = <S extends Shape>(en: string, de: string, of: S): Keyed<S> => ({
  kind: 'keyed',
  key: { en, de },
  of,
})
export const byIsin = <S extends Shape>(of: S): ByIsin<S> => ({ kind: 'byIsin', of })
export const optional = <S extends Shape>(of: S): Optional<S> => ({ kind: 'optional', of })
