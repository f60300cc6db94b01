/** Figures of a run: in a file for Prometheus, and to a receiver of OpenTelemetry. */

import { readLive } from '../../bucket/live/live.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { withBucket } from '../from-settings.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { RunFacts } from '../nightly/facts.ts'
import { secretAddressOf } from './address.ts'
import { type Figure, figuresOfLive, figuresOfRun, figuresOfStatus, labelled } from './figures.ts'
import { bucketAndPrefix } from './notice.ts'

/** In milliseconds: how long the bucket and the receiver may take. */
const patience = { bucket: 3500, receiver: 6000 }
/** After SIGTERM, SIGKILL comes soon. */
const hurried = { bucket: 1500, receiver: 2000 }

/** Never throws: a failure is a warning. */
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
  // Before anything is waited for: a run that failed has no other end.
  const ofRun = figuresOfRun(facts, log, session.now())
  const live = await trying('what is live is not known: ', () => figuresOfBucket(session, limits().bucket))
  const figures = labelled([...ofRun, ...(live ?? [])], labelsOf(session))
  // Imported here because a run without metrics must start fast.
  if (file !== null)
    await trying(`${file} could not be written: `, async () =>
      (await import('./prometheus.ts')).writeTextfile(file, figures),
    )
  if (receiver !== null)
    await trying('', async () =>
      (await import('./otlp.ts')).sendFigures(receiver, figures, limits().receiver, session),
    )
}

/** What `status` has found. `live`: null if nothing is live; `now`: by the clock that its age counts by; `alarms`: reasons to fail. */
export interface LiveFigures {
  readonly live: Parameters<typeof figuresOfLive>[0] | null
  readonly now: Date
  readonly alarms: number
}

/** @param base the deployment that was asked; undefined: the bucket @throws {Error} if the file cannot be written */
export async function writeStatusMetrics(
  session: Session,
  file: string,
  { live, now, alarms, base }: LiveFigures & { readonly base: string | undefined },
): Promise<void> {
  const ofLive = live === null ? [] : figuresOfLive(live, now, 'status')
  const all = [...figuresOfStatus(alarms, session.now()), ...ofLive]
  const { writeTextfile } = await import('./prometheus.ts')
  writeTextfile(file, labelled(all, base === undefined ? labelsOf(session) : { base }))
}

async function figuresOfBucket(session: Session, timeoutMs: number): Promise<readonly Figure[]> {
  if (session.settings.bucket.name === null) return []
  // A run that was stopped may still ask what is live.
  const asking = { ...session, signal: AbortSignal.timeout(timeoutMs) }
  const { live, now } = await withBucket(asking, readLive)
  return live === null ? [] : figuresOfLive(live, now, 'nightly')
}

const labelsOf = ({ settings }: Session) => ({ bucket: bucketAndPrefix(settings) ?? '' })

/**
 * The address of OpenTelemetry's receiver: the setting, else the variables of its specification; null if there is none, or if
 * OTEL_SDK_DISABLED switches it off.
 * @throws {Error} if it is no address
 */
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
