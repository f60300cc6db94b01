/**
 * Publishing to a real S3 server, beside `aws s3 sync` and `rclone` where they are installed, on the same server.
 *
 * Options: --endpoint http://127.0.0.1:8091 (a path-style store; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY from the
 * environment) --funds 160
 *
 * Measured: the first publish into an empty slot; a publish without changes; one after 2 % of the funds changed. fundpress
 * has two slots: the third is measured when both are filled, as usual.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import Database from 'better-sqlite3'
import { publishArgs } from '../support/publishing.ts'
import { filesIn } from '../support/tree.ts'
import { bench, fundpress, printTable, timed, type Timed } from './bench.ts'

const options = { endpoint: { type: 'string' }, funds: { type: 'string', default: '160' } } as const

export const run = bench(options, async (folder, { endpoint, funds }) => {
  if (endpoint === undefined) throw new Error('which server? --endpoint http://127.0.0.1:8091')
  const prepare = (...args: string[]) => execFileSync(process.execPath, [fundpress, ...args])
  const db = join(folder, 'funds.sqlite')
  const [first, second, third] = [join(folder, 'first'), join(folder, 'second'), join(folder, 'third')]
  prepare('demo', '--db', db, '--funds', funds, '--years', '1', '--until', '2026-11-18', '--quiet')
  prepare('build', '--db', db, '--out', first, '--as-of', '2026-11-18', '--quiet')
  cpSync(first, second, { recursive: true })
  prepare('build', '--db', db, '--out', second, '--as-of', '2026-11-19', '--quiet')
  rename(db, 0.02)
  prepare('build', '--db', db, '--out', third, '--as-of', '2026-11-20', '--quiet')
  const objects = filesIn(first).length
  process.stdout.write(`${objects.toLocaleString('en')} files, ${endpoint}\n\n`)

  const rows = [',first publish,objects/s,nothing changed,2 % changed,peak memory,requests'.split(',')]
  const add = (name: string, ...all: readonly [Timed, Timed, Timed]) => {
    const peak = Math.max(...all.map(({ peakMib }) => peakMib))
    const [one = '', ...others] = all.map(({ seconds }) => `${seconds.toFixed(1)} s`)
    const rate = Math.round(objects / all[0].seconds).toLocaleString('en')
    const requests = all.map(({ stdout }) => requestsIn(stdout)).join(' / ')
    rows.push([name, one, rate, ...others, `${peak} MiB`, requests])
  }
  const bucket = await newBucket(endpoint)
  const publish = (out: string) =>
    timed(process.execPath, [fundpress, ...publishArgs(endpoint, bucket, out, '--quiet')])
  const [whole, nothing] = [await publish(first), await publish(first)]
  await publish(second)
  add('fundpress publish', whole, nothing, await publish(third))

  for (const [name, command] of Object.entries(others(endpoint))) {
    const [program = '', ...words] = command.split(' ')
    if (spawnSync('which', [program]).status !== 0) continue
    const own = await newBucket(endpoint)
    const sync = (out: string) =>
      timed(
        program,
        words.map((word) => word.replace('OUT', out).replace('BUCKET', own)),
      )
    add(name, await sync(first), await sync(first), await sync(third))
  }
  printTable(rows)
})

/** Others compare times or sizes with what is there; none of them has slots, a manifest, or a flip. OUT and BUCKET are filled in. */
const others = (endpoint: string) => ({
  'aws s3 sync': `aws --endpoint-url ${endpoint} s3 sync --only-show-errors --delete OUT s3://BUCKET/`,
  'rclone sync --checksum, 32 transfers':
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
      (SELECT isin FROM fund ORDER BY substr(isin, 9) LIMIT round((SELECT count(*) FROM fund) * ?))`,
  ).run(share)
  db.close()
}

function requestsIn(output: string): string {
  if (!output.startsWith('{')) return ''
  const { requests } = JSON.parse(output) as { requests: Readonly<Record<string, number>> }
  const sum = Object.values(requests).reduce((before, count) => before + count, 0)
  return sum.toLocaleString('en')
}
