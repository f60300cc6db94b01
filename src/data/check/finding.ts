/** What the checks of a database find. */

import { escapeInvisible, printable } from '../model/printable.ts'

export interface Finding {
  /** An error stops a build; a warning does not. */
  readonly severity: 'error' | 'warning'
  /** The fund, or null where the finding belongs to none. */
  readonly isin: string | null
  readonly table: string
  /** What is wrong and where in the table: `price date 2024-13-01 is not a date`. */
  readonly message: string
}

/** A finding of no fund: something that the settings name and the database does not have. */
export const settingsWarning = (message: string): Finding => ({
  severity: 'warning',
  isin: null,
  table: 'fund',
  message: escapeInvisible(message),
})

/** The database has errors, so nothing was built. The message names the first one. */
export class RefusedDatabase extends Error {
  override readonly name = 'RefusedDatabase'
  readonly findings: readonly Finding[]

  constructor(db: string, findings: readonly Finding[]) {
    const [first, ...others] = findings.filter(({ severity }) => severity === 'error')
    const count = others.length === 0 ? '1 error' : `${others.length + 1} errors`
    const rest = others.length === 0 ? '' : `, and ${others.length} more`
    super(
      `${db} has ${count}: ${first === undefined ? '' : describe(first)}${rest}; fix it, then check it with \`fundpress check\``,
    )
    this.findings = findings
  }
}

const describe = ({ isin, table, message }: Finding) =>
  `${isin === null ? '' : `fund ${printable(isin)}: `}${message} (table ${table})`
