/** Starts a thread of the downloads. */

import { enableCompileCache } from 'node:module'

// A cache of the main thread does not reach here.
enableCompileCache()
await import('./downloads-worker.ts')
