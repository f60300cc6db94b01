/**
 * Publishing to a real S3 server, beside `aws s3 sync` and `rclone` where they are installed, on the same server.
 *
 * Options: --funds 20 --endpoint <URL> (a path-style store, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY from the
 * environment; without it, Ceph's radosgw is started on this machine)
 *
 * Measured: the first publish into an empty slot; a publish without changes; one after 2 % of the funds changed. fundpress
 * has two slots: the third is measured when both are filled, as usual. The floor of its CPU time is `bare-sdk.ts`.
 *
 * A publish without changes reads `live.json`. Where funds are restricted, as in the demo, it reads the journal, too: that says
 * whether earlier downloads were searched for them.
 */

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import Database from 'better-sqlite3'
import { missingPrograms, startRadosgw } from '../support/s3/radosgw.ts'
import { filesIn } from '../support/tree.ts'
import { bench, fundpress, isThere, Missing, timed, type Measures, type Table } from './bench.ts'

const options = { endpoint: { type: 'string' }, funds: { type: 'string', default: '20' } } as const

export const run = bench(options, async (folder, { endpoint, funds }) => {
  if (endpoint !== undefined) return [await measure(folder, endpoint, funds)]
  const missing = missingPrograms()
  if (missing.length > 0) throw new Missing(`no ${missing.join(', ')}; name a server with --endpoint`)
  const server = await startRadosgw()
  process.env['AWS_ACCESS_KEY_ID'] = server.accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = server.secretAccessKey
  // Nobody reads the slot that was live a moment ago.
  process.env['FUNDPRESS_BUCKET_GRACE_SECONDS'] = '0'
  return [await measure(folder, server.endpoint, funds).finally(server.stop)]
})

async function measure(folder: string, endpoint: string, funds: string): Promise<Table> {
  const prepare = (...args: string[]) => execFileSync(process.execPath, [fundpress, ...args])
  const db = join(folder, 'funds.sqlite')
  const first = join(folder, 'first')
  const second = join(folder, 'second')
  const third = join(folder, 'third')
  prepare('init', '--demo', '--db', db, '--funds', funds, '--years', '1', '--until', '2026-11-18', '--quiet')
  prepare('build', '--db', db, '--out', first, '--as-of', '2026-11-18', '--quiet')
  cpSync(first, second, { recursive: true })
  prepare('build', '--db', db, '--out', second, '--as-of', '2026-11-19', '--quiet')
  rename(db, 0.02)
  prepare('build', '--db', db, '--out', third, '--as-of', '2026-11-20', '--quiet')
  const objects = filesIn(first).length

  const rows: Record<string, Measures> = {}
  for (const [name, region] of Object.entries({ [ours]: ['--region', 'us-east-1'], [noRegion]: [] })) {
    const server = ['--bucket', await newBucket(endpoint), '--endpoint', endpoint, '--path-style', ...region]
    const publish = (out: string) =>
      timed(process.execPath, [fundpress, 'publish', '--out', out, ...server, ...'--json --quiet'.split(' ')])
    const whole = await publish(first)
    const nothing = await publish(first)
    await publish(second)
    rows[name] = rowOf(objects, [whole, nothing, await publish(third)])
  }
  const sdk = new URL('bare-sdk.ts', import.meta.url).pathname
  rows[floor] = rowOf(objects, [
    await timed(process.execPath, [sdk, endpoint, await newBucket(endpoint), first]),
  ])
  for (const [name, command] of Object.entries(others(endpoint))) {
    const [program = '', ...words] = command.split(' ')
    if (!isThere(program)) continue
    const own = await newBucket(endpoint)
    const sync = (out: string) =>
      timed(
        program,
        words.map((word) => word.replace('OUT', out).replace('BUCKET', own)),
      )
    rows[name] = rowOf(objects, [await sync(first), await sync(first), await sync(third)])
  }
  const by = 'first publish, s'
  return {
    name: 'publish',
    about: `${objects.toLocaleString('en')} files; one round`,
    rows,
    ratios: {
      'CPU of the bare SDK': { by: cpu, of: floor },
      ...Object.fromEntries(
        Object.keys(others(endpoint))
          .filter((name) => name in rows)
          .map((name) => [`of ${name}`, { by, of: name }]),
      ),
    },
    goals: { [ours]: goals, [noRegion]: goals },
  }
}

const ours = 'fundpress publish'
const noRegion = 'fundpress publish, no --region'
const floor = 'a bare SDK loop'
const cpu = 'CPU ms an object'
const goals = {
  'CPU of the bare SDK': 'at most 1.3',
  'of aws s3 sync': 'at most 0.33',
  'of rclone, 32 transfers': 'at most 1',
  'requests, nothing changed': 'at most 2',
}

type Ran = Awaited<ReturnType<typeof timed>>

/** @param all the first publish, and, unless it is the floor, one without changes and one with a few */
function rowOf(objects: number, all: readonly [whole: Ran, nothing?: Ran, changed?: Ran]): Measures {
  const [whole, nothing, changed] = all
  const of = (name: string, value: number | undefined) => (value === undefined ? {} : { [name]: value })
  return {
    'first publish, s': whole.measures.seconds,
    [cpu]: (whole.measures['CPU s'] / objects) * 1000,
    ...of('nothing changed, s', nothing?.measures.seconds),
    ...of('2 % changed, s', changed?.measures.seconds),
    'peak MiB': Math.max(...all.map((ran) => ran?.measures['peak MiB'] ?? 0)),
    ...of('requests, first', requestsIn(whole)),
    ...of('requests, nothing changed', requestsIn(nothing)),
    ...of('requests, 2 % changed', requestsIn(changed)),
  }
}

/** Others compare times or sizes with what is there; none of them has slots, a manifest, or a flip. OUT and BUCKET are filled in. */
const others = (endpoint: string) => ({
  'aws s3 sync': `aws --endpoint-url ${endpoint} s3 sync --only-show-errors --delete OUT s3://BUCKET/`,
  'rclone, 32 transfers':
    'rclone sync --checksum --transfers 32 --checkers 32 --s3-provider Other' +
    ` --s3-endpoint ${endpoint} --s3-env-auth OUT :s3:BUCKET`,
})

async function newBucket(endpoint: string): Promise<string> {
  const bucket = `bench-${randomUUID()}`
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  return bucket
}

/** Changes the names of so many funds: all their documents change. */
function rename(file: string, share: number): void {
  const db = new Database(file)
  // The ninth character of an ISIN is as good as random.
  db.prepare(
    `UPDATE fund SET name = name || ' *' WHERE isin IN
      (SELECT isin FROM fund ORDER BY substr(isin, 9) LIMIT max(1, round((SELECT count(*) FROM fund) * ?)))`,
  ).run(share)
  db.close()
}

/** Only fundpress says how many. */
function requestsIn(ran: Ran | undefined): number | undefined {
  if (ran?.stdout.startsWith('{') !== true) return undefined
  const { requests } = JSON.parse(ran.stdout) as { requests: Readonly<Record<string, number>> }
  return Object.values(requests).reduce((before, count) => before + count, 0)
}
