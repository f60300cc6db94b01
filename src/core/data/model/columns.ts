/** How the tables of the fund database are declared: the kinds of their columns, and what a column has. */

import type { Language } from '../../api/routes/table.ts'
import { descriptionOf, type Fields, type Texts } from '../../api/contract/shape.ts'

/**
 * What the values of a column are. The checks and the import treat all columns of a kind alike.
 * - `decimal`: plain decimal text, never a float. `number`: a double.
 * - `day`: YYYY-MM-DD. `dayOfYear`: MM-DD. `flag`: 0 or 1. `currency`: ISO 4217. `structureType`: one of the 33.
 * `language`: ISO 639-1. `country`: ISO 3166-1, or '' for all. `address`: of the web. `wkn`: six characters, doubtful otherwise.
 */
export type Kind = TextKind | 'number' | 'integer' | 'flag' | 'year'
export type TextKind =
  | 'isin'
  | 'wkn'
  | 'text'
  | 'structureType'
  | 'currency'
  | 'language'
  | 'country'
  | 'address'
  | 'day'
  | 'dayOfYear'
  | 'decimal'

export type Unit = 'percent' | 'fraction'

/** `amount`: in the currency of its row. `taxFigure`: of German tax law, an amount or a percentage; which one, no column says. */
export type Money = 'amount' | 'taxFigure'

/** What a declaration says of a column. */
interface Traits {
  readonly kind: Kind
  readonly isNullable: boolean
  /** Set if the schema has a value for rows that name none. */
  readonly hasDefault?: true
  /** Set if its values go again in the course of things: fewer of them are no loss. */
  readonly isPassing?: true
  /** Absent if the kind is the only limit. */
  readonly allowed?: readonly (string | number)[]
  /** Smallest possible number. */
  readonly least?: number
  /** What numbers usually are, from the first to the second of these. */
  readonly usual?: readonly [least: number, most: number]
  /** Set if 0 is usual, too: most funds have no such fee. */
  readonly isUsuallyZero?: true
  /** Set if the values are parts of a whole: 5 % is 5, or 0.05. */
  readonly unit?: Unit
  /** Set if the values of several rows may stand as their sum: shares and assets. */
  readonly addsUp?: true
  /** Set for decimals that stand beside a currency, unless they are percentages or ratios. */
  readonly money?: Money
  /** Set for costs: a new one from here on is refused, since it is most likely in the other unit. */
  readonly high?: number
  /** What a day or a year after the as-of date is: absent if it may lie ahead, as the end of a fund may. */
  readonly afterAsOf?: 'error' | 'warning'
  /** How many years a day may lie ahead, if fewer than any: a fund is announced before it begins. */
  readonly yearsAhead?: number
  /** Set if a day or a year hardly lies before the inception of the fund. */
  readonly isSinceInception?: true
  /** Set for an end that may not be known: a day that stands for none is NULL. */
  readonly mayBeOpen?: true
  /** Number of the field in the European MiFID Template (FinDatEx EMT V4), for the import. */
  readonly template?: string
}

export interface TableColumn extends Traits {
  /** In the database: `issue_price`. */
  readonly name: string
  /** In rows: `issuePrice`. */
  readonly field: string
  readonly isKey: boolean
  /** Null if the downloads do not have the column. */
  readonly download: DownloadColumn | null
}

export interface DownloadColumn {
  readonly describe: Texts
  readonly isNullable: boolean
  /** SQL over the table as `t`. */
  readonly sql: string
}

/** Whose rows the downloads give out. */
export type Permission = 'data' | 'prices' | 'performance'

export interface SchemaTable {
  readonly name: string
  readonly columns: readonly TableColumn[]
  readonly key: readonly string[]
  /** A column, and its value in rows that stay when their fund is gone. */
  readonly outlives?: readonly [column: string, value: string]
  readonly download: {
    /** The name of the files (`prices.csv`), and of the table in the SQLite file. */
    readonly name: string
    /** The name of the CSV files if they have another one. */
    readonly csvName?: string
    /** One sentence for people. */
    readonly describe: Readonly<Record<Language, string>>
    readonly needs: Permission
  }
}

export function sqlTypeOf(kind: Kind): 'TEXT' | 'REAL' | 'INTEGER' {
  if (kind === 'number') return 'REAL'
  return kind === 'integer' || kind === 'flag' || kind === 'year' ? 'INTEGER' : 'TEXT'
}

/** SQL condition for rows that stay when their fund is gone. */
export const outlivingRows = ({ outlives }: SchemaTable, alias: string) =>
  outlives === undefined ? 'false' : `${alias}.${outlives[0]} = '${outlives[1]}'`

/** A column whose values have type `V` in rows. */
interface Declared<V> extends Traits {
  /** For the downloads. May be left out if the API describes a field of that name. */
  readonly describe: Texts | undefined
  /** The name in the database if it is not the field in snake_case. */
  readonly name?: string
  readonly download?: { readonly sql: string; readonly isNullable: boolean } | null
  /** Never set: the type keeps columns of different values apart. */
  readonly values?: (value: V) => V
}
type More = Partial<Omit<Declared<unknown>, 'values'>>

const column =
  <V>(kind: Kind, ofKind: More = {}) =>
  (describe?: Texts, more: More = {}): Declared<V> => ({
    kind,
    isNullable: false,
    describe,
    ...ofKind,
    ...more,
  })

const text = column<string>('text')
const day = column<string>('day')
/** The day of a figure of the fund: it is past, and the fund was there. */
const pastDay = column<string>('day', { afterAsOf: 'error', isSinceInception: true })
const decimal = column<string>('decimal')
const number = column<number>('number')
const integer = column<number>('integer')
const flag = column<0 | 1>('flag', { allowed: [0, 1] })

const orNull = <V>({ values: _, ...declared }: Declared<V>): Declared<V | null> => ({
  ...declared,
  isNullable: true,
})
const comesAndGoes = <V>(declared: Declared<V>): Declared<V | null> => ({
  ...orNull(declared),
  isPassing: true,
})
const instead = (sql: string, isNullable: boolean) => ({ sql, isNullable })

/** A percentage that may be any: a positive one of a few years is at most tenfold. */
const performance = (describe: Texts) =>
  number(describe, { least: -100, usual: [-Infinity, 1000], unit: 'percent' })

/** A part of a whole, in percent. */
const share = column<number>('number', { usual: [0, 100], unit: 'percent', addsUp: true })

/** Costs of a year in percent. Refunds may make them negative. */
const yearlyCosts = column<number>('number', { unit: 'percent', high: 20 })
/** A fee in percent. */
const fee = column<number>('number', { unit: 'percent', high: 20, least: 0 })
/** A fee of the investor: below a tenth of a percent it is most likely a fraction. */
const chargedFee = () => orNull(fee(undefined, { usual: [0.1, Infinity], isUsuallyZero: true }))

const fraction = column<number>('number', { unit: 'fraction', high: 0.2 })
const cost = (template: string) => orNull(fraction(undefined, { template, usual: [0, Infinity] }))
/** Measured against the price when the order was given: a better one is a negative cost. */
const signedCost = (template: string) => orNull(fraction(undefined, { template }))

/** One of these texts, by its number in the European MiFID Template. */
const textAmong = <const V extends string>(template: string, allowed: readonly V[]) =>
  column<V>('text')(undefined, { template, allowed })

/** A flag that decides what is given out, and is not given out itself. */
const control = flag(undefined, { hasDefault: true, download: null })

/** A text in German and perhaps in English. */
const inBoth = <N extends string>(name: N, describe: Texts) =>
  bothTexts(name, describe, text(inGerman(describe))) as Record<`${N}De`, Declared<string>> &
    Record<`${N}En`, Declared<string | null>>

/** The same of what a fund may not have: an English text never stands alone. */
const inBothOrNull = <N extends string>(name: N, describe: Texts) =>
  bothTexts(name, describe, orNull(text(inGerman(describe)))) as Record<
    `${N}De` | `${N}En`,
    Declared<string | null>
  >

const inGerman = ({ en, de }: Texts): Texts => ({ en: `${en}, in German`, de: `${de}, auf Deutsch` })

function bothTexts(name: string, { en, de }: Texts, german: Declared<string> | Declared<string | null>) {
  const download = instead(`coalesce(t.${name}_en, t.${name}_de)`, german.isNullable)
  const english = {
    en: `${en}, in English (in German if there is no English one)`,
    de: `${de}, auf Englisch (auf Deutsch, wenn der englische Text fehlt)`,
  }
  return { [`${name}De`]: german, [`${name}En`]: orNull(text(english, { download })) }
}

/** A way to invest. If nothing says whether it is possible, its minimum is not given out either. */
const possibility = <N extends string>(name: N, { en, de }: Texts) => {
  const own = inSnakeCase(name)
  const download = instead(`iif(t.${own} IS NULL, NULL, t.${own}_minimum)`, true)
  const whether = { en: `${en}: whether it is possible`, de: `${de}: ob möglich` }
  const minimum = {
    en: `${en}: smallest amount, in the currency of the fund`,
    de: `${de}: Mindestbetrag in der Währung des Fonds`,
  }
  return {
    [name]: orNull(flag(whether)),
    [`${name}Minimum`]: orNull(decimal(minimum, { download })),
  } as Record<N, Declared<0 | 1 | null>> & Record<`${N}Minimum`, Declared<string | null>>
}

/** What the columns of `schema.ts` are declared with. */
export const columnBuilders = {
  column,
  text,
  textAmong,
  day,
  pastDay,
  decimal,
  share,
  yearlyCosts,
  fee,
  chargedFee,
  number,
  integer,
  flag,
  control,
  performance,
  cost,
  signedCost,
  orNull,
  comesAndGoes,
  instead,
  inBoth,
  inBothOrNull,
  possibility,
}

const inSnakeCase = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface DeclaredTable<Row> extends Pick<SchemaTable, 'name' | 'key' | 'outlives'> {
  readonly download: string
  readonly csvName?: string
  readonly needs: Permission
  readonly en: string
  readonly de: string
  /** The API's fields whose descriptions the columns of the same name take over. */
  readonly published?: Fields
  readonly columns: { readonly [F in Exclude<keyof Row, 'isin'>]: Declared<Row[F]> }
}

export function tableOfRows<Row>(declared: DeclaredTable<Row>): SchemaTable {
  const { published = {}, download: fileName, csvName, needs, en, de, ...others } = declared
  const key = ['isin', ...others.key]
  const isin = column<string>('isin')({ en: 'ISIN of the fund', de: 'ISIN des Fonds' }, { template: '00010' })
  const all = Object.entries({ isin, ...others.columns } as Readonly<Record<string, Declared<unknown>>>)
  const columns = all.map(([field, { describe, download, name = inSnakeCase(field), ...traits }]) => {
    const shown = () => describe ?? descriptionOf(published[name]) ?? missing(`${others.name}.${name}`)
    const { isNullable } = traits
    const own = download === null ? null : { describe: shown(), isNullable, sql: `t.${name}`, ...download }
    return { ...traits, name, field, isKey: key.includes(name), download: own }
  })
  const files = { name: fileName, ...(csvName !== undefined && { csvName }), describe: { en, de }, needs }
  return { ...others, key, columns, download: files }
}

function missing(name: string): never {
  throw new Error(`column ${name} has no description`)
}
