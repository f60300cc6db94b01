/**
 * `nightly` as a whole (check, build, publish, verify), with pages and downloads, into a folder and to a real S3 server: the first night,
 * the second, which fills the other slot, and a usual one. Each fund has a new price in each.
 *
 * Options: --documents-only --funds 40 --years 10 --jobs <cores> --rounds 1 --until 2026-11-20 --db <a database of the demo>
 * --store folder|s3 (both; S3 is Ceph's radosgw on this machine)
 * It uses the disk of the folder that TMPDIR names.
 */

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { missingPrograms, startRadosgw } from '../support/s3/radosgw.ts'
import { alternate, bench, fundpress, timed, type Table } from './bench.ts'
import { buildOptions, openBuilds, type Night } from './builds.ts'

const options = {
  ...buildOptions,
  rounds: { type: 'string', default: '1' },
  'documents-only': { type: 'boolean', default: false },
  store: { type: 'string', default: 'both' },
} as const

const nights = ['first night', 'second night', 'usual night'] as const
const copy = 'cp -a of the finished tree'

export const run = bench(options, async (folder, { rounds, store, 'documents-only': isPlain, ...values }) => {
  const { db, nightsAfter, describe } = await openBuilds(folder, values)
  const all = [{ db, day: values.until }, ...nightsAfter(nights.length - 1)]
  const measure = async (place: string, bucketOf: (round: number) => Promise<object>): Promise<Table> => {
    const at = (round: number, name: string) => join(folder, `${place}-${round}-${name}`)
    const subjects: Record<string, (round: number) => Promise<Record<string, number>>> = {}
    for (const [index, name] of nights.entries())
      subjects[name] = async (round) => {
        const config = at(round, 'config.json')
        const given = { out: at(round, 'out'), jobs: Number(values.jobs), ...(isPlain && plain) }
        if (index === 0) writeFileSync(config, JSON.stringify({ ...given, bucket: await bucketOf(round) }))
        return measureNight(config, all[index] ?? { db, day: values.until })
      }
    subjects[copy] = async (round) => {
      execFileSync('sync')
      const { measures } = await timed('cp', ['-a', at(round, 'out'), at(round, 'copy')])
      rmSync(at(round, 'copy'), { recursive: true })
      rmSync(at(round, 'out'), { recursive: true })
      return { 'publish, s': measures.seconds, 'CPU s': measures['CPU s'] }
    }
    const rows = await alternate(Number(rounds), subjects)
    const isFolder = place === 'folder'
    return {
      name: `nights into ${isFolder ? 'a folder' : 'S3'}${isPlain ? ', documents only' : ''}`,
      about: describe(rows[nights[0]] ?? {}, `medians of ${rounds} rounds`),
      rows,
      ratios: isFolder ? { 'publish of cp -a': { by: 'publish, s', of: copy } } : {},
      goals: isFolder
        ? {
            [nights[0]]: { 'of its build': 'at most 2', 'publish of cp -a': 'at most 1.3' },
            [nights[2]]: { 'of its build': 'at most 1.6' },
          }
        : {},
    }
  }
  const tables: Table[] = []
  if (store !== 's3')
    tables.push(
      await measure('folder', (round) => {
        const bucket = join(folder, `bucket-${round}`)
        mkdirSync(bucket)
        return Promise.resolve({ name: `file://${bucket}`, graceSeconds: 0 })
      }),
    )
  if (store === 'folder') return tables
  const missing = missingPrograms()
  if (missing.length > 0) {
    process.stderr.write(`without S3: no ${missing.join(', ')}\n`)
    return tables
  }
  const server = await startRadosgw()
  process.env['AWS_ACCESS_KEY_ID'] = server.accessKeyId
  process.env['AWS_SECRET_ACCESS_KEY'] = server.secretAccessKey
  const bucketOf = async () => {
    const name = randomUUID()
    const client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true })
    await client.send(new CreateBucketCommand({ Bucket: name }))
    client.destroy()
    return { name, endpoint: server.endpoint, region: 'us-east-1', pathStyle: true, graceSeconds: 0 }
  }
  return [...tables, await measure('s3', bucketOf).finally(server.stop)]
})

const plain = { pages: false, downloads: false }

/** The end of a step, as `nightly --json` tells it: figures, and requests by operation. */
type Step = Readonly<Record<string, string | number | object | undefined>>

async function measureNight(config: string, { db, day }: Night): Promise<Record<string, number>> {
  // What is still to be written must not be counted for this one.
  execFileSync('sync')
  const args = [fundpress, 'nightly', '--config', config, '--db', db, '--as-of', day, '--json']
  const { measures, stdout } = await timed(process.execPath, args)
  const lines = stdout.trim().split('\n')
  const steps = lines.map((line) => JSON.parse(line) as Step).filter(({ event }) => event === 'done')
  const of = (name: string) => steps.find(({ step }) => step === name) ?? {}
  const { seconds: building, rendered, documents, bytes } = of('build')
  const { seconds: publishing, put, requests } = of('publish')
  return {
    'of its build': measures.seconds / Number(building),
    seconds: measures.seconds,
    'build, s': Number(building),
    'publish, s': Number(publishing),
    'verify, s': Number(of('verify')['seconds']),
    'CPU s': measures['CPU s'],
    'peak MiB': measures['peak MiB'],
    rendered: Number(rendered),
    files: Number(documents),
    MB: Number(bytes) / 1e6,
    put: Number(put),
    requests: Object.values(requests as Readonly<Record<string, number>>).reduce((sum, one) => sum + one, 0),
  }
}
