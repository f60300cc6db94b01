import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { quickTests } from './test/support/quick.ts'

// The processes of the tests, hundreds of them, load the same code: each but the first finds it compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** Files that take longest: begun last, one of them would keep a single core busy at the end. */
const longest = [
  'edge/runtime/conformance',
  'guards/nights',
  'cli/container',
  'cli/first-night',
  'guards/nights-across',
  'edge/runtime/budget',
  'conform/command',
  'bucket/withdrawal',
  'bucket/nightly/nightly',
  'bucket/stop',
  'deploy/workflows',
  'edge/runtime/outage',
  'edge/runtime/hostile-live',
  'bucket/schedules',
  'site/browser/docs',
  'bucket/doors',
  'site/pages/validity',
  'bucket/nightly/since',
  'site/browser/status',
  'deploy/kubernetes-nights',
  'build/kill',
  'deploy/policies',
  'deploy/release',
  'deploy/aws-batch',
  'bucket/folder-nights',
  'bucket/stage',
  'cli/package',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    // `npm run check` runs the quick ones: `vitest run --mode quick`.
    include: mode === 'quick' ? quickTests(import.meta.dirname) : ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    globalSetup: ['test/support/temporary.ts'],
    setupFiles: ['test/support/restore.ts'],
    // One process for many files: starting one, and loading the program and its kept processes, takes a second each.
    pool: 'forks',
    isolate: false,
    // Tests that wait for something leave a core to others.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Nobody waits for a time: a condition that never comes ends a test, on a slow machine, too.
    expect: { poll: { timeout: 60_000 } },
    // For what hangs: how long a test takes depends on the machine and on what else it does.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
}))
