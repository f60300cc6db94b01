/** The list of a fund's yearly windows: written by the renderer, read by the edge. Source: keys.md, endpoint 3. */

export interface WindowEntry {
  readonly year: number
  /** Dates of the first and the last record, ISO 8601. */
  readonly first: string
  readonly last: string
  readonly records: number
  /** The first 32 hex digits of the SHA-256 of the window's document in each format: ranges make their ETag of them. */
  readonly json: string
  readonly xml: string
}

export interface WindowList {
  /** Ascending. */
  readonly windows: readonly WindowEntry[]
}
