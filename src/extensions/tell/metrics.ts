/** Writes the figures of a run into a file for Prometheus. */

import { resolve } from 'node:path'
import { readLive } from '../../core/bucket/live/live.ts'
import { replaceFile } from '../../core/system/durable.ts'
import type { Session } from '../../core/cli/command.ts'
import type { Measured, Night } from '../../core/cli/ended.ts'
import { reasonOf, UsageError } from '../../core/cli/failure.ts'
import { withBucket } from '../../core/cli/from-settings.ts'
import { type Figure, figuresOfLive, figuresOfRun, figuresOfStatus, labelled } from './figures.ts'
import { bucketAndPrefix } from './notice.ts'
import { settings } from './settings.ts'

/** Time of the bucket, in milliseconds. */
const patienceMs = 3500
/** After SIGTERM, SIGKILL comes soon. */
const hurriedMs = 1500

/** Never throws: failures are warnings. */
export async function leaveMetrics(session: Session, night: Night): Promise<void> {
  const trying = async <T>(what: string, work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      night.warn(`metrics: ${what}${reasonOf(error)}`)
      return null
    }
  }
  const { file } = session.settingsOf(settings).metrics
  if (file === null) return
  const limitMs = session.signal.aborted ? hurriedMs : patienceMs
  // Taken before any wait: this is the end of the run.
  const ofRun = figuresOfRun(night, session.now())
  const live = await trying('what is live is not known: ', () => figuresOfBucket(session, limitMs))
  const figures = labelled([...ofRun, ...(live ?? [])], labelsOf(session))
  await trying(`${file} could not be written: `, () => writeTextfile(file, figures))
}

/** @returns what writes the figures, and throws if the file cannot be written @throws {UsageError} for the file of nightly */
export function openStatusMetrics(session: Session, file: string): (found: Measured) => void {
  const ofNightly = session.settingsOf(settings).metrics.file
  if (ofNightly !== null && resolve(file) === resolve(ofNightly))
    throw new UsageError(`--metrics names the file of nightly (metrics.file): give another one`)
  return ({ live, now, alarms, base }) => {
    const ofLive = live === null ? [] : figuresOfLive(live, now, 'status')
    const all = [...figuresOfStatus(alarms, session.now()), ...ofLive]
    writeTextfile(file, labelled(all, base === undefined ? labelsOf(session) : { base }))
  }
}

async function figuresOfBucket(session: Session, timeoutMs: number): Promise<readonly Figure[]> {
  if (session.settings.bucket.name === null) return []
  // A stopped run may still ask.
  const asking = { ...session, signal: AbortSignal.timeout(timeoutMs) }
  const { live, now } = await withBucket(asking, readLive)
  return live === null ? [] : figuresOfLive(live, now, 'nightly')
}

const labelsOf = ({ settings }: Session) => ({ bucket: bucketAndPrefix(settings) ?? '' })

/** For the textfile collector. Replaces the whole file, readable for node_exporter's own user. Source: Prometheus' text-based format. */
function writeTextfile(file: string, figures: readonly Figure[]): void {
  const lines = figures.flatMap(({ name, help, values }) => {
    const metric = `fundpress_${name}`
    const samples = values.map(({ labels, value }) => `${metric}${labelText(labels)} ${value}`)
    return [`# HELP ${metric} ${escaped(help)}`, `# TYPE ${metric} gauge`, ...samples]
  })
  replaceFile(file, `${lines.join('\n')}\n`, 0o644)
}

function labelText(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(String(value)).replaceAll('"', '\\"')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
