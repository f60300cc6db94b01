/** The arguments and credentials of a publish to a server of the tests, and running it. */
import { runFundpress, type Run } from './product.ts'

export const credentials = { AWS_ACCESS_KEY_ID: 'TESTKEY', AWS_SECRET_ACCESS_KEY: 'test/secret+key' }

/** Arguments that name the bucket. */
export function bucketArgs(endpoint: string, bucket: string) {
  return ['--bucket', bucket, '--endpoint', endpoint, '--region', 'us-east-1', '--path-style']
}

export function publishArgs(endpoint: string, bucket: string, out: string, ...more: string[]): string[] {
  return ['publish', '--out', out, ...bucketArgs(endpoint, bucket), '--json', ...more]
}

export function publish(endpoint: string, bucket: string, out: string, ...more: string[]): Promise<Run> {
  return runFundpress(publishArgs(endpoint, bucket, out, ...more), { env: credentials })
}
