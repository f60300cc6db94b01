/** The figures of a nightly run by OTLP: what a receiver gets, and what happens if it does not take them. */
import { rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { ValueType } from '@opentelemetry/api'
import { JsonMetricsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import { beforeEach, expect, it } from 'vitest'
import { fileOf, nightly, read, useNights } from '../../bucket/nightly/nightly.ts'
import { certificate, lacksOpenssl } from '../../support/certificate.ts'
import { isMissing } from '../../support/programs.ts'
import { listen, useReceiver } from '../../support/receiver.ts'
import { prometheus, readTextfiles } from './figures.ts'

useNights(1)
const collector = useReceiver()
beforeEach(() => {
  rmSync(fileOf('night.prom'), { force: true })
  collector.answerWith((response) => response.end('{"partialSuccess":{}}'))
})

const secret = 'hunter2-Zx9'

/** The name and the unit of OpenTelemetry that a name of Prometheus stands for. */
function otelNameOf(name: string): { readonly name: string; readonly unit: RegExp } {
  const units: readonly (readonly [string, RegExp])[] = [
    ['_seconds', /^s$/],
    ['_bytes', /^By$/],
    ['_dollars', /^\{USD\}$/],
  ]
  const [suffix, unit] = units.find(([end]) => name.endsWith(end)) ?? ['', /^(\{\w+\})?$/]
  return { name: name.slice(0, name.length - suffix.length), unit }
}

interface Sent {
  readonly resourceMetrics: readonly [
    {
      readonly resource: object
      readonly scopeMetrics: readonly [{ readonly scope: object; readonly metrics: readonly SentMetric[] }]
    },
  ]
}
interface SentMetric {
  readonly name: string
  readonly unit: string
  readonly gauge: { readonly dataPoints: readonly object[] }
}

/** The message without its times. */
const untimed = (body: string): Sent =>
  JSON.parse(body, (key, value: unknown) => (key.endsWith('UnixNano') ? undefined : value)) as Sent

const otlp = (path = '/v1/metrics') => ({ FUNDPRESS_METRICS_OTLP_URL: collector.url(path) })

it.skipIf(isMissing(prometheus !== undefined))(
  'OTLP carries the figures of the textfile, as messages that OpenTelemetry itself would write',
  async () => {
    const env = {
      ...otlp(),
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secret}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production',
    }
    const run = await nightly('--metrics night.prom', env)
    expect([run.code, run.stderr, collector.received.length]).toEqual([0, '', 1])
    const [{ method, path, headers, body } = { body: '' }] = collector.received
    expect([method, path, headers?.['content-type']]).toEqual(['POST', '/v1/metrics', 'application/json'])
    expect(headers?.authorization).toBe(`Bearer ${secret}`)
    const sent = untimed(body)
    const [{ metrics }] = sent.resourceMetrics[0].scopeMetrics
    const families = readTextfiles(fileOf('night.prom'))
    const time: [number, number] = [0, 0]
    const expected = Object.entries(families).map(([family, { help, samples }]): MetricData => {
      const { name, unit } = otelNameOf(family)
      const found = metrics.find((metric) => metric.name.replaceAll('.', '_') === name)
      expect([name, found?.unit]).toEqual([name, expect.stringMatching(unit)])
      const { name: dotted = '', unit: sentUnit = '' } = found ?? {}
      expect(dotted).toMatch(/^fundpress\.(nightly|live)\.[a-z_.]+$/)
      return {
        descriptor: { name: dotted, description: help, unit: sentUnit, valueType: ValueType.DOUBLE },
        aggregationTemporality: AggregationTemporality.CUMULATIVE,
        dataPointType: DataPointType.GAUGE,
        dataPoints: samples.map(({ labels, value }) => ({
          startTime: time,
          endTime: time,
          value,
          attributes: Object.fromEntries(
            Object.entries(labels).map(([label, text]) => [`fundpress.${label}`, text]),
          ),
        })),
      }
    })
    const message: ResourceMetrics = {
      resource: resourceFromAttributes({}),
      scopeMetrics: [{ scope: { name: 'fundpress', version: '' }, metrics: expected }],
    }
    const written = JsonMetricsSerializer.serializeRequest(message)
    const own = untimed(Buffer.from(written ?? []).toString())
    expect(sent.resourceMetrics[0].scopeMetrics).toEqual(own.resourceMetrics[0].scopeMetrics)
    expect(JSON.stringify(sent.resourceMetrics[0].resource)).toMatch(
      /"deployment.environment.name","value":\{"stringValue":"production"\}.*"service.name","value":\{"stringValue":"fundpress"\}/,
    )
  },
)

it('OTLP goes to the address of the settings, or to those that OpenTelemetry knows, each in its form', async () => {
  const variables = [
    [{ FUNDPRESS_METRICS_OTLP_URL: collector.url() }, '/v1/metrics'],
    [{ FUNDPRESS_METRICS_OTLP_URL: 'env:MY_OTLP', MY_OTLP: collector.url('/own') }, '/own'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url('/base/') }, '/base/v1/metrics'],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url('/own') }, '/own'],
    [{ ...otlp('/first'), OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url('/own') }, '/first'],
  ] as const
  for (const [env] of variables)
    expect(await nightly('', env as Record<string, string>)).toMatchObject({ code: 0, stderr: '' })
  expect(collector.received.map(({ path }) => path)).toEqual(variables.map(([, path]) => path))
  for (const [env] of variables.slice(1, 3)) await nightly('', { ...env, OTEL_SDK_DISABLED: 'True' })
  expect(collector.received).toHaveLength(variables.length)
})

const host = () => collector.host()
it.each([
  ['redirects', 307, secret, 'its answer has the status 307, a redirect, which is not followed'],
  ['answers with a page', 200, `<html>${secret}</html>`, 'it does not answer as such a server does'],
  [
    'takes a part',
    200,
    `{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"${secret}"}}`,
    'it has rejected some of the figures',
  ],
])('OTLP is a warning that names the host alone if the receiver %s', async (_, status, body, reason) => {
  await nightly()
  collector.answerWith((response) => response.writeHead(status, { location: collector.url() }).end(body))
  const env = {
    ...otlp(`/${secret}?key=${secret}`),
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${secret},${secret}`,
  }
  const run = await nightly('--summary night.md', { ...env, FUNDPRESS_DEBUG: '1' })
  expect([run.code, run.stderr]).toEqual([0, `warning  night: metrics: ${host()}: ${reason}\n`])
  expect(run.stdout + read('night.md')).not.toContain(secret)
})

it.skipIf(lacksOpenssl)(
  'OTLP trusts the certificate that the variables name, and no other of its kind',
  async () => {
    const { file, ...keys } = await certificate()
    let sent = 0
    const server = createServer(keys, (_, response) => {
      sent++
      response.end()
    })
    const otlpUrl = `https://127.0.0.1:${await listen(server)}`
    const night = (more = {}) => nightly('', { FUNDPRESS_METRICS_OTLP_URL: otlpUrl, ...more })
    expect(await night({ OTEL_EXPORTER_OTLP_CERTIFICATE: file })).toMatchObject({ code: 0, stderr: '' })
    expect((await night()).stderr).toMatch(/: its certificate is not trusted \([A-Z_]+\)\n$/)
    expect(sent).toBe(1)
    server.close()
  },
)
