/** Nights to publish, a bucket on the S3 server of the tests to publish to, and the command line between them. */
import type { ChildProcess } from 'node:child_process'
import { ended, run, start, type Ended } from '../cli/run.ts'
import { bucketOf } from './bucket.ts'
import type { Nights } from './nights.ts'
import type { Run } from './product.ts'
import { bucketArgs, credentials } from './publishing.ts'
import { startS3 } from './s3/server.ts'
import { makeSettings } from './s3/settings.ts'

/** A command and its flags: a text is cut at its blanks. */
type Line = string | readonly string[]
type Environment = Readonly<Record<string, string>>

export type Press = Awaited<ReturnType<typeof openPress>>

export interface Begun {
  readonly child: ChildProcess
  readonly end: Promise<Ended>
}

/** So that nothing of the machine's own has a say: profiles, roles, endpoints. */
const nobodysMachine = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_PROFILE: undefined,
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_ENDPOINT_URL: undefined,
  AWS_SESSION_TOKEN: undefined,
}

/** Tests of what is late say so themselves. */
const noWaiting = { FUNDPRESS_BUCKET_GRACE_SECONDS: '0', FUNDPRESS_BUCKET_LATE_SECONDS: '0' }

export async function openPress(nights: Nights, { bucket = 'funds' } = {}) {
  const server = await startS3({ buckets: [bucket] })
  const surroundings = (env: Environment = {}) => ({
    cwd: nights.folder.path,
    env: { ...nobodysMachine, ...credentials, ...noWaiting, ...env },
  })
  // Flags of the line come later, and win.
  const onBucket = (line: Line): readonly string[] => {
    const [command = '', ...flags] = wordsOf(line)
    return [command, ...bucketArgs(server.endpoint, bucket), ...flags]
  }
  const bare = async (line: Line, env?: Environment): Promise<Run> => {
    const { code, stdout, stderr } = await run(wordsOf(line), surroundings(env))
    return { code, stdout, stderr }
  }
  const fundpress = (line: Line, env?: Environment) => bare(onBucket(line), env)
  const begin = (line: Line, env?: Environment): Begun => {
    const child = start(onBucket(line), surroundings(env))
    return { child, end: ended(child) }
  }
  return {
    nights,
    server,
    bucket: bucketOf(server, bucket, nights.folder.path),
    /** Runs a command on the bucket, in the folder of the nights: `publish --out night-1`. */
    fundpress,
    /** The same without the flags that name the bucket. */
    bare,
    /** The same as `fundpress`, parsed, for what must succeed. */
    json: async <T = Readonly<Record<string, never>>>(
      line: Line,
      env: Readonly<Record<string, string>> = {},
    ): Promise<T> => {
      const { code, stdout, stderr } = await fundpress([...wordsOf(line), '--json'], env)
      if (code !== 0) throw new Error(`${wordsOf(line).join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout) as T
    },
    // Quiet: on a slow machine it would say how far it is.
    publish: (out: string, ...flags: readonly string[]) =>
      fundpress(['publish', '--out', out, '--json', '--quiet', ...flags]),
    /** Begins a command in a process of its own, to be watched and stopped. */
    begin,
    /** A publish that is killed, as by a power cut, when the server gets its n-th request. @returns whether it was */
    publishUntilRequest: async (out: string, nth: number, when: 'before' | 'after'): Promise<boolean> => {
      const { child, end } = begin(['publish', '--out', out, '--json'])
      server.faults([{ kind: 'call', when, nth, run: () => child.kill('SIGKILL') }])
      const { signal } = await end
      server.faults([])
      return signal === 'SIGKILL'
    },
    /** As at the start: an empty bucket, a server that does nothing wrong. */
    reset: () => {
      server.reset()
      server.empty(bucket)
      Object.assign(server.settings, makeSettings({}))
    },
    /** All requests since the last reset. */
    requests: () => server.log.length,
    /** Stops the server and removes the nights. */
    stop: async () => {
      await server.stop()
      nights.remove()
    },
  }
}

const wordsOf = (line: Line): readonly string[] => (typeof line === 'string' ? line.split(' ') : line)
