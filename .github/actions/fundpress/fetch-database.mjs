/**
 * Fetches the fund database from a bucket: `node fetch-database.mjs s3://bucket/key FILE`. Region, endpoint and path
 * style come from the environment, credentials from the SDK's default chain.
 */

import { rename } from 'node:fs/promises'
import { download } from '../../../src/bucket/store/read.ts'
import { openS3 } from '../../../src/bucket/store/s3.ts'
import { tellReason } from './tell-reason.mjs'

const [address = '', file = ''] = process.argv.slice(2)
try {
  await fetchDatabase(address, file)
} catch (error) {
  tellReason(error)
}

/**
 * @param {string} address
 * @param {string} file
 */
async function fetchDatabase(address, file) {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? []
  if (bucket === '' || file === '') throw new Error(`${address} is not s3://bucket/key`)
  const { REGION = '', ENDPOINT = '', PATH_STYLE } = process.env
  const store = openS3({
    bucket,
    prefix: '',
    region: REGION === '' ? null : REGION,
    endpoint: ENDPOINT === '' ? null : ENDPOINT,
    pathStyle: PATH_STYLE === 'true',
    concurrency: 1,
  })
  try {
    // If the download breaks off, no half of a database has the final name.
    const part = `${file}.part`
    if (!(await download(store, key, part))) throw new Error(`${address} does not exist`)
    await rename(part, file)
  } finally {
    store.close()
  }
}
