/** Starts a thread of the downloads. JavaScript: in a checkout nothing has to take types out of these lines first. */

import { keepCompiledCode } from '../threads/compile-cache.mjs'

// A cache of the main thread does not reach here.
keepCompiledCode()
await import('./downloads-worker.ts')
