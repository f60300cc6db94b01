/** Runs the program in this process: the one place that reads clock, environment and arguments and sets exit codes. */

import { availableParallelism } from 'node:os'
import { todayInBerlin } from './dates.ts'
import { report, run } from './run.ts'
import type { Surroundings } from './session.ts'
import { watchSignals } from './signals.ts'
import { ignoreClosedPipe } from './terminal.ts'

const clock = () => performance.now()
const watch = watchSignals(process, clock)
const surroundings: Surroundings = {
  environment: process.env,
  cores: availableParallelism(),
  // To make a formatter of days is a tenth of a program's start, and few commands ask for the day.
  get today() {
    return todayInBerlin(new Date())
  },
  signal: watch.signal,
  now: () => new Date(),
  clock,
  stdout: process.stdout,
  stderr: process.stderr,
}

for (const stream of [process.stdout, process.stderr]) ignoreClosedPipe(stream)
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    report(error, surroundings)
    // What else is running cannot be trusted any more.
    process.exit(1)
  })
}

// What waits for something that never comes would end as if all were well.
const endTooEarly = () => {
  report(new Error('it ended before its work was done, which is a fault of the program itself'), surroundings)
  process.exitCode = 1
}
process.once('beforeExit', endTooEarly)
process.exitCode = await run(process.argv.slice(2), surroundings)
process.off('beforeExit', endTooEarly)
watch.endBySignal()
