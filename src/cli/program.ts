/** The program: its commands, the options that all of them have, and its manner of refusing. */

import { Command } from 'commander'
import type { CommanderError } from 'commander'
import { buildCommand } from './commands/build.ts'
import { checkCommand } from './commands/check.ts'
import { completionCommand } from './commands/completion.ts'
import { conformCommand } from './commands/conform.ts'
import { demoCommand } from './commands/demo.ts'
import { diffCommand } from './commands/diff.ts'
import { doctorCommand } from './commands/doctor.ts'
import { edgeCommand } from './commands/edge.ts'
import { importCommand } from './commands/import.ts'
import { initCommand } from './commands/init.ts'
import { mergeCommand } from './commands/merge.ts'
import { nightlyCommand } from './commands/nightly.ts'
import { planCommand } from './commands/plan.ts'
import { pruneCommand } from './commands/prune.ts'
import { publishCommand } from './commands/publish.ts'
import { rollbackCommand } from './commands/rollback.ts'
import { serveCommand } from './commands/serve.ts'
import { showCommand } from './commands/show.ts'
import { statusCommand } from './commands/status.ts'
import { verifyCommand } from './commands/verify.ts'
import { UsageError } from './failure.ts'
import type { Start } from './session.ts'

const commands = [
  demoCommand,
  initCommand,
  importCommand,
  checkCommand,
  buildCommand,
  mergeCommand,
  serveCommand,
  showCommand,
  planCommand,
  publishCommand,
  statusCommand,
  verifyCommand,
  rollbackCommand,
  diffCommand,
  pruneCommand,
  doctorCommand,
  nightlyCommand,
  conformCommand,
  edgeCommand,
  completionCommand,
]

export interface ProgramOptions {
  readonly version: string
  /** Where help and the version go. */
  readonly write: (text: string) => void
}

/** @throws {CommanderError} from `parseAsync`, after help or the version was shown; {@link UsageError} for the rest */
export function createProgram(start: Start, { version, write }: ProgramOptions): Command {
  const program = new Command('fundpress')
    .description('Publishes fund data from a database as a complete, static, versioned HTTP API.')
    .version(version)
    .option('--config <file>', 'The config file (default: fundpress.config.json, if there is one)')
    .option('--quiet', 'Print nothing but what failed')
    .option('--no-color', 'Print without colour (or set NO_COLOR)')
    .configureHelp({ showGlobalOptions: true })
    // What a refusal says is thrown as well, and printed by run.ts in one line.
    .configureOutput({ writeOut: write, outputError: () => undefined })
    .addHelpText('after', aboutExitCodes)
  for (const command of commands.map((create) => create(start))) {
    program.addCommand(command.copyInheritedSettings(program))
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride((error) => {
      throw isAnswer(error) ? error : usageError(error, command)
    })
  }
  return program
}

const aboutExitCodes = `
Settings come from flags, then environment variables (FUNDPRESS_…), then the config file.
Exit codes: 0 done, 1 failed (the reason is a line on stderr), 2 wrong usage or settings.
FUNDPRESS_DEBUG=1 shows where in the program an error comes from.`

/** Whether commander has shown what there is to show: help, or the version. */
function isAnswer({ code }: CommanderError): boolean {
  return code === 'commander.helpDisplayed' || code === 'commander.version' || code === 'commander.help'
}

function usageError(error: CommanderError, command: Command): UsageError {
  const message = error.message.replace(/^error: /, '').replace('(Did you mean', '(did you mean')
  const path = command.parent === null ? 'fundpress' : `fundpress ${command.name()}`
  const hint = message.includes('(did you mean') ? '' : ` (see ${path} --help)`
  return new UsageError(message.replace(/\.$/, '') + hint)
}
