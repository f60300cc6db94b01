/**
 * The vocabulary an endpoint is declared in. A declaration is the one place that knows an endpoint: routes, object
 * keys, rendering, refusals, and what documents the API all derive from it.
 */

import type { Language } from '../routes/table.ts'
import type { EndpointGroup, Errors } from './errors.ts'
import type { FundRow, FundRows, Group } from './rows.ts'
import type { RecordOf, Texts, ValueOf } from './shape.ts'

/** Parameters of a path, each with the names of the errors that it can have. `E` are the endpoint's error names. */
export type PathParameter<E extends string = string> =
  /** The fund's ISIN: its answers can be enumerated, so each fund's answer is a stored object. */
  | { readonly kind: 'isin'; readonly missing: E; readonly unknown: E }
  /** One of a closed list: enumerated too. `nameOf` gives what answers call the choice. */
  | {
      readonly kind: 'choice'
      readonly choices: readonly string[]
      readonly invalid: E
      readonly nameOf: (choice: string, language: Language) => string
    }
  /** An ISO 8601 day: cannot be enumerated, so the answer is put together from yearly windows. */
  | { readonly kind: 'date'; readonly invalid: E; readonly meaning: Texts }

/** A refusal is a value: the endpoint's error of that name, instead of a body. */
export interface RefusedAnswer<E extends string = string> {
  readonly refused: E
}
export const fail = <const E extends string>(error: E): RefusedAnswer<NoInfer<E>> => ({ refused: error })
export const isRefusal = (answer: object): answer is RefusedAnswer => 'refused' in answer

/** What the answer to one request depends on beside the fund's rows. */
export interface Asked {
  /** The snapshot's date, ISO 8601: an age is counted up to it. */
  readonly asOf: string
  readonly language: Language
  /** The structure type, on the endpoint that has one; else ''. */
  readonly type: string
}

/** The rows that an endpoint reads: the fund's own, and those of the groups it names. */
export type RowsOf<G extends Group> = { readonly fund: FundRow } & Pick<FundRows, G>

/** What the lines of an answer in CSV are made of. Each is the name of a field of the body. */
export interface CsvLines {
  readonly records: string
  readonly then: readonly string[]
}

/** An endpoint about one fund. */
export interface FundEndpoint<
  B extends RecordOf = RecordOf,
  E extends Errors = Errors,
  G extends Group = Group,
> {
  readonly scope: 'fund'
  readonly id: string
  readonly group: EndpointGroup
  readonly path: string
  /** What lists of a fund's documents call it. */
  readonly name: Texts
  /** One line on what it gives. */
  readonly summary: Texts
  readonly hasLanguages: boolean
  readonly parameters: Readonly<Record<string, PathParameter<keyof E & string>>>
  readonly errors: E
  /** The groups of rows that a document is built from, beside the fund's own row. */
  readonly reads: readonly G[]
  /** Whether only the newest price counts: `build` then gets no other. */
  readonly readsNewestPrice?: boolean
  readonly body: B
  /** Only with date parameters: the field of the body that holds the records, and the record's date field. */
  readonly series?: { readonly list: string; readonly date: string }
  /**
   * Only if its answers are there as CSV, too: a line for each record of the field `records` (one record or a list of them), with
   * the fields of the body that `then` names after those of the record.
   */
  readonly csv?: CsvLines
  build(this: void, rows: RowsOf<G>, asked: Asked): ValueOf<B> | RefusedAnswer<keyof E & string>
}

/** An endpoint that holds the bodies of another one for all funds that have one. */
export interface AllFundsEndpoint {
  readonly scope: 'all'
  readonly id: string
  readonly group: EndpointGroup
  readonly path: string
  readonly summary: Texts
  readonly of: FundEndpoint
}

export type Endpoint = FundEndpoint | AllFundsEndpoint

/** The groups of the endpoints, each once, in their order. */
export const groupsOf = (endpoints: readonly Endpoint[]): readonly EndpointGroup[] => [
  ...new Map(endpoints.map(({ group }) => [group.id, group])).values(),
]

/**
 * Declares an endpoint: checks the declaration's types against each other (an error that a parameter or `build` names
 * has to be declared) and forgets them.
 */
export function endpoint<const B extends RecordOf, const E extends Errors, const G extends Group>(
  declaration: Omit<FundEndpoint<B, E, G>, 'scope'>,
): FundEndpoint {
  return { scope: 'fund', ...declaration } as unknown as FundEndpoint
}

/** Declares the endpoint over all funds that goes with one about a single fund. */
export const allFunds = (of: FundEndpoint, own: { id: string; path: string; summary: Texts }) =>
  ({ scope: 'all', group: of.group, of, ...own }) as const
