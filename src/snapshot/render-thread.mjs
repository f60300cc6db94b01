/**
 * Starts a rendering thread. JavaScript, because a checkout would otherwise load a compiler into each thread to take the
 * types out of these lines; what they load comes out of the cache.
 */

import { keepCompiledCode } from '../threads/compile-cache.mjs'

// A cache of the main thread does not reach here: without one of its own, each thread compiles everything anew.
keepCompiledCode()
await import('./render-worker.ts')
