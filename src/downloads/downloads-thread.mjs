/** Starts a thread of the downloads. JavaScript: in a checkout nothing has to take types out of these lines first. */

import { enableCompileCache } from 'node:module'

// A cache of the main thread does not reach here.
enableCompileCache()
await import('./downloads-worker.ts')
