/**
 * The first file of every thread: loads the thread's own code from the compile cache. JavaScript, because a checkout would
 * otherwise load a compiler into each thread for these lines.
 */

import { workerData } from 'node:worker_threads'
import { keepCompiledCode } from './compile-cache.mjs'

// The cache of the main thread does not reach here: without one of its own, each thread compiles everything anew.
keepCompiledCode()
await import(workerData)
