/** `fundpress edge cloudfront`: two functions, the Lambda's code, and the template of the stack. */

import { problemDocument, problemType } from '../../../core/api/routes/problems.ts'
import { type DocumentFormat, formats, type RouteTable } from '../../../core/api/routes/table.ts'
import type { Bundle } from '../../../core/edge/bundle.ts'
import { lambda, viewerRequest, viewerResponse } from './bundles.ts'
import {
  asScript,
  edgeConfig,
  folderOfBucket,
  fromTemplate,
  readBundle,
  stackName,
} from '../../../core/edge/deployment.ts'
import type { DeploymentSettings, MakeDeployment } from '../../../core/edge/deployment.ts'
import { packTable } from './table.ts'

/** @throws {Error} without a bucket, with one that is not on AWS, or if a function gets too long */
export const deployment: MakeDeployment = async (settings) => {
  const { bucket, baseUrl } = settings
  if (bucket.name === null || folderOfBucket(bucket.name) !== null)
    throw new Error('CloudFront needs a bucket: set bucket.name in the config file, or give --bucket')
  if (bucket.endpoint !== null)
    throw new Error(
      `CloudFront needs a bucket on AWS, and bucket.endpoint names another store (${bucket.endpoint}): remove it`,
    )
  if (/["\\*?]|\$\{/.test(bucket.prefix))
    throw new Error(
      'bucket.prefix has a ", a \\, a *, a ? or a ${, which the template or a policy would take for something else',
    )
  const functions = { request: await requestFunction(settings), response: await responseFunction(settings) }
  const { hostname } = new URL(baseUrl)
  const readme = await fromTemplate('cloudfront/README.md', {
    bucket: bucket.name,
    region: bucket.region ?? 'eu-central-1',
    stack: stackName(bucket.name),
    prefixFlag: bucket.prefix === '' ? '' : ` --prefix ${bucket.prefix}`,
    hostname,
    baseUrl,
    requestBytes: Buffer.byteLength(functions.request),
  })
  return [
    { path: 'template.json', text: await stackTemplate(settings, bucket.name, functions) },
    { path: 'lambda/index.mjs', text: await lambdaCode(settings) },
    // Copies from the template, for reading and testing.
    { path: 'functions/viewer-request.js', text: functions.request },
    { path: 'functions/viewer-response.js', text: functions.response },
    { path: 'README.md', text: readme },
  ]
}

/** templates/cloudfront/template.jsonc without comments and closing commas. */
async function stackTemplate(
  { baseUrl, bucket: { prefix }, edge: { hstsSeconds } }: DeploymentSettings,
  bucket: string,
  functions: { readonly request: string; readonly response: string },
): Promise<string> {
  const { hostname } = new URL(baseUrl)
  const text = await fromTemplate('cloudfront/template.jsonc', {
    bucket,
    domainExample: hostname === 'localhost' ? '' : `, ${hostname} for example`,
    prefix: prefix === '' ? '' : `${prefix}/`,
    originPath: prefix === '' ? '' : `/${prefix}`,
  })
  const json = text.replaceAll(/^ *\/\/.*\n/gm, '').replaceAll(/,(?=\n *[\]}])/g, '')
  const stack = JSON.parse(json, (name, value: unknown) => {
    if (name === 'FunctionCode') return value === 'viewer-request' ? functions.request : functions.response
    if (name === 'AccessControlMaxAgeSec') return hstsSeconds
    const isForHsts = name === 'HeadersPolicy' || name === 'ResponseHeadersPolicyId'
    return isForHsts && hstsSeconds === 0 ? undefined : value
  }) as {
    readonly Resources: {
      readonly BucketPolicy: { readonly Properties: { readonly PolicyDocument: unknown } }
    }
    readonly Outputs: {
      readonly PolicyForExistingBucket: { Value: unknown }
      readonly StatementsForKey: { Value: unknown }
    }
  }
  const { PolicyForExistingBucket, StatementsForKey } = stack.Outputs
  const policy = policyText(stack.Resources.BucketPolicy.Properties.PolicyDocument)
  PolicyForExistingBucket.Value = { 'Fn::Sub': policy.replaceAll('{Bucket}', '{BucketName}') }
  StatementsForKey.Value = { 'Fn::Sub': policyText(StatementsForKey.Value) }
  return `${JSON.stringify(stack, undefined, 2)}\n`
}

/** A policy of the template as JSON, in the text of one `Fn::Sub`: an output is text. */
const policyText = (policy: unknown): string =>
  JSON.stringify(policy, (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'Fn::Sub' in value ? value['Fn::Sub'] : value,
  )

/** Both handlers as one module. Lambda's Node has the SDK. */
async function lambdaCode(settings: DeploymentSettings): Promise<string> {
  const config = asScript(edgeConfig({ ...settings, docsUrl: '' }))
  return `var fundpress;${await readBundle(lambda)}export const { handler, watch } = fundpress(${config});\n`
}

/** Answers, or rewrites the request for the bucket or the Lambda. @throws {Error} if it is too long for CloudFront */
export async function requestFunction(given: DeploymentSettings): Promise<string> {
  const { table, settings } = edgeConfig({ ...given, docsUrl: '' })
  const options = {
    table: packTable(table),
    ...wrongMethodTemplates(table),
    settings,
    origins: ['bucket', 'lambda'],
    // Statuses of the bucket at which the Lambda answers: the key is too long, the object is missing (403 for a reader that
    // may not list), the range of bytes is outside, and failures.
    failover: [400, 403, 404, 416, 500, 502, 503, 504],
  }
  const code = await functionCode(viewerRequest, options)
  // The bundle can neither import the module nor have an asynchronous function: only the file itself can.
  const handler = 'async function handler(event){return edge(event,cf)}'
  return checked('viewer-request', `import cf from 'cloudfront';\n${code}\n${handler}\n`)
}

export async function responseFunction(given: DeploymentSettings): Promise<string> {
  const code = await functionCode(viewerResponse, edgeConfig(given).settings)
  return checked('viewer-response', `${code}\nfunction handler(event){return edge(event)}\n`)
}

const functionCode = async (bundle: Bundle, options: unknown) =>
  `var fundpress;${await readBundle(bundle)};var edge=fundpress(${asScript(options)});`

/** Limit of a function's source. Source: CloudFront's quotas, measured. */
const maxFunctionBytes = 10_240

function checked(name: string, file: string): string {
  const bytes = Buffer.byteLength(file)
  if (bytes <= maxFunctionBytes) return file
  throw new Error(
    `CloudFront takes functions of at most ${maxFunctionBytes} bytes, and ${name} has ${bytes}: shorten edge.cacheControl and edge.errorCacheControl`,
  )
}

/** The refusal of a method in each format, with `{method}` and `{type}` to fill in, and the end of its type. */
function wrongMethodTemplates({ problems, general }: RouteTable) {
  const problem = problems[general.wrongMethod]
  if (problem === undefined) throw new Error('the route table has no refusal of a wrong method')
  const wrongType = problemType('', problem)
  const document = (format: DocumentFormat) =>
    problemDocument('', problem, { method: '{method}' }, format).replace(wrongType, '{type}')
  return { wrongMethod: Object.fromEntries(formats.map((format) => [format, document(format)])), wrongType }
}
