/** Runs the program in this process: the one place that reads clock, environment and arguments and sets exit codes. */

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { todayInBerlin } from './dates.ts'
import { reasonOf, UsageError } from './failure.ts'
import { createProgram } from './program.ts'
import { startIn } from './session.ts'
import { watchSignals } from './signals.ts'
import { ignoreClosedPipe } from './terminal.ts'
import { isInWorkflow, withoutCommands } from './workflow-commands.ts'

const clock = () => performance.now()
const watch = watchSignals(process, clock)

for (const stream of [process.stdout, process.stderr]) ignoreClosedPipe(stream)
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    report(error)
    // What else is running cannot be trusted any more.
    process.exit(1)
  })
}

process.exitCode = await run()
watch.endBySignal()

async function run(): Promise<number> {
  const start = startIn({
    environment: process.env,
    cores: availableParallelism(),
    today: todayInBerlin(new Date()),
    signal: watch.signal,
    now: () => new Date(),
    clock,
    stdout: process.stdout,
    stderr: process.stderr,
  })
  try {
    await createProgram(start, readVersion()).parseAsync()
    return 0
  } catch (error) {
    // Help and version have been printed by then; help that nobody asked for stands in for a missing command.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    // An interrupted command fails in its own words, which are no news.
    report(watch.signal.aborted ? watch.signal.reason : error)
    return error instanceof UsageError ? 2 : 1
  }
}

function report(error: unknown): void {
  const line = `fundpress: ${reasonOf(error)}\n`
  process.stderr.write(isInWorkflow(process.env) ? withoutCommands(line) : line)
  if (process.env.FUNDPRESS_DEBUG === '1') process.stderr.write(`${inspect(error)}\n`)
}

/** package.json lies two folders up, from src/cli and from dist/cli alike. */
function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return hasVersion ? String(manifest.version) : 'unknown'
}
