/** Declarations of endpoints, from which routes, object keys, rendering, refusals and documentation derive. */

import type { Language } from '../routes/table.ts'
import type { EndpointGroup, Errors } from './errors.ts'
import type { FundRow, FundRows, Group } from './rows.ts'
import type { RecordOf, Texts, ValueOf } from './shape.ts'

/** Parameters of a path, with names of their errors. `E` are the endpoint's error names. */
export type PathParameter<E extends string = string> =
  /** The fund's ISIN. It can be enumerated, so each fund's answer is a stored object. */
  | { readonly kind: 'isin'; readonly missing: E; readonly unknown: E }
  /** One of a closed list, which can be enumerated, too. `nameOf` is its name in answers. */
  | {
      readonly kind: 'choice'
      readonly choices: readonly string[]
      readonly invalid: E
      readonly nameOf: (choice: string, language: Language) => string
    }
  /** An ISO 8601 day. It cannot be enumerated, so yearly windows are put together for the answer. */
  | { readonly kind: 'date'; readonly invalid: E; readonly meaning: Texts }

/** A refusal is a value: the endpoint's error of that name, instead of a body. */
export interface RefusedAnswer<E extends string = string> {
  readonly refused: E
}
export const fail = <const E extends string>(error: E): RefusedAnswer<NoInfer<E>> => ({ refused: error })
export const isRefusal = (answer: object): answer is RefusedAnswer => 'refused' in answer

/** Inputs of an answer beside the fund's rows. */
interface Asked {
  /** The snapshot's date, ISO 8601. */
  readonly asOf: string
  readonly language: Language
  /** The structure type; '' for endpoints without. */
  readonly type: string
}

/** The rows that an endpoint reads: the fund's own, and those of its groups. */
export type RowsOf<G extends Group> = { readonly fund: FundRow } & Pick<FundRows, G>

/** Fields of the body that become lines of CSV. */
export interface CsvLines {
  readonly records: string
  readonly then: readonly string[]
}

export interface FundEndpoint<
  B extends RecordOf = RecordOf,
  E extends Errors = Errors,
  G extends Group = Group,
> {
  readonly scope: 'fund'
  readonly id: string
  readonly group: EndpointGroup
  readonly path: string
  /** For lists of a fund's documents. */
  readonly name: Texts
  readonly summary: Texts
  readonly hasLanguages: boolean
  readonly parameters: Readonly<Record<string, PathParameter<keyof E & string>>>
  readonly errors: E
  /** Groups of rows for a document, beside the fund's own row. */
  readonly reads: readonly G[]
  /** True if only the newest price counts: `build` then gets no other. */
  readonly readsNewestPrice?: boolean
  readonly body: B
  /** Only with date parameters: the field of the body that holds the records, and the record's date field. */
  readonly series?: { readonly list: string; readonly date: string }
  /** Only with CSV: a line for each record of the field `records`, followed by the fields `then`. */
  readonly csv?: CsvLines
  build(this: void, rows: RowsOf<G>, asked: Asked): ValueOf<B> | RefusedAnswer<keyof E & string>
}

/** An endpoint with the bodies of another one, for all funds that have one. */
interface AllFundsEndpoint {
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

/** Declares an endpoint. The types check that errors of parameters and `build` are declared, and are then forgotten. */
export function endpoint<const B extends RecordOf, const E extends Errors, const G extends Group>(
  declaration: Omit<FundEndpoint<B, E, G>, 'scope'>,
): FundEndpoint {
  return { scope: 'fund', ...declaration } as unknown as FundEndpoint
}

/** Declares the endpoint over all funds that belongs to one about a single fund. */
export const allFunds = (of: FundEndpoint, own: { id: string; path: string; summary: Texts }) =>
  ({ scope: 'all', group: of.group, of, ...own }) as const
