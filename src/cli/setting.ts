/** What a setting can be: the kinds that the declaration in settings.ts is written in. */

import { isAbsolute, join } from 'node:path'

/** The JSON Schema of a value: all that a value is checked by, here and by any JSON Schema validator. */
export type ValueSchema =
  | { readonly type: 'string'; readonly pattern: string }
  | { readonly type: 'integer' | 'number'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean' }
  | {
      readonly type: 'array'
      readonly minItems: 1
      readonly items: { readonly type: 'string'; readonly pattern: string }
    }

/** What a default can depend on. */
export interface Known {
  readonly baseUrl: string
  /** Of the store, null for AWS. */
  readonly endpoint: string | null
  readonly liveTtlSeconds: number
  /** CloudFront's, null without one. */
  readonly keyValueStore: string | null
  readonly cores: number
}

export interface Derived<T> {
  /** The default as the help shows it. */
  readonly text: string
  readonly from: (known: Known) => T
}

export function isDerived(fallback: unknown): fallback is Derived<unknown> {
  return typeof fallback === 'object' && fallback !== null
}

export interface Setting<T> {
  readonly kind: 'setting'
  readonly describe: string
  /** What a message says of an accepted value: `a whole number from 1 to 256`. */
  readonly expects: string
  readonly schema: ValueSchema
  readonly fallback: T | Derived<T>
  /** The command line flag, on the commands that have the setting: `--jobs <number>`. */
  readonly flag?: string
  /** The accepted text in the form that the program uses; `folder` is where a relative path starts. */
  readonly tidy?: (text: string, folder: string) => string
}

export interface Group<Members extends Declaration = Declaration> {
  readonly kind: 'group'
  readonly describe: string
  readonly members: Members
}

/** A list of objects, which only a config file can hold. What an entry does not say is left out of it. */
export interface List<Members extends Entry = Entry> {
  readonly kind: 'list'
  readonly describe: string
  readonly members: Members
  /** An entry has to say one of these at least. */
  readonly oneOf: readonly (keyof Members & string)[]
}

export interface Declaration {
  readonly [name: string]: Setting<unknown> | Group | List
}

/** What an entry of a list can say. */
export interface Entry {
  readonly [name: string]: Setting<unknown>
}

/** The type of the values that a declaration describes. */
export type ValuesOf<D> = {
  readonly [K in keyof D]: D[K] extends Setting<infer T>
    ? T
    : D[K] extends Group<infer M>
      ? ValuesOf<M>
      : D[K] extends List<infer M>
        ? readonly EntryOf<M>[]
        : never
}

type EntryOf<M> = { readonly [K in keyof M]?: M[K] extends Setting<infer T> ? NonNullable<T> : never }

/** The names of a declaration's settings, with their groups: `edge.port`. Lists are none. */
export type KeysOf<D> = {
  [K in keyof D & string]: D[K] extends Group<infer M> ? `${K}.${KeysOf<M>}` : D[K] extends List ? never : K
}[keyof D & string]

interface Details<F> {
  readonly fallback: F
  readonly flag?: string
}

type Text<F> = Setting<string | Extract<F, null>>

export function path<F extends string | null>(describe: string, details: Details<F>): Text<F> {
  const tidy = (text: string, folder: string) => (isAbsolute(text) ? text : join(folder, text))
  // An address there would be a mistake, and its password would get into messages that name the file.
  return textual(describe, 'a path', '^(?![A-Za-z][A-Za-z0-9+.-]+://).', details, tidy)
}

export function url<F extends string | Derived<string> | null>(
  describe: string,
  details: Details<F>,
): Text<F> {
  const expects =
    'an absolute http or https URL without a user name, a password or a query, such as https://funds.example.com/api'
  const pattern = '^https?://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?(/[^\\s?#]*)?$'
  return textual(describe, expects, pattern, details, (text) => text.replace(/(?<!\/)\/+$/, ''))
}

export function text<F extends string | null>(
  describe: string,
  details: Details<F> & { readonly expects: string; readonly pattern: string },
): Text<F> {
  return textual(describe, details.expects, details.pattern, details)
}

type Count<F> = Setting<number | Extract<F, null>>

export function whole<F extends number | Derived<number> | null>(
  describe: string,
  { minimum, maximum, ...details }: Details<F> & Bounds,
): Count<F> {
  const expects = `a whole number from ${minimum} to ${maximum}`
  return numeric({ describe, expects, schema: { type: 'integer', minimum, maximum } }, details)
}

/** A number that may have decimal places. */
export function decimal<F extends number | Derived<number> | null>(
  describe: string,
  { minimum, maximum, ...details }: Details<F> & Bounds,
): Count<F> {
  const expects = `a number from ${minimum} to ${maximum}`
  return numeric({ describe, expects, schema: { type: 'number', minimum, maximum } }, details)
}

interface Bounds {
  readonly minimum: number
  readonly maximum: number
}

export function flag(describe: string, details: Details<boolean>): Setting<boolean> {
  return { kind: 'setting', describe, expects: 'true or false', schema: { type: 'boolean' }, ...details }
}

export function group<M extends Declaration>(describe: string, members: M): Group<M> {
  return { kind: 'group', describe, members }
}

/** One text or more, separated by commas where they are one text. */
export function texts(
  describe: string,
  {
    expects,
    pattern,
    fallback,
  }: { readonly expects: string; readonly pattern: string; readonly fallback: null },
): Setting<readonly string[] | null> {
  const schema = { type: 'array' as const, minItems: 1 as const, items: { type: 'string' as const, pattern } }
  return { kind: 'setting', describe, expects, schema, fallback }
}

export function list<M extends Entry>(
  describe: string,
  members: M,
  oneOf: readonly (keyof M & string)[],
): List<M> {
  return { kind: 'list', describe, members, oneOf }
}

function numeric<F extends number | Derived<number> | null>(
  what: Pick<Setting<unknown>, 'describe' | 'expects' | 'schema'>,
  { fallback, ...details }: Details<F>,
): Count<F> {
  return { kind: 'setting', ...what, fallback: fallback as Count<F>['fallback'], ...details }
}

function textual<F extends string | Derived<string> | null>(
  describe: string,
  expects: string,
  pattern: string,
  { fallback, ...details }: Details<F>,
  tidy = (value: string, _folder: string) => value,
): Text<F> {
  // A fallback of null is what makes null part of the type: the compiler cannot follow that through Extract.
  const typed = fallback as Text<F>['fallback']
  return {
    kind: 'setting',
    describe,
    expects,
    schema: { type: 'string', pattern },
    fallback: typed,
    tidy,
    ...details,
  }
}
