/** The program as a process. Only this file reads arguments, environment and the business date, and sets the exit code. */

import { availableParallelism } from 'node:os'
import type { Extensions } from '../extension.ts'
import type { Surroundings } from './command.ts'
import { todayInBerlin } from '../guards/clock.ts'
import { report, run } from './run.ts'
import { endApart } from '../system/apart.ts'
import { watchSignals } from '../system/signals.ts'
import { ignoreClosedPipe } from './terminal.ts'

/** Runs the command line of this process. Call once. */
export async function main(extensions: Extensions): Promise<void> {
  const clock = () => performance.now()
  const watch = watchSignals(process, clock, (reason) => report(reason, surroundings))
  const surroundings: Surroundings = {
    extensions,
    environment: process.env,
    cores: availableParallelism(),
    // Making a formatter of dates takes a tenth of the start, and few commands need the day.
    get today() {
      return todayInBerlin(new Date())
    },
    signal: watch.signal,
    handleSignals: watch.handle,
    now: () => new Date(),
    clock,
    stdout: process.stdout,
    stderr: process.stderr,
    openDialog: () =>
      process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : null,
  }

  // The kernel gives signals no default action for process 1, the first one of a container.
  if (process.pid === 1) watch.handle()
  for (const stream of [process.stdout, process.stderr]) ignoreClosedPipe(stream)
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => {
      if (endApart(error)) return
      report(error, surroundings)
      // The rest of the program cannot be trusted any more.
      process.exit(1)
    })
  }

  // A program that waits for something that never comes would end with exit code 0.
  const endTooEarly = () => {
    report(new Error('it ended before its work was done. This is a bug in fundpress'), surroundings)
    process.exitCode = 1
  }
  process.once('beforeExit', endTooEarly)
  process.exitCode = await run(process.argv.slice(2), surroundings)
  process.off('beforeExit', endTooEarly)
  watch.endBySignal()
}
