/** The edge as a Cloudflare Worker. */

import type { Extension } from '../../../core/extension.ts'

export const extension: Extension = {
  name: 'platforms/cloudflare',
  platform: {
    name: 'cloudflare',
    examples: [['edge cloudflare --bucket fund-data --dest edge', 'A Worker with an R2 bucket']],
    load: () => import('./deploy.ts'),
  },
}
