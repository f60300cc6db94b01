/** Snapshots to publish, a store to publish to, and the command line between them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startS3, type S3Options, type S3Server } from '../support/s3/server.ts'
import { editDatabase } from '../support/database.ts'
import { makeTempFolder, type TempFolder } from '../support/product.ts'
import { run, start, type Ended } from './run.ts'

export const bucket = 'fund-data'
export const credentials = { AWS_ACCESS_KEY_ID: 'TESTKEY', AWS_SECRET_ACCESS_KEY: 'test/secret+key' }

/** So that nothing of the machine's own has a say: profiles, roles, endpoints. */
const nobodysMachine = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_PROFILE: '',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: '',
  AWS_ENDPOINT_URL: '',
  AWS_SESSION_TOKEN: '',
}

export interface Press {
  readonly server: S3Server
  readonly folder: TempFolder
  /** `publish --out a` with the flags of the bucket, in a folder of its own. */
  readonly fundpress: (line: string, env?: Readonly<Record<string, string>>) => Promise<Ended>
  readonly begin: (line: string) => ReturnType<typeof start>
  /** The same, parsed, for what must succeed. */
  readonly json: <T = Readonly<Record<string, never>>>(line: string) => Promise<T>
  /** Of all requests since the last reset. */
  readonly requests: () => number
  readonly stop: () => Promise<void>
}

export async function openPress(options: S3Options = {}): Promise<Press> {
  const server = await startS3({ buckets: [bucket], ...options })
  const folder = makeTempFolder()
  const place = () => `--bucket ${bucket} --endpoint ${server.endpoint} --path-style`
  const full = (line: string) =>
    (/^(demo|build)/.test(line) || line.includes('--endpoint') ? line : `${line} ${place()}`).split(' ')
  const surroundings = (env: Readonly<Record<string, string>> = {}) => ({
    cwd: folder.path,
    env: { ...nobodysMachine, ...credentials, FUNDPRESS_BUCKET_GRACE_SECONDS: '0', ...env },
  })
  const fundpress: Press['fundpress'] = (line, env) => run(full(line), surroundings(env))
  return {
    server,
    folder,
    fundpress,
    begin: (line) => start(full(line), surroundings()),
    json: async <T>(line: string) => {
      const { code, stdout, stderr } = await fundpress(`${line} --json`)
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout) as T
    },
    requests: () => Object.values(server.counts()).reduce((sum, count) => sum + count, 0),
    stop: async () => {
      await server.stop()
      folder.remove()
    },
  }
}

/** Builds snapshots of four funds: `a`. */
export async function buildNights({ fundpress }: Press): Promise<void> {
  await fundpress('demo --db funds.sqlite --funds 4 --years 1 --until 2026-11-18 --quiet')
  await fundpress('build --db funds.sqlite --out a --as-of 2026-11-19 --quiet')
}

/** A snapshot of the database after a change, as `out`. */
export async function buildChanged(press: Press, out: string, sql: string, flags = ''): Promise<void> {
  editDatabase(press.folder.file('funds.sqlite'), sql)
  const { code, stderr } = await press.fundpress(
    `build --db funds.sqlite --out ${out} --as-of 2026-11-19 --quiet${flags}`,
  )
  if (code !== 0) throw new Error(stderr)
}

/** Changes the profiles of one fund: four objects. */
export const newBenchmark = (number: number) =>
  `UPDATE profile SET benchmark = 'Index ${number}' WHERE isin = (SELECT min(isin) FROM profile)`

/** SHA-256 by key, of a snapshot in a folder. */
export function sums(folder: TempFolder, out: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(folder.path, out, 'SHA256SUMS'), 'utf8')
    .trimEnd()
    .split('\n')
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

/** Keys whose bodies differ, or that only the second one has. */
export function changedKeys(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...after].filter(([key, sum]) => before.get(key) !== sum).map(([key]) => key)
}

/** Whether a slot holds the snapshot of a folder: all of it, and nothing else. */
export function slotDiffers({ server, folder }: Press, slot: string, out: string): string[] {
  const wanted = [...sums(folder, out).keys(), 'manifest.ndjson.gz', 'SHA256SUMS']
  const standing = [...server.objects(bucket)].filter(([key]) => key.startsWith(`${slot}/`))
  const bodies = new Map(standing.map(([key, { body }]) => [key.slice(slot.length + 1), body]))
  const wrong = wanted.filter((key) => {
    const body = bodies.get(key)
    return body?.equals(readFileSync(join(folder.path, out, key))) !== true
  })
  return [...wrong, ...[...bodies.keys()].filter((key) => !wanted.includes(key))]
}
