/**
 * Fetches the fund database out of a bucket: `node fetch-database.mjs s3://bucket/key FILE`. Region, endpoint and path
 * style come from the environment, credentials from the SDK's default chain.
 */

import { rename } from 'node:fs/promises'
import { download } from '../../../src/publish/manifest-reader.ts'
import { openS3 } from '../../../src/publish/s3-store.ts'
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
  if (bucket === '' || file === '') throw new Error(`${address} is no s3://bucket/key`)
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
    // A fetch that breaks off leaves no half of a database under its name.
    const part = `${file}.part`
    if (!(await download(store, key, part))) throw new Error(`${address} does not exist`)
    await rename(part, file)
  } finally {
    store.close()
  }
}
