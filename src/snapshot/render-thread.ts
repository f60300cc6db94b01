/** Starts a rendering thread. */

import { enableCompileCache } from 'node:module'

// A cache of the main thread does not reach here: without one of its own, each thread compiles everything anew.
enableCompileCache()
await import('./render-worker.ts')
