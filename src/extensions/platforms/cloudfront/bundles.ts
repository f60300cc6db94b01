/** The code that runs on CloudFront: two functions, and a Lambda for what they cannot answer. */

import type { Bundle } from '../../../core/edge/bundle.ts'

export const lambda: Bundle = {
  name: 'lambda',
  module: new URL('./lambda.ts', import.meta.url),
  factory: 'handlers',
  language: 'es2022',
  platform: 'node',
  external: ['@aws-sdk/client-s3'],
}

export const viewerRequest: Bundle = {
  name: 'viewer-request',
  module: new URL('./request.ts', import.meta.url),
  factory: 'viewerRequest',
  language: 'njs',
}

export const viewerResponse: Bundle = {
  name: 'viewer-response',
  module: new URL('./response.ts', import.meta.url),
  factory: 'viewerResponse',
  language: 'njs',
}
