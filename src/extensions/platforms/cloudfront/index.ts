/** The edge on CloudFront: functions, a Lambda, and the KeyValueStore that names what is live. */

import type { Extension } from '../../../core/extension.ts'

export const extension: Extension = {
  name: 'platforms/cloudfront',
  platform: {
    name: 'cloudfront',
    examples: [
      ['edge cloudfront --bucket fund-data --region eu-central-1 --dest edge', 'CloudFront, S3 and Lambda'],
    ],
    load: () => import('./deploy.ts'),
  },
  // Its SDK loads slowly, and only deployments on CloudFront need it.
  follower: () => import('./key-value-store.ts'),
}
