/**
 * Sends figures to a receiver of OpenTelemetry: one request of OTLP over HTTP, as JSON.
 * Sources: OTLP 1.x, "OTLP/HTTP"; OpenTelemetry's "SDK environment variables" and "OTLP exporter" for the variables.
 */

import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { gzipSync } from 'node:zlib'
import { assertFile } from '../../system/place.ts'
import type { Session } from '../command.ts'
import { decodedPart } from './address.ts'
import { beginningOf, type Failed, judgeStatus, tryOften } from './attempts.ts'
import type { Figure } from './figures.ts'

type Environment = Session['environment']

/** @param timeoutMs of all attempts together @throws {Error} that names only the host */
export async function sendFigures(
  address: URL,
  figures: readonly Figure[],
  timeoutMs: number,
  { environment }: Pick<Session, 'environment'>,
): Promise<void> {
  const message = Buffer.from(JSON.stringify(messageOf(figures, environment)))
  const isPacked = exporterSetting('COMPRESSION', environment) === 'gzip'
  const body = isPacked ? gzipSync(message) : message
  const options = {
    method: 'POST',
    agent: false as const,
    headers: {
      'user-agent': 'fundpress',
      ...pairsOf(exporterSetting('HEADERS', environment)),
      'content-type': 'application/json',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    },
    ...certificates(environment),
  }
  const post = async (signal: AbortSignal): Promise<Failed | null> => {
    const send = address.protocol === 'http:' ? plainRequest : tlsRequest
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      send(address, { ...options, signal }, resolve)
        .on('error', reject)
        .end(body)
    })
    const failed = judgeStatus(response.statusCode ?? 0, response.headers)
    // The status confirms the figures, even if the rest of the answer never comes.
    if (failed === null) return judgeAnswer(await beginningOf(response).catch(() => ''))
    response.destroy()
    return failed
  }
  const failed = await tryOften(post, {
    patience: { attempts: 4, attempt: timeoutMs / 2, pause: 500, total: timeoutMs },
    clock: () => performance.now(),
    // A stopped run sends its figures, too.
    signal: new AbortController().signal,
  })
  if (failed !== null) throw new Error(`${address.host}: ${failed}`)
}

/** @param text the beginning of an answer with a good status */
function judgeAnswer(text: string): Failed | null {
  if (/"rejectedDataPoints"\s*:\s*"?[1-9]/.test(text))
    return { reason: 'it has rejected some of the figures', isFinal: true }
  return /^\s*(\{|$)/.test(text)
    ? null
    : { reason: 'it does not answer as such a server does', isFinal: true }
}

function messageOf(figures: readonly Figure[], environment: Environment) {
  const named = pairsOf(environment['OTEL_RESOURCE_ATTRIBUTES'])
  const names = [environment['OTEL_SERVICE_NAME'], named['service.name']]
  const own = {
    ...named,
    'service.name': names.find((name) => name !== undefined && name !== '') ?? 'fundpress',
  }
  const timeUnixNano = `${Date.now()}000000`
  const metrics = figures.map(({ name, help, unit, values }) => ({
    name: `fundpress.${name}`,
    description: help,
    unit,
    gauge: {
      dataPoints: values.map(({ labels, value }) => ({
        attributes: attributesOf(labels, 'fundpress.'),
        timeUnixNano,
        asDouble: value,
      })),
    },
  }))
  const scopeMetrics = [{ scope: { name: 'fundpress', version: '' }, metrics }]
  return { resourceMetrics: [{ resource: { attributes: attributesOf(own) }, scopeMetrics }] }
}

const attributesOf = (values: Readonly<Record<string, string>>, prefix = '') =>
  Object.entries(values).map(([name, stringValue]) => ({ key: prefix + name, value: { stringValue } }))

/** The variable for metrics wins over the common one. */
function exporterSetting(name: string, environment: Environment): string | undefined {
  const variables = [`OTEL_EXPORTER_OTLP_METRICS_${name}`, `OTEL_EXPORTER_OTLP_${name}`]
  return variables.map((variable) => environment[variable] ?? '').find((value) => value !== '')
}

/** `name=value,…` with percent signs (W3C Baggage). Drops pairs without a name or a value. */
function pairsOf(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const [named = ''] = pair.split(';')
    const [name = '', ...value] = named.split('=').map((part) => part.trim())
    return name === '' || value.length === 0 ? [] : [[decodedPart(name), decodedPart(value.join('='))]]
  })
  return Object.fromEntries(pairs)
}

function certificates(environment: Environment) {
  const read = (name: string) => {
    const file = exporterSetting(name, environment)
    if (file === undefined) return undefined
    assertFile(file)
    return readFileSync(file)
  }
  return { ca: read('CERTIFICATE'), cert: read('CLIENT_CERTIFICATE'), key: read('CLIENT_KEY') }
}
