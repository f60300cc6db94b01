/** What the checks of a database found, as a list to read. */

import type { Finding } from '../source/check.ts'
import { printable } from '../source/printable.ts'
import type { Terminal } from './terminal.ts'

/** A block a fund, funds with errors first; in each the errors come first. Ends with a line feed, if not empty. */
export function describeFindings(findings: readonly Finding[], paint: Terminal['paint']): string {
  const groups = Map.groupBy([...findings].sort(bySeverity), ({ isin }) => isin)
  return [...groups]
    .map(([isin, found]) => {
      const heading = paint('bold', isin === null ? 'The database' : printable(isin))
      const lines = found.map(({ severity, table, message }) => {
        const word = paint(severity === 'error' ? 'red' : 'yellow', severity.padEnd(7))
        return `  ${word}  ${table}: ${message}\n`
      })
      return `${heading}\n${lines.join('')}`
    })
    .join('')
}

/** `2 errors, 1 warning`. */
export function countFindings(findings: readonly Finding[]): string {
  const errors = countErrors(findings)
  return `${plural(errors, 'error')}, ${plural(findings.length - errors, 'warning')}`
}

export function countErrors(findings: readonly Finding[]): number {
  return findings.filter(({ severity }) => severity === 'error').length
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Sorting is stable: within one severity, the order of the checks stays. */
function bySeverity(one: Finding, other: Finding): number {
  return Number(one.severity === 'warning') - Number(other.severity === 'warning')
}
