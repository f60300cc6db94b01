/** Runs one command line: exit code, and errors on stderr. Loads only the commands that the line names. */

import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { Refusal } from '../guards/guards.ts'
import type { CommandEntry, Extensions } from '../extension.ts'
import type { Surroundings } from './command.ts'
import { NothingToDo, reasonOf, UsageError } from './failure.ts'
import { safeLines, withoutSecrets } from './safe-text.ts'

/** The commands of the core, in the order of the help. */
const commands: readonly CommandEntry[] = [
  {
    name: 'check',
    summary: 'list every problem of a database, or test a bucket',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'build',
    summary: 'render a database into a snapshot, or merge shards',
    load: () => import('./commands/build.ts'),
  },
  { name: 'serve', summary: 'serve a snapshot on this machine', load: () => import('./commands/serve.ts') },
  {
    name: 'plan',
    summary: 'show what a publish would do and cost',
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'publish',
    summary: 'upload a snapshot and make it live',
    load: () => import('./commands/publish.ts'),
  },
  { name: 'flip', summary: 'make the staged snapshot live', load: () => import('./commands/flip.ts') },
  {
    name: 'status',
    summary: 'show what is live and whether it is up to date',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'verify',
    summary: 'compare the live slot with its manifest',
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'rollback',
    summary: 'make the previous snapshot live again',
    load: () => import('./commands/rollback.ts'),
  },
  {
    name: 'prune',
    summary: 'remove unused objects from the bucket',
    load: () => import('./commands/prune.ts'),
  },
  { name: 'fetch', summary: 'fetch a database from a bucket', load: () => import('./commands/fetch.ts') },
  {
    name: 'nightly',
    summary: 'check, build, plan, publish, verify',
    load: () => import('./commands/nightly.ts'),
  },
  { name: 'edge', summary: 'write the files to deploy an edge', load: () => import('./commands/edge.ts') },
]

/** All commands, in the order of the help. */
function commandsWith({ list }: Extensions): readonly CommandEntry[] {
  const others = list.flatMap((extension) => extension.commands ?? [])
  return [
    ...others.filter(({ isFirst }) => isFirst),
    ...commands,
    ...others.filter(({ isFirst }) => !isFirst),
  ]
}

/** @returns the exit code: 0 done, 1 failed, 2 wrong usage or settings, 3 refused by a guard, 4 nothing to do */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal } = surroundings
  try {
    const program = await createProgram(args, surroundings)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Help and version have been printed. Help without --help means that the command is missing.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof NothingToDo && !signal.aborted) return 4
    if (error instanceof Refusal && !signal.aborted) {
      const { describeObjections } = await import('./format.ts')
      surroundings.stderr.write(safeLines(describeObjections(error.objections)))
      await leaveForWorkflow(error, surroundings)
    }
    report(signal.aborted ? signal.reason : error, surroundings)
    return error instanceof UsageError ? 2 : error instanceof Refusal ? 3 : 1
  }
}

/** Reports what could not be left in a second line: the command fails in any case. */
async function leaveForWorkflow({ objections }: Refusal, surroundings: Surroundings): Promise<void> {
  const { leaveRefusal } = await import('./end.ts')
  await leaveRefusal(surroundings, objections, (warning) => report(new Error(warning), surroundings))
}

/** Writes one line to stderr; with FUNDPRESS_DEBUG=1 also the stack trace. */
export function report(
  error: unknown,
  { stderr, environment }: Pick<Surroundings, 'stderr' | 'environment'>,
): void {
  const details = environment.FUNDPRESS_DEBUG === '1' ? `${withoutSecrets(inspect(error))}\n` : ''
  stderr.write(safeLines(`fundpress: ${reasonOf(error)}\n${details}`))
}

/** @throws {CommanderError} from `parseAsync`, after help or the version was shown; {@link UsageError} for the rest */
async function createProgram(args: readonly string[], surroundings: Surroundings): Promise<Command> {
  const program = new Command('fundpress')
    .description('Publishes fund data from a database as a complete, static, versioned HTTP API.')
    .version(readVersion())
    .option('--config <file>', 'The config file (default: fundpress.config.json, if it exists)')
    .option('--quiet', 'Print errors only')
    .option('--no-color', 'Print without colours (or set NO_COLOR)')
    .configureHelp({ showGlobalOptions: true })
    // report() prints the message of the error that commander throws, in one line.
    .configureOutput({ writeOut: (text) => surroundings.stdout.write(text), outputError: () => undefined })
    .addHelpText('after', aboutExitCodes)
  for (const { name, summary, load } of commandsWith(surroundings.extensions)) {
    const command = program.createCommand(name).summary(summary).copyInheritedSettings(program)
    program.addCommand(command)
    // A wrong guess loads one module in vain.
    if (!args.includes(name)) continue
    const { knownSettings } = await import('./known-settings.ts')
    const { default: addTo } = await load()
    addTo(command, surroundings, await knownSettings(surroundings.extensions))
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride((error) => {
      throw answers.includes(error.code) ? error : usageError(error, command)
    })
  }
  return program
}

const aboutExitCodes = `
Settings come from flags, then environment variables (FUNDPRESS_…), then the config file.
Exit codes: 0 done, 1 failed (stderr has the reason), 2 wrong usage or settings,
3 a guard has refused the data (stderr has what, and the flags that allow it; trying again does not help),
4 nothing to do (only with nightly --ask --exit-code).
FUNDPRESS_DEBUG=1 adds a stack trace to errors.`

/** Codes of commander after it has printed help or the version. */
const answers = ['commander.helpDisplayed', 'commander.version', 'commander.help']

function usageError(error: CommanderError, command: CommandUnknownOpts): UsageError {
  const message = error.message.replace(/^error: /, '').replace('(Did you mean', '(did you mean')
  const path = command.parent === null ? 'fundpress' : `fundpress ${command.name()}`
  const hint = message.includes('(did you mean') ? '' : ` (see ${path} --help)`
  return new UsageError(message.replace(/\.$/, '') + hint)
}

/** package.json is two folders above src/core/cli and dist/core/cli alike. */
function readVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}
