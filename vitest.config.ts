import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    // Child processes and worker threads are started from the tests: a process a file keeps them apart.
    pool: 'forks',
    // Most files wait for their children, for leases and for retries.
    maxWorkers: '150%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
