/**
 * The floor of a first publish: puts all files of a folder with the SDK and nothing else, as many at a time as fundpress does.
 *
 *     node test/bench/bare-sdk.ts <endpoint> <bucket> <folder>
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { filesIn } from '../support/tree.ts'

const [endpoint = '', bucket = '', folder = ''] = process.argv.slice(2)
const atATime = 64

const client = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  requestHandler: { httpAgent: { keepAlive: true, maxSockets: atATime } },
  // Else the SDK adds a CRC32 of the body.
  requestChecksumCalculation: 'WHEN_REQUIRED',
})
const files = filesIn(folder).values()
const putSome = async () => {
  for (const key of files) {
    const about = { ContentType: 'application/json', CacheControl: 'no-cache' }
    const body = await readFile(join(folder, key))
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ...about }))
  }
}
await Promise.all(Array.from({ length: atATime }, putSome))
client.destroy()
