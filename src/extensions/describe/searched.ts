/** A page of the documentation, as the search reads it. */
export interface SearchedPage {
  /** Relative to the documentation in its language. */
  readonly path: string
  readonly title: string
  readonly parts: readonly SearchedPart[]
}

/** A heading with the texts below it, up to the next one with an id. */
export interface SearchedPart {
  /** '' for the beginning of a page. */
  readonly id: string
  readonly heading: string
  /** Paragraphs, items, rows. */
  readonly texts: readonly string[]
}
