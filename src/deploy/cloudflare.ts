/** The edge on Cloudflare: a Worker with an R2 bucket, as wrangler deploys it. */

import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import { bundle, fillTemplate, sourceExtension, template } from './bundle.ts'
import type { DeploymentSettings, MakeDeployment } from './deployment.ts'

/** What the runtime's behaviour is pinned to; the tests run the Worker with it. */
export const compatibilityDate = '2026-07-30'

/** @throws {Error} without a bucket */
export const cloudflare: MakeDeployment = async (settings) => {
  const { bucket, baseUrl, edge } = settings
  if (bucket.name === null) {
    throw new Error('a Worker needs an R2 bucket: set bucket.name in the config file, or give --bucket')
  }
  const { hostname } = new URL(baseUrl)
  const hasAddress = hostname !== 'localhost'
  // A Worker's name has no dots.
  const name = bucket.name.replaceAll('.', '-')
  const values = {
    name,
    bucket: bucket.name,
    hostname,
    baseUrl: hasAddress ? baseUrl : `https://${name}.<subdomain>.workers.dev`,
    compatibilityDate,
    endpoint: bucket.endpoint ?? 'https://<account>.r2.cloudflarestorage.com',
    prefixFlag: bucket.prefix === '' ? '' : ` --prefix ${bucket.prefix}`,
    liveTtlSeconds: edge.liveTtlSeconds,
  }
  const wrangler = fillTemplate(await template('cloudflare/wrangler.jsonc'), values)
  return [
    { path: 'worker.js', text: await workerCode(settings) },
    { path: 'wrangler.jsonc', text: hasAddress ? wrangler : onWorkersDev(wrangler) },
    { path: 'README.md', text: fillTemplate(await template('cloudflare/README.md'), values) },
  ]
}

/** Without an address of its own (`baseUrl` is not set) the Worker gets one from Cloudflare. */
const onWorkersDev = (wrangler: string) =>
  wrangler.replace(/^ *"routes".*\n/m, '').replace('"workers_dev": false', '"workers_dev": true')

/** The Worker's module, with all that it has to know. */
function workerCode({ docsUrl, bucket, edge }: DeploymentSettings): Promise<string> {
  const { cacheControl, errorCacheControl, liveTtlSeconds } = edge
  const config = {
    table: routeTable(endpoints, docsUrl),
    settings: { cacheControl, errorCacheControl },
    liveTtlSeconds,
    prefix: bucket.prefix === '' ? '' : `${bucket.prefix}/`,
  }
  // What is logged shows in the dashboard and in `wrangler tail`.
  const entry = `import { worker } from './adapters/worker${sourceExtension}'
    const onFailure = (error, url) => console.error(url.slice(0, 500), String(error))
    export default worker({ ...${JSON.stringify(config)}, onFailure })`
  return bundle({ entry, format: 'esm', target: 'es2022' })
}
