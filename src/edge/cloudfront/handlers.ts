/** The Lambda as AWS runs it: both handlers of lambda.ts, with the SDK of Lambda's Node and the globals of its runtime. */

import type { Writable } from 'node:stream'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { longestReadMs } from '../core/live.ts'
import { lambdaEdge, lambdaReader, lambdaWatch, type GotObject, type LambdaEdgeOptions } from './lambda.ts'

declare const awslambda: {
  readonly streamifyResponse: <Handler>(handler: Handler) => Handler
  readonly HttpResponseStream: {
    readonly from: (...of: Parameters<LambdaEdgeOptions['open']>) => Writable
  }
}

export function handlers(config: Pick<LambdaEdgeOptions, 'table' | 'settings'>) {
  const { BUCKET, PREFIX = '', STACK = '' } = process.env
  const requestHandler = { connectionTimeout: 2 * longestReadMs, socketTimeout: 2 * longestReadMs }
  const client = new S3Client({ maxAttempts: 3, requestHandler })
  const reader = lambdaReader(
    (key, more) =>
      client.send(new GetObjectCommand({ Bucket: BUCKET, Key: PREFIX + key, ...more }), {
        abortSignal: AbortSignal.timeout(longestReadMs),
      }) as Promise<GotObject>,
  )
  const handler = lambdaEdge({
    ...config,
    reader,
    open: (stream, head) => awslambda.HttpResponseStream.from(stream, head),
    // eslint-disable-next-line no-console -- the log of the platform
    onFailure: (error, target) => console.error(target.slice(0, 500), error),
  })
  return {
    handler: awslambda.streamifyResponse(handler),
    watch: lambdaWatch(reader, STACK, Date.now, (line) => process.stdout.write(line)),
  }
}
