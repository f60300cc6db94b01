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

/** The beginning of a message: what names the row beside its ISIN. `type countries, position 3: ` */
export function rowPlace(columns: readonly string[], values: readonly unknown[]): string {
  const parts = columns.map((column, index) => `${column} ${printable(String(values[index]))}`)
  return parts.length === 0 ? '' : `${parts.join(', ')}: `
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
    const errors = findings.filter(({ severity }) => severity === 'error')
    const [first] = errors.map(({ isin, table, message }) => {
      const fund = isin === null ? '' : `fund ${printable(isin)}: `
      return `${fund}${message} (table ${table})`
    })
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
    const rest = errors.length === 1 ? '' : `, and ${errors.length - 1} more`
    super(`${db} has ${count}: ${first ?? ''}${rest}; fix it, then check it with \`fundpress check\``)
    this.findings = findings
  }
}
