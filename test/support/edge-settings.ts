/** Settings of an edge with a bucket, as its platforms get them. */
import type { DeploymentSettings } from '../../src/core/edge/deployment.ts'
import { docsUrl } from './product.ts'

export function edgeSettings(
  liveTtlSeconds: number,
  prefix = '',
  previewToken: string | null = null,
): DeploymentSettings {
  return {
    baseUrl: 'https://api.example.org',
    docsUrl,
    out: 'out',
    bucket: { name: 'fund-data', endpoint: null, region: null, prefix, pathStyle: false },
    edge: {
      cacheControl: 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
      errorCacheControl: 'public, max-age=60',
      liveTtlSeconds,
      hstsSeconds: 0,
      previewToken,
    },
    serve: { trustedProxies: null, host: '127.0.0.1', port: 0 },
  }
}
