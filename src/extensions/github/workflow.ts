/** Annotations and outputs of the step for a nightly run or a refusal on GitHub Actions. */

import { appendFileSync } from 'node:fs'
import { escapeInvisible } from '../../core/data/model/printable.ts'
import type { Session } from '../../core/cli/command.ts'
import { allowanceFor, type Objection } from '../../core/guards/guards.ts'
import { placeToWrite } from '../../core/system/place.ts'
import { cut, withoutCommands } from '../../core/cli/safe-text.ts'
import type { NightlyWarning, RunFacts } from '../../core/cli/facts.ts'
import { describeRefusal } from './report.ts'

const name = 'fundpress nightly'

export function writeForWorkflow(
  { environment, stderr }: Session,
  facts: RunFacts,
  warnings: readonly NightlyWarning[],
): void {
  if (environment['GITHUB_ACTIONS'] !== 'true') return
  // The runner reads commands from both streams, but stdout may be a log for machines.
  const titled = warnings.map(({ step, message }) => ({ title: `${name}: ${step}`, message }))
  stderr.command(annotationLines(titled, name))
  const { step, reason } = facts
  if (reason !== null)
    stderr.command(annotationLine('error', { title: `${name}: ${step ?? ''}`, message: reason }))
  writeOutputs(environment, outputsOf(facts))
}

type Outputs = Readonly<Record<string, string | number | boolean>>

/** Values must not have line feeds. */
function writeOutputs(environment: Session['environment'], outputs: Outputs): void {
  const file = environment['GITHUB_OUTPUT'] ?? ''
  if (environment['GITHUB_ACTIONS'] !== 'true' || file === '') return
  const lines = Object.entries(outputs).map(([output, value]) => `${output}=${value}\n`)
  appendFileSync(placeToWrite(file, 'file'), lines.join(''))
}

/** Writes a refusal for the issue. Flips are steps of workflows, too. */
export function leaveRefusal(environment: Session['environment'], objections: readonly Objection[]): void {
  // JSON, because it has no line feed.
  const refusal = JSON.stringify(describeRefusal(objections))
  try {
    writeOutputs(environment, { refused: true, allow: allowanceFor(objections), refusal })
  } catch (cause) {
    throw new Error('the outputs of the step could not be written', { cause })
  }
}

/** Overrides outputs of an earlier attempt in the same file: the last ones count. */
function outputsOf(facts: RunFacts): Outputs {
  const { outcome, snapshot, slot, step, reason, isStaged } = facts
  return {
    skipped: outcome === 'skipped',
    ...(snapshot === null ? {} : { snapshot, slot: slot ?? '' }),
    ...figuresOf(facts),
    staged: isStaged,
    'failed-step': step ?? '',
    reason: reason ?? '',
    // `leaveRefusal` writes the outputs of a refusal.
    ...(outcome === 'refused' ? {} : { refused: false, allow: '', refusal: '' }),
  }
}

function figuresOf({ night, figures }: RunFacts): Outputs {
  if (night === null) return {}
  const { funds = '', documents = '', changed, written = '', bytes = '', cost = 0, seconds = 0 } = figures
  return {
    funds,
    documents,
    changed: changed ?? '',
    written,
    bytes,
    // Rounded, because a sum of binary fractions has digits that mean nothing.
    cost: cost.toFixed(6),
    seconds: Math.round(seconds),
    'oldest-price': night.built.oldestPrice?.day ?? '',
  }
}

type Annotation = Readonly<Record<'title' | 'message', string>>

/** Less than a line may have: `%` becomes three bytes, and a title comes first. */
const maxMessageBytes = 600

/** A step shows at most ten annotations of a kind, and the last one counts the rest. */
const shown = 9

export function annotationLines(warnings: readonly Annotation[], title: string): string {
  const some = warnings.slice(0, shown)
  const rest = warnings.length - some.length
  const more = rest === 0 ? [] : [{ title, message: `${rest} more warnings: see the log` }]
  return [...some, ...more].map((one) => annotationLine('warning', one)).join('')
}

/** Source: GitHub's documentation, "Workflow commands"; the escapes are those of its own toolkit. */
function annotationLine(kind: 'warning' | 'error', { title, message }: Annotation): string {
  return `::${kind} title=${escapeProperty(title)}::${escapeMessage(cut(escapeInvisible(message), maxMessageBytes))}\n`
}

/** The decoded lines of a message must not hold commands, either. */
const escapeMessage = (text: string) =>
  withoutCommands(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string) => escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
