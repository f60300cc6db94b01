/**
 * Document shapes: the only description of a published document. A shape gives the TypeScript type of its values
 * (`ValueOf`), and `encode/` writes them by it. Source of the XML forms: the interface, "Conventions for all
 * responses".
 */

import type { Language } from '../routes/table.ts'

/** A text for readers, in each language. */
export type Texts = Readonly<Record<Language, string>>

export type Shape =
  | Text
  | Decimal
  | Numeric
  | Described<'day'>
  /** A boolean: true and false in JSON, 1 and 0 in XML. */
  | Described<'flag'>
  /** A decimal with a fixed display name: `{name, value}`. Its value here is the decimal alone. */
  | { readonly kind: 'item'; readonly name: string; readonly value: Decimal }
  /** null in JSON, an empty element in XML, or the inner shape. */
  | Around<'nullable'>
  | RecordOf
  /** An array; in XML `<item key="0">`, counted from 0. */
  | Around<'list'>
  /** A map whose keys are data (years, dates, labels, asset classes); in XML `<item key="2020">`. */
  | (Around<'keyed'> & { readonly key: Texts })
  /** A map by ISIN: the only map with its keys as names of elements in XML. */
  | Around<'byIsin'>

interface Described<K extends string> {
  readonly kind: K
  readonly description: Texts
}

interface Around<K extends string, S extends Shape = Shape> {
  readonly kind: K
  readonly of: S
}

/** Free text, unless it has a form. */
export interface Text extends Described<'text'> {
  /** As in JSON Schema: a pattern or the values of every text of the field. The checks of a database ensure it. */
  readonly form?: { readonly pattern: string } | { readonly enum: readonly string[] }
}

/** Decimal text, published as a string digit for digit: '-12.50', or '-12,50'. Needs no escapes. */
interface Decimal extends Described<'decimal'> {
  readonly mark: '.' | ','
}

/** A number, written in its shortest decimal form, never with an exponent. */
interface Numeric extends Described<'number'> {
  readonly whole?: { readonly minimum?: number; readonly maximum?: number }
}

/** An object with known names, in this order. A field whose value is undefined is left out. */
export interface RecordOf<F extends Fields = Fields> {
  readonly kind: 'record'
  readonly fields: F
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
                : S extends { form: { enum: readonly (infer V)[] } }
                  ? V
                  : string

type FieldValues<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { kind: 'optional' } ? never : K]: ValueOf<F[K]>
} & {
  readonly [K in keyof F as F[K] extends { kind: 'optional' } ? K : never]?: F[K] extends { of: infer T }
    ? ValueOf<T> | undefined
    : never
}

/** The parameters `en` and `de` describe the field; the German one may be left out in tests. */
export const text = (en: string, de = en): Text => ({ kind: 'text', description: { en, de } })
export const textLike = (en: string, de: string, pattern: string): Text => ({
  ...text(en, de),
  form: { pattern },
})
export const textAmong = <const V extends string>(en: string, de: string, values: readonly V[]) => ({
  ...text(en, de),
  form: { enum: values },
})
export const decimal = (en: string, de = en, mark: '.' | ',' = '.') =>
  ({ kind: 'decimal', description: { en, de }, mark }) as const
export const day = (en: string, de: string) => ({ kind: 'day', description: { en, de } }) as const
export const number = (en: string, de = en): Numeric => ({ kind: 'number', description: { en, de } })
export const wholeNumber = (en: string, de: string, whole: NonNullable<Numeric['whole']> = {}): Numeric => ({
  ...number(en, de),
  whole,
})
export const flag = (en: string, de: string) => ({ kind: 'flag', description: { en, de } }) as const
/** The description of a field; of the value if it is an item with a name. */
export function descriptionOf(field: Shape | Optional | undefined): Texts | undefined {
  if (field === undefined) return undefined
  if ('description' in field) return field.description
  if (field.kind === 'item') return field.value.description
  return descriptionOf(field.kind === 'record' ? field.fields['value'] : field.of)
}
export const item = (name: string, en: string, de = name, mark: '.' | ',' = '.') =>
  ({ kind: 'item', name, value: decimal(en, de, mark) }) as const
export const nullable = <S extends Shape>(of: S) => ({ kind: 'nullable', of }) as const
export const record = <F extends Fields>(fields: F): RecordOf<F> => ({ kind: 'record', fields })
export const list = <S extends Shape>(of: S) => ({ kind: 'list', of }) as const
/** `en` and `de` describe the keys. */
export const keyed = <S extends Shape>(en: string, de: string, of: S) =>
  ({ kind: 'keyed', key: { en, de }, of }) as const
export const byIsin = <S extends Shape>(of: S) => ({ kind: 'byIsin', of }) as const
export const optional = <S extends Shape>(of: S): Optional<S> => ({ kind: 'optional', of })
