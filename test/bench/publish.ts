/**
 * Publishing to a real S3 server, beside `aws s3 sync` and `rclone` where they are installed, on the same server.
 *
 * Options: --endpoint http://127.0.0.1:8091 (a path-style store; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY from the
 * environment) --funds 160 --dir <a folder>
 *
 * Nights: the first publish into an empty slot; one in which nothing changed; one in which 2 % of the funds changed.
 * fundpress has two slots: the third night is measured when both are filled, as it is every night but the first two.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import Database from 'better-sqlite3'
import { printTable } from './table.ts'

interface Night {
  readonly seconds: number
  readonly peakMib: number
  /** As the tool says it; '' where it does not. */
  readonly requests: string
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      endpoint: { type: 'string' },
      funds: { type: 'string', default: '160' },
      dir: { type: 'string', default: tmpdir() },
    },
  })
  const { endpoint, funds, dir } = values
  if (endpoint === undefined) throw new Error('which server? --endpoint http://127.0.0.1:8091')
  const folder = mkdtempSync(join(dir, 'fundpress-bench-'))
  try {
    await measure(folder, endpoint, funds)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const cli = new URL('../../src/cli/fundpress.mjs', import.meta.url).pathname
const fundpress = (...args: string[]) => execFileSync(process.execPath, [cli, ...args], { encoding: 'utf8' })

async function measure(folder: string, endpoint: string, funds: string): Promise<void> {
  const db = join(folder, 'funds.sqlite')
  const nights = ['first', 'second', 'third'].map((name) => join(folder, name))
  const [first = '', second = '', third = ''] = nights
  fundpress('demo', '--db', db, '--funds', funds, '--years', '1', '--until', '2026-11-18', '--quiet')
  fundpress('build', '--db', db, '--out', first, '--as-of', '2026-11-18', '--quiet')
  cpSync(first, second, { recursive: true })
  fundpress('build', '--db', db, '--out', second, '--as-of', '2026-11-19', '--quiet')
  rename(db, 0.02)
  fundpress('build', '--db', db, '--out', third, '--as-of', '2026-11-20', '--quiet')
  const objects = readdirSync(first, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  ).length
  process.stdout.write(`${objects.toLocaleString('en')} files, ${endpoint}\n\n`)

  const rows = [
    ['', 'first publish', 'objects/s', 'nothing changed', '2 % changed', 'peak memory', 'requests'],
  ]
  const add = (name: string, [one, none, some]: readonly [Night, Night, Night]) => {
    const peak = Math.max(one.peakMib, none.peakMib, some.peakMib)
    rows.push([
      name,
      `${one.seconds.toFixed(1)} s`,
      Math.round(objects / one.seconds).toLocaleString('en'),
      `${none.seconds.toFixed(1)} s`,
      `${some.seconds.toFixed(1)} s`,
      `${peak} MiB`,
      [one, none, some].map(({ requests }) => requests).join(' / '),
    ])
  }
  const bucket = await newBucket(endpoint)
  const publish = (out: string) => () => timed(process.execPath, publishArgs(out, bucket, endpoint))
  const nightOne = await publish(first)()
  const nothing = await publish(first)()
  await publish(second)()
  add('fundpress publish', [nightOne, nothing, await publish(third)()])

  for (const [name, program, command] of others(endpoint)) {
    if (spawnSync('which', [program]).status !== 0) continue
    const own = await newBucket(endpoint)
    const sync = (out: string) => timed(program, command(out, own))
    add(name, [await sync(first), await sync(first), await sync(third)])
  }
  printTable(rows)
}

function publishArgs(out: string, bucket: string, endpoint: string): string[] {
  const place = ['--bucket', bucket, '--endpoint', endpoint, '--path-style', '--region', 'us-east-1']
  return [cli, 'publish', '--out', out, ...place, '--grace', '0', '--json', '--quiet']
}

/** Others compare times or sizes with what is there; none of them has slots, a manifest, or a flip. */
const others = (endpoint: string) =>
  [
    [
      'aws s3 sync',
      'aws',
      (out: string, bucket: string) => [
        '--endpoint-url',
        endpoint,
        's3',
        'sync',
        '--only-show-errors',
        '--delete',
        out,
        `s3://${bucket}/`,
      ],
    ],
    [
      'rclone sync --checksum, 32 transfers',
      'rclone',
      (out: string, bucket: string) => [
        'sync',
        '--checksum',
        '--transfers',
        '32',
        '--checkers',
        '32',
        '--s3-provider',
        'Other',
        '--s3-endpoint',
        endpoint,
        '--s3-env-auth',
        out,
        `:s3:${bucket}`,
      ],
    ],
  ] as const

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
  const isins = db.prepare<[], string>('SELECT isin FROM fund ORDER BY isin').pluck().all()
  const update = db.prepare("UPDATE fund SET name = name || ' *' WHERE isin = ?")
  const chosen = isins
    .toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1))
    .slice(0, Math.round(isins.length * share))
  for (const isin of chosen) update.run(isin)
  db.close()
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Runs a program and watches its memory: the most that it had, in mebibytes. */
async function timed(program: string, args: readonly string[]): Promise<Night> {
  const started = performance.now()
  const env: NodeJS.ProcessEnv = { ...process.env, AWS_DEFAULT_REGION: 'us-east-1' }
  // The server is on loopback: a machine's own CA bundle only confuses rclone.
  delete env['AWS_CA_BUNDLE']
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  let peakKib = 0
  const watch = setInterval(() => {
    peakKib = Math.max(peakKib, peakOf(child.pid ?? 0))
  }, 20)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearInterval(watch)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`)
  return {
    seconds: (performance.now() - started) / 1000,
    peakMib: Math.round(peakKib / 1024),
    requests: requestsIn(output),
  }
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function requestsIn(output: string): string {
  if (!output.startsWith('{')) return ''
  const { requests } = JSON.parse(output) as { requests: Readonly<Record<string, number>> }
  return Object.values(requests)
    .reduce((sum, count) => sum + count, 0)
    .toLocaleString('en')
}
