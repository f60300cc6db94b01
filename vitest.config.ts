import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { quickTests } from './test/support/quick.ts'

// The processes of the tests, hundreds of them, load the same code: each but the first finds it compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** Files that take longest, but for the budget of memory, which wants calm neighbours: begun last, one of them would keep a single core busy at the end. */
const longest = [
  'edge/runtime/conformance',
  'site/browser/pressable',
  'bucket/schedules',
  'cli/first-night',
  'cli/container',
  'transcripts',
  'guards/nights',
  'site/browser/docs',
  'site/pictures/pictures',
  'site/browser/broken',
  'site/browser/joined',
  'guards/nights-across',
  'guards/year',
  'guards/simulated-year',
  'deploy/policies',
  'site/pages/validity',
  'site/browser/status',
  'data/import/workbook-limits',
  'bucket/nightly/damage',
  'build/kill',
  'data/import/safety',
  'cli/monitoring/news',
  'conform/command',
  'api/openapi-tools',
  'cli/publish',
  'deploy/kubernetes-nights',
  'build/consistency',
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
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: LongestFirst },
    // Nobody waits for a time: a condition that never comes ends a test, on a slow machine, too.
    expect: { poll: { timeout: 60_000 } },
    // For what hangs: how long a test takes depends on the machine and on what else it does.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A worker ends with the last of the processes that it keeps for commands: they have its output.
    teardownTimeout: 60_000,
  },
}))
