/** The edge on AWS: CloudFront with two functions, the bucket behind it, a Lambda, and the template that makes them. */

import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import { bundle, fillTemplate, sourceExtension, template } from './bundle.ts'
import { requestFunction, responseFunction } from './cloudfront/functions.ts'
import { cloudFormation } from './cloudfront/template.ts'
import type { DeploymentSettings, MakeDeployment } from './deployment.ts'

/** @throws {Error} without a bucket, with one that is not on AWS, or if a function gets too long */
export const cloudfront: MakeDeployment = async (settings) => {
  const { bucket, baseUrl } = settings
  if (bucket.name === null)
    throw new Error('CloudFront needs a bucket: set bucket.name in the config file, or give --bucket')
  if (bucket.endpoint !== null)
    throw new Error(
      `CloudFront needs a bucket on AWS, and bucket.endpoint names another store (${bucket.endpoint}): leave it away`,
    )
  const functions = { request: await requestFunction(settings), response: await responseFunction(settings) }
  const { hostname } = new URL(baseUrl)
  const formation = cloudFormation({
    bucket: bucket.name,
    prefix: bucket.prefix,
    domain: hostname === 'localhost' ? '' : hostname,
    functions,
    hstsSeconds: settings.edge.hstsSeconds,
  })
  const readme = fillTemplate(await template('cloudfront/README.md'), {
    bucket: bucket.name,
    region: bucket.region ?? 'eu-central-1',
    stack: `fundpress-${bucket.name.replaceAll('.', '-')}`,
    prefixFlag: bucket.prefix === '' ? '' : ` --prefix ${bucket.prefix}`,
    hostname,
    baseUrl,
    requestBytes: Buffer.byteLength(functions.request),
  })
  return [
    { path: 'template.json', text: `${JSON.stringify(formation, undefined, 2)}\n` },
    { path: 'lambda/index.mjs', text: await lambdaCode(settings) },
    // Inside of the template too: these are there to be read and tested.
    { path: 'functions/viewer-request.js', text: functions.request },
    { path: 'functions/viewer-response.js', text: functions.response },
    { path: 'README.md', text: readme },
  ]
}

/** Both handlers of the Lambda as one module. The SDK is that of Lambda's Node. */
function lambdaCode({ edge }: DeploymentSettings): Promise<string> {
  const { cacheControl, errorCacheControl } = edge
  const config = { table: routeTable(endpoints, ''), settings: { cacheControl, errorCacheControl } }
  const entry = `
    import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
    import { lambdaEdge } from './adapters/lambda${sourceExtension}'
    import { lambdaReader } from './adapters/lambda-reader${sourceExtension}'
    import { lambdaWatch } from './adapters/lambda-watch${sourceExtension}'

    const { BUCKET, PREFIX, STACK } = process.env
    const client = new S3Client({ maxAttempts: 3, requestHandler: { connectionTimeout: 2000, socketTimeout: 10000 } })
    const reader = lambdaReader((key, more) =>
      client.send(new GetObjectCommand({ Bucket: BUCKET, Key: PREFIX + key, ...more })))
    export const handler = awslambda.streamifyResponse(lambdaEdge({
      ...${JSON.stringify(config)},
      reader,
      open: (stream, head) => awslambda.HttpResponseStream.from(stream, head),
      onFailure: (error, target) => console.error(target.slice(0, 500), error),
    }))
    export const watch = lambdaWatch({
      readLive: async () => (await reader.read('live.json', Infinity))?.body?.toString() ?? null,
      namespace: 'Fundpress',
      stack: STACK,
      now: () => new Date(),
      write: (line) => process.stdout.write(line),
    })`
  return bundle({
    entry,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['@aws-sdk/client-s3'],
  })
}
