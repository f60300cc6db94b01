/** Files with a secret, or with data that may not be given out: their owner alone may read them, whatever the umask. */
import { spawn } from 'node:child_process'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnvironment, ended, launcher } from '../cli/run.ts'
import { copyDatabase } from '../../src/core/data/read/copy.ts'
import { openFunds } from '../../src/core/data/read/open.ts'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { credentials } from '../support/publishing.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const folder = tempFolder()
let server: S3Server

beforeAll(async () => {
  server = await startS3({ buckets: ['fund-in'] })
  server.put('fund-in', 'funds.sqlite', 'a database')
})
afterAll(() => server.stop())

const modeOf = (file: string) => (statSync(folder.file(file)).mode & 0o777).toString(8)

describe.each(['022', '000'])('with the umask %s', (umask) => {
  const under = async (line: string) => {
    const env = {
      ...cleanEnvironment(),
      ...credentials,
      FUNDPRESS_BUCKET_ENDPOINT: server.endpoint,
      FUNDPRESS_BUCKET_REGION: 'us-east-1',
      FUNDPRESS_BUCKET_PATH_STYLE: 'true',
      FUNDPRESS_EDGE_PREVIEW_TOKEN: 'a-token-of-the-preview-0123456789',
    }
    const args = ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, launcher, ...line.split(' ')]
    const done = await ended(spawn('sh', args, { cwd: folder.path, env }))
    expect(done).toMatchObject({ code: 0, stderr: '' })
  }
  const own = (name: string) => `${umask}-${name}`

  it('init, fetch and edge cloudflare write for their owner alone', async () => {
    await under(`init --db ${own('init.sqlite')}`)
    await under(`fetch s3://fund-in/funds.sqlite ${own('fetched.sqlite')}`)
    await under(`edge cloudflare --bucket fund-data --dest ${own('edge')}`)
    for (const file of ['init.sqlite', 'fetched.sqlite', 'edge/worker.js'])
      expect({ file, mode: modeOf(own(file)) }).toEqual({ file, mode: '600' })
    // What is no secret follows the umask.
    expect(modeOf(own('edge/wrangler.jsonc'))).toBe((0o666 & ~parseInt(umask, 8)).toString(8))
  })

  it('import makes a copy for the owner alone, and undoing it leaves the mode of the database', async () => {
    const db = own('funds.sqlite')
    makeDatabase(folder.file(db), (insert) => insertGood(insert, isinOf(0)))
    chmodSync(folder.file(db), 0o640)
    writeFileSync(folder.file('points.csv'), `isin;date;value\n${isinOf(0)};2024-05-01;101.5\n`)
    await under(`import launch_point points.csv --db ${db} --quiet`)
    const copies = readdirSync(folder.path).filter((name) => name.startsWith(`${db}.`))
    expect(copies.map(modeOf)).toEqual(['600'])
    await under(`import --undo --db ${db} --quiet`)
    expect(modeOf(db)).toBe('640')
  })

  it('a shard hides its findings, not its documents', async () => {
    const db = own('shards.sqlite')
    makeDatabase(folder.file(db), (insert) => {
      for (const fund of [0, 1]) insertGood(insert, isinOf(fund))
    })
    await under(`build --db ${db} --as-of ${asOf} --shard 1/2 --out ${own('part')} --quiet`)
    expect(modeOf(own('part/shard.ndjson'))).toBe('600')
    expect(modeOf(own('part/manifest.ndjson.gz'))).toBe((0o666 & ~parseInt(umask, 8)).toString(8))
  })
})

it('fetch leaves a file that it replaces as readable as it was', async () => {
  writeFileSync(folder.file('old.sqlite'), 'an older one')
  chmodSync(folder.file('old.sqlite'), 0o640)
  const env = {
    ...cleanEnvironment(),
    ...credentials,
    FUNDPRESS_BUCKET_ENDPOINT: server.endpoint,
    FUNDPRESS_BUCKET_REGION: 'us-east-1',
    FUNDPRESS_BUCKET_PATH_STYLE: 'true',
  }
  const fetched = spawn(process.execPath, [launcher, 'fetch', 's3://fund-in/funds.sqlite', 'old.sqlite'], {
    cwd: folder.path,
    env,
  })
  expect(await ended(fetched)).toMatchObject({ code: 0, stderr: '' })
  expect(modeOf('old.sqlite')).toBe('640')
})

it('a copy that a build reads in place of the database is for its owner alone', async () => {
  makeDatabase(folder.file('own.sqlite'), (insert) => insertGood(insert, isinOf(0)))
  const db = openFunds(folder.file('own.sqlite'))
  await copyDatabase(folder.file('copy.sqlite'), db)
  db.close()
  expect(modeOf('copy.sqlite')).toBe('600')
})
