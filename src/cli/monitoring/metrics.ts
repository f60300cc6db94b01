/** Writes the figures of a run into a file for Prometheus, and sends them to a receiver of OpenTelemetry. */

import { readLive } from '../../bucket/live/live.ts'
import { replaceFile } from '../../system/durable.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { withBucket } from '../from-settings.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { RunFacts } from '../nightly/facts.ts'
import { secretAddressOf } from './address.ts'
import { type Figure, figuresOfLive, figuresOfRun, figuresOfStatus, labelled } from './figures.ts'
import { bucketAndPrefix } from './notice.ts'

/** In milliseconds. */
const patience = { bucket: 3500, receiver: 6000 }
/** After SIGTERM, SIGKILL comes soon. */
const hurried = { bucket: 1500, receiver: 2000 }

/** Never throws: logs failures as warnings. */
export async function leaveMetrics(session: Session, log: NightlyLog, facts: RunFacts): Promise<void> {
  const trying = async <T>(what: string, work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      log.warn('night', `metrics: ${what}${reasonOf(error)}`)
      return null
    }
  }
  const { file } = session.settings.metrics
  const receiver = await trying('', () => receiverOf(session))
  if (file === null && receiver === null) return
  const limits = () => (session.signal.aborted ? hurried : patience)
  // Taken before any wait: this is the end of the run.
  const ofRun = figuresOfRun(facts, log, session.now())
  const live = await trying('what is live is not known: ', () => figuresOfBucket(session, limits().bucket))
  const figures = labelled([...ofRun, ...(live ?? [])], labelsOf(session))
  if (file !== null) await trying(`${file} could not be written: `, () => writeTextfile(file, figures))
  if (receiver !== null)
    // Imported here because a run without a receiver must start fast.
    await trying('', async () =>
      (await import('./otlp.ts')).sendFigures(receiver, figures, limits().receiver, session),
    )
}

/** @param found `now` is by the clock of `live`; `base` is undefined for a bucket @throws {Error} if the file cannot be written */
export function writeStatusMetrics(
  session: Session,
  file: string,
  found: {
    readonly live: Parameters<typeof figuresOfLive>[0] | null
    readonly now: Date
    readonly alarms: number
    readonly base: string | undefined
  },
): void {
  const { live, now, alarms, base } = found
  const ofLive = live === null ? [] : figuresOfLive(live, now, 'status')
  const all = [...figuresOfStatus(alarms, session.now()), ...ofLive]
  writeTextfile(file, labelled(all, base === undefined ? labelsOf(session) : { base }))
}

async function figuresOfBucket(session: Session, timeoutMs: number): Promise<readonly Figure[]> {
  if (session.settings.bucket.name === null) return []
  // A stopped run may still ask.
  const asking = { ...session, signal: AbortSignal.timeout(timeoutMs) }
  const { live, now } = await withBucket(asking, readLive)
  return live === null ? [] : figuresOfLive(live, now, 'nightly')
}

const labelsOf = ({ settings }: Session) => ({ bucket: bucketAndPrefix(settings) ?? '' })

/** The setting, else the variables of OpenTelemetry's specification. @throws {Error} if it is no address */
function receiverOf(session: Session): URL | null {
  const { environment, settings } = session
  const { otlpUrl } = settings.metrics
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null
  if (otlpUrl !== null) {
    const address = secretAddressOf(otlpUrl, 'metrics.otlpUrl', environment)
    return address.pathname === '/' ? withMetricsPath(address) : address
  }
  const own = 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'
  const common = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const isSet = (variable: string) => (environment[variable] ?? '') !== ''
  if (isSet(own)) return secretAddressOf(`env:${own}`, 'OTLP', environment)
  return isSet(common) ? withMetricsPath(secretAddressOf(`env:${common}`, 'OTLP', environment)) : null
}

function withMetricsPath(address: URL): URL {
  const url = new URL(address)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/v1/metrics`
  return url
}

/** Base units of Prometheus' naming conventions. Counted things have none. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '{USD}': '_dollars' }

/** For the textfile collector. Replaces the whole file, readable for node_exporter's own user. Source: Prometheus' text-based format. */
function writeTextfile(file: string, figures: readonly Figure[]): void {
  const lines = figures.flatMap(({ name, help, unit, values }) => {
    const metric = `fundpress_${name.replaceAll('.', '_')}${suffixes[unit] ?? ''}`
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
