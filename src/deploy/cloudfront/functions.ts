/** The two CloudFront Functions, each as the one file that CloudFront takes. */

import { routeTable } from '../../derive/route-table.ts'
import { endpoints } from '../../endpoints/index.ts'
import { problemDocument } from '../../routes/problems.ts'
import { formats, type RouteTable } from '../../routes/table.ts'
import { bundle, sourceExtension } from '../bundle.ts'
import type { DeploymentSettings } from '../deployment.ts'
import { packTable } from '../pack-table.ts'
import { bucketOrigin, failover, lambdaOrigin } from './names.ts'

/** Bytes of source that CloudFront takes. Source: its quotas, measured. */
export const maxFunctionBytes = 10_240

/** Answers, or leads to the bucket or the Lambda. @throws {Error} if it is too long for CloudFront */
export async function requestFunction({ edge }: DeploymentSettings): Promise<string> {
  const table = routeTable(endpoints, '')
  const { cacheControl, errorCacheControl } = edge
  const options = {
    table: packTable(table),
    wrongMethod: wrongMethodTemplates(table),
    settings: { cacheControl, errorCacheControl },
    origins: [bucketOrigin, lambdaOrigin],
    failover,
  }
  const code = await bundle({
    entry: `import { viewerRequest } from './adapters/cloudfront${sourceExtension}'
      fundpress = viewerRequest(${literal(options)})`,
    format: 'iife',
    target: 'njs',
    shortNames,
  })
  // The module can be imported here only, and only here is a function asynchronous: the bundle knows neither.
  return checked(
    'viewer-request',
    `import cf from 'cloudfront';\nvar fundpress;\n${code}\nasync function handler(event){return fundpress(event,cf)}\n`,
  )
}

/** Gives what comes out of the bucket its headers. @throws {Error} if it is too long for CloudFront */
export async function responseFunction({ edge }: DeploymentSettings): Promise<string> {
  const { cacheControl, errorCacheControl } = edge
  const code = await bundle({
    entry: `import { viewerResponse } from './adapters/cloudfront-response${sourceExtension}'
      fundpress = viewerResponse(${literal({ cacheControl, errorCacheControl })})`,
    format: 'iife',
    target: 'njs',
    shortNames,
  })
  return checked(
    'viewer-response',
    `var fundpress;\n${code}\nfunction handler(event){return fundpress(event)}\n`,
  )
}

/** The refusal of a method, in each format, with `{method}` and `{docsUrl}` in it. */
function wrongMethodTemplates({ problems, general }: RouteTable): Record<string, string> {
  const problem = problems[general.wrongMethod]
  if (problem === undefined) throw new Error('the route table has no refusal of a wrong method')
  const values = { method: '{method}' }
  return Object.fromEntries(
    formats.map((format) => [format, problemDocument('{docsUrl}', problem, values, format)]),
  )
}

/** JSON without quotation marks around names: only such names are shortened. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}:${literal(inner)}`)
    .join(',')}}`
}

/**
 * Properties that only the functions' own code knows, the note from one to the other included: 10,240 bytes are not
 * many. Nothing of an event, of the module `cloudfront`, of the KeyValueStore's value or of a query may stand here; what
 * is written in quotation marks, `headers['vary']`, stays.
 */
const internalNames = (
  'accept acceptLanguage cacheControl choices dates errorCacheControl errorKey exactness failover from general hasLanguages invalid ' +
  'kind listKey location missing name noEndpoint order origins pages parameters path paths problem problems quality query ' +
  'route routes series settings status table text to unknown values vary wanted wrongFormat wrongLanguage wrongMethod'
).split(' ')
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const shortNames = Object.fromEntries(internalNames.map((name, index) => [name, letters.charAt(index)]))

function checked(name: string, code: string): string {
  const bytes = Buffer.byteLength(code)
  if (bytes <= maxFunctionBytes) return code
  throw new Error(
    `CloudFront takes functions of at most ${maxFunctionBytes} bytes, and ${name} has ${bytes}: shorten edge.cacheControl and edge.errorCacheControl`,
  )
}
