import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// The processes of the tests, hundreds of them, load the same code: each but the first finds it compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    globalSetup: ['test/support/temporary.ts', 'test/support/warm-server.ts'],
    // Child processes and worker threads are started from the tests: a process a file keeps them apart.
    pool: 'forks',
    // Their children keep the cores busy. More at a time would save a tenth, and make moments harder to meet.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
