/** `fundpress edge cloudflare`: a Worker with an R2 bucket, for wrangler to deploy. */

import { worker } from './bundles.ts'
import {
  asScript,
  edgeConfig,
  folderOfBucket,
  fromTemplate,
  jurisdictionOf,
  readBundle,
} from '../../../core/edge/deployment.ts'
import type { MakeDeployment } from '../../../core/edge/deployment.ts'

/** Pins the behaviour of the runtime. The tests run the Worker with it. */
export const compatibilityDate = '2026-07-30'

export const deployment: MakeDeployment = async (settings) => {
  const { bucket, baseUrl, edge } = settings
  if (bucket.name === null || folderOfBucket(bucket.name) !== null) {
    throw new Error('a Worker needs an R2 bucket: set bucket.name in the config file, or give --bucket')
  }
  const { hostname } = new URL(baseUrl)
  const hasAddress = hostname !== 'localhost'
  // A Worker's name has no dots.
  const name = bucket.name.replaceAll('.', '-')
  const jurisdiction = jurisdictionOf(bucket.endpoint)
  const values = {
    name,
    bucket: bucket.name,
    hostname,
    baseUrl: hasAddress ? baseUrl : `https://${name}.<subdomain>.workers.dev`,
    compatibilityDate,
    endpoint: bucket.endpoint ?? 'https://<account>.r2.cloudflarestorage.com',
    prefixFlag: bucket.prefix === '' ? '' : ` --prefix ${bucket.prefix}`,
    liveTtlSeconds: edge.liveTtlSeconds,
    jurisdiction: jurisdiction ?? '',
    jurisdictionFlag: jurisdiction === null ? '' : ` --jurisdiction ${jurisdiction}`,
  }
  const wrangler = (await fromTemplate('cloudflare/wrangler.jsonc', values)).replace(
    ', "jurisdiction": ""',
    '',
  )
  // Without `baseUrl`, the Worker gets an address from Cloudflare.
  const onWorkersDev = wrangler
    .replace(/^ *"routes".*\n/m, '')
    .replace('"workers_dev": false', '"workers_dev": true')
  const config = {
    ...edgeConfig(settings),
    liveTtlSeconds: edge.liveTtlSeconds,
    previewToken: edge.previewToken,
    prefix: bucket.prefix === '' ? '' : `${bucket.prefix}/`,
  }
  const code = `var fundpress;${await readBundle(worker)}export default fundpress(${asScript(config)});\n`
  return [
    { path: 'worker.js', text: code, isSecret: edge.previewToken !== null },
    { path: 'wrangler.jsonc', text: hasAddress ? wrangler : onWorkersDev },
    { path: 'README.md', text: await fromTemplate('cloudflare/README.md', values) },
  ]
}
