/** The extensions. Each can go: its line here, and its folder. Everything else builds, passes its tests and serves. */

import type { Extensions } from './core/extension.ts'

const modules = await Promise.all([
  import('./extensions/demo/index.ts'),
  import('./extensions/import/index.ts'),
  import('./extensions/derive/index.ts'),
  import('./extensions/conform/index.ts'),
  import('./extensions/setup/index.ts'),
  import('./extensions/changes/index.ts'),
  import('./extensions/tell/index.ts'),
  import('./extensions/github/index.ts'),
  import('./extensions/site/index.ts'),
  import('./extensions/describe/index.ts'),
  import('./extensions/downloads/index.ts'),
  import('./extensions/platforms/nginx/index.ts'),
  import('./extensions/platforms/cloudflare/index.ts'),
  import('./extensions/platforms/cloudfront/index.ts'),
])

export const extensions: Extensions = {
  list: modules.map(({ extension }) => extension),
  address: import.meta.url,
}
