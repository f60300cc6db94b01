/** Findings of the checks of a database. */

import {
  type AllowedObjection,
  type GuardName,
  judge,
  type Objection,
  type Override,
  Refusal,
} from '../../guards/guards.ts'
import { escapeInvisible, printable } from '../model/printable.ts'

export interface Finding {
  readonly severity: 'error' | 'warning'
  /** The fund, or null where the finding belongs to none. */
  readonly isin: string | null
  readonly table: string
  readonly message: string
  /** What it is about, where the words of the message may change though the fault stays: counts, days. The message unless given. */
  readonly identity?: string
  /** The guard that refuses the data; absent if the finding cannot be allowed. */
  readonly guard?: GuardName
  /** Subject that narrows `--allow` of the guard; the fund unless given. */
  readonly subject?: string
  /** Set for a price that is not new. There may be many: a night shows the first. */
  readonly isOlder?: true
}

/** Objections of guards: errors that an operator may allow. */
export const objectionsIn = (findings: readonly Finding[]) =>
  findings.flatMap(({ severity, guard, isin, subject = isin, message }): Objection[] =>
    guard === undefined || severity === 'warning'
      ? []
      : [{ guard, subject, message: isin === null ? message : `fund ${isin}: ${message}` }],
  )

/** Turns errors that an operator allows into warnings. */
export function judgeFindings(all: readonly Finding[], override = nothingAllowed) {
  const allowed: AllowedObjection[] = []
  const findings = all.map((finding): Finding => {
    const judged = judge(objectionsIn([finding]), override)
    allowed.push(...judged.allowed)
    if (judged.allowed.length === 0) return finding
    return {
      ...finding,
      severity: 'warning',
      message: `${finding.message} (allowed: ${override.reason ?? ''})`,
      // Tomorrow, it is an old price like others.
      identity: finding.identity ?? finding.message,
    }
  })
  return { findings, allowed }
}

const nothingAllowed: Override = { allow: [], isForced: false, reason: null, who: '' }

/** The beginning of a message: what names the row beside its ISIN. `type countries, position 3: ` */
export function rowPlace(columns: readonly string[], values: readonly unknown[]): string {
  // A document for all countries names none.
  const parts = columns.flatMap((column, index) =>
    column === 'country' && values[index] === '' ? [] : [`${column} ${printable(String(values[index]))}`],
  )
  return parts.length === 0 ? '' : `${parts.join(', ')}: `
}

/** A finding of no fund: of the settings, for example, that name what the database does not have. */
export const generalWarning = (message: string, table: string): Finding => ({
  severity: 'warning',
  isin: null,
  table,
  message: escapeInvisible(message),
})

/** The database has errors, so nothing was built. The message names the first error that cannot be allowed. */
export class RefusedDatabase extends Error {
  override readonly name = 'RefusedDatabase'
  readonly findings: readonly Finding[]

  constructor(db: string, findings: readonly Finding[]) {
    const errors = findings.filter(({ severity }) => severity === 'error')
    const [first] = errors
      .filter(({ guard }) => guard === undefined)
      .map(({ isin, table, message }) => {
        const fund = isin === null ? '' : `fund ${printable(isin)}: `
        return `${fund}${message} (table ${table})`
      })
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
    const rest = errors.length === 1 ? '' : `, and ${errors.length - 1} more`
    super(`${db} has ${count}: ${first ?? ''}${rest}; fix it, then check it with \`fundpress check\``)
    this.findings = findings
  }
}

/** A guard refuses prices, and nothing else is wrong with the database: an operator may allow them. */
export class ImplausibleDatabase extends Refusal {
  readonly findings: readonly Finding[]

  constructor(db: string, findings: readonly Finding[]) {
    super(db, objectionsIn(findings))
    this.findings = findings
  }
}

export const refusalOf = (db: string, findings: readonly Finding[]) =>
  findings.some(({ severity, guard }) => severity === 'error' && guard === undefined)
    ? new RefusedDatabase(db, findings)
    : new ImplausibleDatabase(db, findings)
