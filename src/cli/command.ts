/** What all commands have in common: how they are declared, and the session that their action works with. */

import type { Argument, Command, Option } from 'commander'
import type { RenderThread } from '../build/render-threads.ts'
import { loadSettings, type SettingSources } from './load-settings.ts'
import { readSettingFlags, settingOption } from './options.ts'
import type { SettingKey, Settings } from './settings.ts'
import { openTerminal, type Terminal } from './terminal.ts'

export interface Session {
  /** The program itself, for `completion`. */
  readonly program: Command
  readonly settings: Settings
  /** Today's date in Europe/Berlin. */
  readonly today: string
  /** --quiet: print only errors, and JSON that was asked for. */
  readonly isQuiet: boolean
  readonly signal: AbortSignal
  /** For what is no setting: whether a workflow runs this, and where that expects results. */
  readonly environment: SettingSources['environment']
  /** The wall clock, for times that are written down. */
  readonly now: () => Date
  /** Milliseconds since an arbitrary moment, for durations. */
  readonly clock: () => number
  /** The rendering threads of a process that runs many commands; undefined: each build starts its own. */
  readonly renderThreads?: (count: number) => readonly RenderThread[]
  readonly stdout: Terminal
  readonly stderr: Terminal
}

/** Everything that comes from the process. Only main.ts reads it. */
export interface Surroundings extends Pick<
  Session,
  'today' | 'signal' | 'environment' | 'now' | 'clock' | 'renderThreads'
> {
  readonly cores: number
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

interface Declared<Flags, Args extends readonly unknown[]> {
  readonly description: string
  readonly arguments?: readonly Argument[]
  /** Settings that have a flag on this command. */
  readonly settings?: readonly SettingKey[]
  readonly options?: readonly Option[]
  /** The help's part before the examples. */
  readonly notes?: string
  /** Commands that can be copied, each with what it does. */
  readonly examples: readonly (readonly [command: string, does: string])[]
  readonly run: (session: Session, flags: Flags, ...args: Args) => Promise<void> | void
}

/** Adds what a command is to its entry in the program. */
export type AddCommand = (command: Command, surroundings: Surroundings) => void

export function defineCommand<Flags, Args extends readonly unknown[] = []>(
  declared: Declared<Flags, Args>,
): AddCommand {
  const { description, settings = [], options = [], notes, examples, run } = declared
  return (command, surroundings) => {
    command.description(description)
    for (const argument of declared.arguments ?? []) command.addArgument(argument)
    for (const option of [...settings.map(settingOption), ...options]) command.addOption(option)
    if (notes !== undefined) command.addHelpText('after', `\n${notes}`)
    const lines = examples.flatMap(([line, does]) => [`  # ${does}`, `  fundpress ${line}`])
    command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
    command.action((...given: unknown[]) => {
      // Commander passes the arguments, then the flags, then the command.
      const args = given.slice(0, -2) as unknown as Args
      return run(openSession(command, surroundings), given.at(-2) as Flags, ...args)
    })
  }
}

interface GlobalFlags {
  readonly config?: string
  readonly quiet?: boolean
  readonly color: boolean
}

function openSession(command: Command, { cores, stdout, stderr, ...rest }: Surroundings): Session {
  const { environment } = rest
  const { config: configFile, quiet, color } = command.optsWithGlobals<GlobalFlags>()
  const settings = loadSettings({ flags: readSettingFlags(command), environment, configFile, cores })
  const wish = { isRefused: !color, environment }
  return {
    ...rest,
    program: command.parent ?? command,
    settings,
    isQuiet: quiet === true,
    stdout: openTerminal(stdout, wish),
    stderr: openTerminal(stderr, { ...wish, isForMessages: true }),
  }
}
