/** A stock nginx before `fundpress serve`. */

import type { Extension } from '../../../core/extension.ts'

export const extension: Extension = {
  name: 'platforms/nginx',
  platform: {
    name: 'nginx',
    about: 'nginx: a stock nginx that caches what `fundpress serve` answers, and the units of that.',
    servesFolder: true,
    examples: [
      [
        'edge nginx --bucket file:///srv/fundpress --dest edge',
        'nginx before `serve`, with a bucket that is a folder',
      ],
      ['edge nginx --bucket fund-data --region eu-central-1 --dest edge', 'The same with a bucket'],
    ],
    load: () => import('./deploy.ts'),
  },
}
