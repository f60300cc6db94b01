/** `fundpress check --bucket`: tests everything that a publish needs. */

import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { type Diagnosis, type Level, ok, problem, warning } from '../bucket/doctor/diagnosis.ts'
import { examine } from '../bucket/doctor/doctor.ts'
import {
  describeReadable,
  lackOf,
  neededFor,
  readByAll,
  adviceFor,
  slotsReadBy,
} from '../bucket/live/edges.ts'
import { isAlive, thisHolder } from '../system/holder.ts'
import { shortPatience, withBucket } from './from-settings.ts'
import type { Session } from './command.ts'
import { askEdges } from './edges.ts'
import { diagnoseEnds } from './end.ts'
import { countOf } from './format.ts'
import type { Style } from './terminal.ts'
import { escapeInvisible } from '../data/model/printable.ts'

const styles: Readonly<Record<Level, Style>> = { ok: 'green', warning: 'yellow', problem: 'red' }

/** Prints the findings. @throws {Error} if there is a problem */
export async function checkBucket(session: Session): Promise<void> {
  const { isJson, isQuiet, stdout } = session
  const findings: Diagnosis[] = []
  await diagnose(session, (finding) => {
    findings.push(finding)
    const { what, level, says } = finding
    if (isJson || (isQuiet && level !== 'problem')) return
    const word = stdout.paint(styles[level], level.padEnd(7))
    stdout.write(`${word}  ${what.padEnd(15)}  ${escapeInvisible(says)}\n`)
  })
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const problems = count('problem')
  const warnings = count('warning')
  if (isJson) stdout.data(`${JSON.stringify({ problems, warnings, findings })}\n`)
  if (problems > 0) throw new Error(`${countOf(problems, 'problem')}: a publish would fail or harm readers`)
}

/** Tests everything that a publish with these settings needs. @throws {UsageError} without a bucket name */
async function diagnose(session: Session, onDiagnosis: (finding: Diagnosis) => void): Promise<void> {
  const { settings, now, signal } = session
  const { baseUrl, docsUrl, bucket } = settings
  await withBucket(
    session,
    (store) =>
      examine(store, {
        out: settings.out,
        addresses: { baseUrl, docsUrl, endpoint: bucket.endpoint },
        temporary: tmpdir(),
        keyValueStore: settings.edge.keyValueStore,
        nodeVersion: process.versions.node,
        me: thisHolder(),
        isAlive,
        now,
        uuid: randomUUID(),
        signal,
        onDiagnosis,
      }),
    shortPatience,
  )
  for (const finding of await diagnoseEdges(session)) onDiagnosis(finding)
  for (const finding of await diagnoseEnds(session)) onDiagnosis(finding)
}

async function diagnoseEdges(session: Session): Promise<readonly Diagnosis[]> {
  const what = 'edge'
  const { slots } = session.settings.bucket
  const edges = await askEdges(session)
  if (edges.length === 0 && slots > readByAll.slots)
    return [
      warning(
        what,
        `bucket.slots is ${slots} and bucket.edges names none: nothing stops a publish that an older \`serve\` cannot read. ` +
          'If `serve` or nginx answers from this bucket, name its addresses in bucket.edges',
      ),
    ]
  return edges.map((edge) => {
    const lack = lackOf(edge, neededFor(slots))
    if ('reads' in edge && lack === null)
      return ok(what, `${edge.address} reads ${describeReadable(edge.reads)}`)
    // With two slots a publish asks no edge.
    if (slots <= readByAll.slots)
      return warning(what, `${lack}: ${adviceFor(edge)} before you raise bucket.slots`)
    return problem(
      what,
      `${lack}, and bucket.slots is ${slots}: ${adviceFor(edge)}, or set bucket.slots to ${slotsReadBy(edges)}`,
    )
  })
}
