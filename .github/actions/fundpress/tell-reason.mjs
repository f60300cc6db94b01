/** Reports why a step of the action failed: as an annotation, and as the output that the issue quotes. */

import { appendFileSync } from 'node:fs'
import { withoutSecrets } from '../../../src/core/cli/safe-text.ts'

/** @param {unknown} error */
export function tellReason(error) {
  const message = error instanceof Error ? error.message : String(error)
  const reason = withoutSecrets(message.replace(/[\r\n]+/g, ' '))
  process.stdout.write(`::error title=fundpress::${reason.replaceAll('%', '%25')}\n`)
  const { GITHUB_OUTPUT = '' } = process.env
  if (GITHUB_OUTPUT !== '') appendFileSync(GITHUB_OUTPUT, `reason=${reason}\n`)
  process.exitCode = 1
}
