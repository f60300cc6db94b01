/** What the checks of a database find. */

export interface Finding {
  /** An error stops a build; a warning does not. */
  readonly severity: 'error' | 'warning'
  /** The fund, or null where the finding belongs to none. */
  readonly isin: string | null
  readonly table: string
  /** What is wrong and where in the table: `price date 2024-13-01 is not a date`. */
  readonly message: string
}

/** The database has errors: nothing was built. */
export class RefusedDatabase extends Error {
  override readonly name = 'RefusedDatabase'
  readonly findings: readonly Finding[]

  constructor(db: string, findings: readonly Finding[]) {
    const errors = findings.filter(({ severity }) => severity === 'error').length
    super(
      `${db} has ${errors === 1 ? '1 error' : `${errors} errors`}: mend it, then check it with \`fundpress check\``,
    )
    this.findings = findings
  }
}
