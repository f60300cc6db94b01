/** `fundpress fetch`: the fund database from a bucket, for machines that keep nothing. */

import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { Argument } from '@commander-js/extra-typings'
import { download } from '../../bucket/store/read.ts'
import { openS3 } from '../../bucket/store/s3.ts'
import { placeToWrite } from '../../system/place.ts'
import { defineCommand } from '../command.ts'
import { UsageError } from '../failure.ts'
import { shownValue } from '../safe-text.ts'

export default defineCommand({
  description:
    'Fetches a file from a bucket, above all the fund database: for a container, or a job that keeps nothing. The file ' +
    'has its name only once it is complete, and only its owner may read it, unless more users could read the one that it ' +
    'replaces. Region, endpoint and path style are those of the bucket that snapshots are ' +
    'published to, unless a flag says otherwise.',
  arguments: [
    new Argument('<address>', 'Where it is: s3://bucket/key'),
    new Argument('<file>', 'The file to write; an old one is replaced'),
  ],
  settings: ['bucket.endpoint', 'bucket.region', 'bucket.pathStyle'],
  examples: [
    ['fetch s3://fund-in/funds.sqlite funds.sqlite --region eu-central-1', 'From AWS'],
    [
      'fetch s3://in/funds.sqlite funds.sqlite --endpoint https://minio.example.com --path-style',
      'From MinIO',
    ],
  ],
  run: async ({ settings, signal, stdout }, _flags, address: string, file: string) => {
    const [, bucket, key] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/.exec(address) ?? []
    if (bucket === undefined || key === undefined)
      throw new UsageError(`the address is ${shownValue(address)}: it must be s3://bucket/key`)
    const place = placeToWrite(file, 'file')
    const store = openS3({ ...settings.bucket, bucket, prefix: '', concurrency: 1 }, signal)
    // A random name, because containers that share a folder all run as process 1.
    const part = `${place}.${randomUUID()}.part`
    try {
      if ((await download(store, key, part)) === null) throw new Error(`${address} does not exist`)
      // Left by a program that was killed with the old database open: SQLite would apply these logs to the new one.
      for (const log of ['-wal', '-shm', '-journal']) await rm(place + log, { force: true })
      const earlier = statSync(place, { throwIfNoEntry: false })
      if (earlier !== undefined) await chmod(part, earlier.mode)
      await rename(part, place)
    } finally {
      store.close()
      await rm(part, { force: true })
    }
    stdout.write(`${address} is in ${file}\n`)
  },
})
