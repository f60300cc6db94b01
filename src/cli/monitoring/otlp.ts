/**
 * Figures to a receiver of OpenTelemetry, by OTLP over HTTP with JSON. Imported only if there is one. The SDK itself reads
 * OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_HEADERS, and retries.
 */

import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { diag, DiagLogLevel } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { assertFile } from '../../system/place.ts'
import type { Session } from '../command.ts'
import type { Figure } from './figures.ts'

/** Collects when it is asked to. */
class OneReader extends MetricReader {
  protected override onForceFlush = () => Promise.resolve()
  protected override onShutdown = () => Promise.resolve()
}

/** @param timeoutMs for all attempts @throws {Error} that names the host only */
export async function sendFigures(
  address: URL,
  figures: readonly Figure[],
  timeoutMs: number,
  { environment }: Pick<Session, 'environment'>,
): Promise<void> {
  const complaints: string[] = []
  const listen = (...said: unknown[]) => void complaints.push(said.join(' '))
  const silent = () => undefined
  const logger = { error: listen, warn: listen, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const agent = address.protocol === 'http:' ? new Agent() : new TlsAgent(certificates(environment))
  // The SDK's own timeout begins anew with each byte of an answer.
  const timer = setTimeout(() => agent.destroy(), timeoutMs + 500)
  const exporter = new OTLPMetricExporter({
    url: address.href,
    timeoutMillis: timeoutMs,
    httpAgentOptions: () => agent,
  })
  const reader = new OneReader()
  const own = resourceFromAttributes({ 'service.name': 'fundpress' })
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
  const provider = new MeterProvider({ resource, readers: [reader] })
  try {
    record(provider, figures)
    const { resourceMetrics } = await reader.collect()
    const { error } = await new Promise<{ readonly error?: Error }>((resolve) =>
      exporter.export(resourceMetrics, resolve),
    )
    if (error !== undefined) throw new Error(`${address.host} ${problemOf(error)}`)
    const said = complaints.join('\n')
    if (/Partial Success/i.test(said)) throw new Error(`${address.host} has rejected some of the figures`)
    if (/parse|deserialize/i.test(said)) throw new Error(`${address.host} answered, but not as OTLP does`)
  } finally {
    await provider.shutdown()
    await exporter.shutdown()
    clearTimeout(timer)
    agent.destroy()
    diag.disable()
  }
}

function record(provider: MeterProvider, figures: readonly Figure[]): void {
  const meter = provider.getMeter('fundpress')
  for (const { name, help, unit, values } of figures) {
    const gauge = meter.createGauge(`fundpress.${name}`, { description: help, unit })
    for (const { labels, value } of values) {
      const attributes = Object.entries(labels).map(([label, text]) => [`fundpress.${label}`, text] as const)
      gauge.record(value, Object.fromEntries(attributes))
    }
  }
}

/** An error of the SDK may quote the answer; its code does not. */
function problemOf(error: Error): string {
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'number') return `answered ${code}`
  if (typeof code === 'string') return `cannot be reached (${code})`
  return error.message === 'Request timed out' ? 'did not answer in time' : 'does not take figures now'
}

/** What the SDK's own agent would read. @throws {Error} for a file that cannot be read */
function certificates(environment: Session['environment']) {
  const read = (name: string) => {
    const names = [`OTEL_EXPORTER_OTLP_METRICS_${name}`, `OTEL_EXPORTER_OTLP_${name}`]
    const file = names.map((variable) => environment[variable] ?? '').find((path) => path !== '')
    if (file === undefined) return undefined
    assertFile(file)
    return readFileSync(file)
  }
  return { ca: read('CERTIFICATE'), cert: read('CLIENT_CERTIFICATE'), key: read('CLIENT_KEY') }
}
