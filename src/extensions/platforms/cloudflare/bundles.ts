/** The code that runs on Cloudflare. */

import type { Bundle } from '../../../core/edge/bundle.ts'

export const worker: Bundle = {
  name: 'worker',
  module: new URL('./worker.ts', import.meta.url),
  factory: 'worker',
  language: 'es2022',
}
