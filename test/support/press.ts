/** Nights to publish, a bucket on the S3 server of the tests to publish to, and the command line between them. */
import type { ChildProcess } from 'node:child_process'
import { ended, run, start, type Ended } from '../cli/run.ts'
import { bucketOf, type Bucket } from './bucket.ts'
import type { Nights } from './nights.ts'
import type { Run } from './product.ts'
import { bucketArgs, credentials } from './publishing.ts'
import { startS3, type S3Server } from './s3/server.ts'
import { makeSettings } from './s3/settings.ts'

/** A command and its flags: a text is cut at its blanks. */
export type Line = string | readonly string[]
type Environment = Readonly<Record<string, string>>

export interface Press {
  readonly nights: Nights
  readonly server: S3Server
  readonly bucket: Bucket
  /** Runs a command on the bucket, in the folder of the nights: `publish --out night-1`. */
  readonly fundpress: (line: Line, env?: Environment) => Promise<Run>
  /** The same without the flags that name the bucket. */
  readonly bare: (line: Line, env?: Environment) => Promise<Run>
  /** The same as `fundpress`, parsed, for what must succeed. */
  readonly json: <T = Readonly<Record<string, never>>>(line: Line) => Promise<T>
  readonly publish: (out: string, ...flags: readonly string[]) => Promise<Run>
  /** Begins a publish, or another command, to be watched and stopped. */
  readonly begin: (line: Line, env?: Environment) => Begun
  /** A publish that is killed, as by a power cut, when the server gets its n-th request. @returns whether it was */
  readonly publishUntilRequest: (out: string, nth: number, when: 'before' | 'after') => Promise<boolean>
  /** As at the start: an empty bucket, a server that does nothing wrong. */
  readonly reset: () => void
  /** For a store that is opened in the test's own process, with `credentials` in its environment. */
  readonly storeSettings: S3Place
  /** All requests since the last reset. */
  readonly requests: () => number
  /** Stops the server and removes the nights. */
  readonly stop: () => Promise<void>
}

interface S3Place {
  readonly bucket: string
  readonly prefix: string
  readonly endpoint: string
  readonly region: string
  readonly pathStyle: boolean
}

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

export async function openPress(nights: Nights, { bucket = 'funds' } = {}): Promise<Press> {
  const server = await startS3({ buckets: [bucket] })
  const surroundings = (env: Environment = {}) => ({
    cwd: nights.folder.path,
    env: { ...nobodysMachine, ...credentials, ...noWaiting, ...env },
  })
  const begin = (line: Line, env?: Environment): Begun => {
    const child = start(wordsOf(line), surroundings(env))
    return { child, end: ended(child) }
  }
  // Flags of the line come later, and win.
  const onBucket = (line: Line): readonly string[] => {
    const [command = '', ...flags] = wordsOf(line)
    return [command, ...bucketArgs(server.endpoint, bucket), ...flags]
  }
  const bare: Press['bare'] = async (line, env) => {
    const { code, stdout, stderr } = await run(wordsOf(line), surroundings(env))
    return { code, stdout, stderr }
  }
  const fundpress: Press['fundpress'] = (line, env) => bare(onBucket(line), env)
  return {
    nights,
    server,
    bucket: bucketOf(server, bucket, nights.folder.path),
    fundpress,
    bare,
    json: async <T>(line: Line) => {
      const { code, stdout, stderr } = await fundpress([...wordsOf(line), '--json'])
      if (code !== 0) throw new Error(`${wordsOf(line).join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout) as T
    },
    // Quiet: on a slow machine it would say how far it is.
    publish: (out, ...flags) => fundpress(['publish', '--out', out, '--json', '--quiet', ...flags]),
    begin: (line, env) => begin(onBucket(line), env),
    publishUntilRequest: async (out, nth, when) => {
      const { child, end } = begin(onBucket(['publish', '--out', out, '--json']))
      server.faults([{ kind: 'call', when, nth, run: () => child.kill('SIGKILL') }])
      const { signal } = await end
      server.faults([])
      return signal === 'SIGKILL'
    },
    reset: () => {
      server.reset()
      server.empty(bucket)
      Object.assign(server.settings, makeSettings({}))
    },
    storeSettings: { bucket, prefix: '', endpoint: server.endpoint, region: 'us-east-1', pathStyle: true },
    requests: () => Object.values(server.counts()).reduce((sum, count) => sum + count, 0),
    stop: async () => {
      await server.stop()
      nights.remove()
    },
  }
}

const wordsOf = (line: Line): readonly string[] => (typeof line === 'string' ? line.split(' ') : line)
