/** Running `fundpress publish` and its kin against the S3 server of the tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { repository, runFundpress, type Run } from './product.ts'
import type { S3Server } from './s3/server.ts'

export const credentials = { AWS_ACCESS_KEY_ID: 'TESTKEY', AWS_SECRET_ACCESS_KEY: 'test/secret+key' }

/** Arguments that name the bucket. */
export const bucketArgs = (endpoint: string, bucket: string) => [
  '--bucket',
  bucket,
  '--endpoint',
  endpoint,
  '--region',
  'us-east-1',
  '--path-style',
]

export function publishArgs(endpoint: string, bucket: string, out: string, ...more: string[]): string[] {
  return ['publish', '--out', out, ...bucketArgs(endpoint, bucket), '--grace', '0', '--json', ...more]
}

export function publish(endpoint: string, bucket: string, out: string, ...more: string[]): Promise<Run> {
  return runFundpress(publishArgs(endpoint, bucket, out, ...more), { env: credentials })
}

/** A publish that is killed, as by a power cut, when the server gets its n-th request. @returns whether it was */
export async function publishUntilRequest(
  server: S3Server,
  bucket: string,
  out: string,
  nth: number,
  when: 'before' | 'after',
) {
  const child = spawn(
    process.execPath,
    ['src/cli/fundpress.mjs', ...publishArgs(server.endpoint, bucket, out)],
    {
      cwd: repository,
      env: { ...process.env, ...credentials },
      stdio: 'ignore',
    },
  )
  const closed = once(child, 'close')
  server.faults([{ kind: 'call', when, nth, run: () => child.kill('SIGKILL') }])
  await closed
  server.faults([])
  return child.signalCode === 'SIGKILL'
}
