/** The declaration of commands, and the session that their actions work with. */

import { Option, type Argument, type CommandUnknownOpts as Command } from '@commander-js/extra-typings'
import { withJsonList, type JsonField } from '../bucket/manifest/ndjson.ts'
import { loadSettings, type SettingSources } from './load-settings.ts'
import {
  readSettingFlags,
  settingOption,
  SettingOption,
  type CommandOption,
  type FlagsOf,
} from './options.ts'
import type { Extensions } from '../extension.ts'
import type { KnownSettings } from './known-settings.ts'
import type { SettingKey } from './settings.ts'
import type { StartThread } from '../system/start-thread.ts'
import { openTerminal } from './terminal.ts'

/** Facts of the process. Only main.ts reads them. */
export interface Surroundings {
  /** What is installed beside the core. */
  readonly extensions: Extensions
  /** Today's date in Europe/Berlin. */
  readonly today: string
  readonly signal: AbortSignal
  /** Signals abort {@link signal} from now on; before, they end the process at once. Absent in a process that runs several commands. */
  readonly handleSignals?: () => void
  /** Settings, and the workflow that runs the command: where it expects results. */
  readonly environment: SettingSources['environment']
  /** The wall clock, for times that are written down. */
  readonly now: () => Date
  /** Milliseconds since an arbitrary moment, for durations. */
  readonly clock: () => number
  /** Gives threads that outlive a command; undefined: each build starts its own. */
  readonly startThread?: StartThread
  readonly cores: number
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Null or absent: there is no terminal for questions. */
  readonly openDialog?: () => Dialog | null
}

export interface Dialog {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** @param known settings, whose flags the command may have */
export type AddCommand = (command: Command, surroundings: Surroundings, known: KnownSettings) => void

export function defineCommand<
  const Options extends readonly CommandOption[] = [],
  Args extends readonly unknown[] = [],
>(declared: {
  readonly description: string
  readonly arguments?: readonly Argument[]
  /** Settings that have a flag on this command. */
  readonly settings?: readonly SettingKey[]
  readonly options?: Options
  /** The output of --json; undefined: the command has no such flag. */
  readonly json?: string
  readonly notes?: string
  /** The command has nothing to undo and nobody to tell: a signal ends it at once. */
  readonly endsAtOnce?: true
  readonly examples: readonly (readonly [command: string, does: string])[]
  readonly run: (session: Session, flags: FlagsOf<Options>, ...args: Args) => Promise<void> | void
}): AddCommand {
  const {
    description,
    settings = [],
    options = [],
    json,
    notes,
    endsAtOnce = false,
    examples,
    run,
  } = declared
  return (command, surroundings, known) => {
    const added = known.ofCommand(command.name())
    command.description([description, ...added.about].join('\n\n'))
    for (const argument of declared.arguments ?? []) command.addArgument(argument)
    const flags = [...settings.map(settingOption), ...added.flags.map((flag) => new SettingOption(flag))]
    for (const one of [...flags, ...options]) command.addOption(one)
    if (json !== undefined) command.addOption(new Option('--json', json))
    if (notes !== undefined) command.addHelpText('after', `\n${notes}`)
    const lines = examples.flatMap(([line, does]) => [`  # ${does}`, `  fundpress ${line}`])
    command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
    command.action((...given: unknown[]) => {
      if (!endsAtOnce) surroundings.handleSignals?.()
      // Commander passes the arguments, then the flags, then the command.
      const args = given.slice(0, -2) as unknown as Args
      return run(openSession(command, surroundings, known), given.at(-2) as FlagsOf<Options>, ...args)
    })
  }
}

interface GlobalFlags {
  readonly config?: string
  readonly quiet?: true
  readonly json?: true
  readonly color?: boolean
}

export type Session = ReturnType<typeof openSession>

function openSession(command: Command, { cores, ...surroundings }: Surroundings, known: KnownSettings) {
  const { environment } = surroundings
  const given = command.optsWithGlobals() as GlobalFlags
  const flags = readSettingFlags(command)
  const wish = { isRefused: given.color === false, environment }
  const stdout = openTerminal(surroundings.stdout, wish)
  const isQuiet = given.quiet === true
  const isJson = given.json === true
  const sources = { flags, environment, configFile: given.config, cores }
  const { settings, settingsOf } = loadSettings(known, sources)
  return {
    ...surroundings,
    /** Those of the core. */
    settings,
    /** Those that an extension declares in its `settings.ts`. */
    settingsOf,
    /** For config files of other folders. */
    known,
    /** True if a flag sets it, not the environment or the config file. */
    hasFlag: (key: SettingKey) => flags.has(key),
    /** --quiet: print only errors, and JSON that was asked for. */
    isQuiet,
    isJson,
    stdout,
    stderr: openTerminal(surroundings.stderr, { ...wish, isForMessages: true }),
    /** Prints a result: JSON with --json, else text for people, nothing with --quiet. */
    print: (result: object, describe: () => string) => {
      if (isJson) stdout.data(`${JSON.stringify(result)}\n`)
      else if (!isQuiet) stdout.write(describe())
    },
  }
}

/** Prints a list that may be too long for memory. `find` awaits the promise of `add`, to slow down. */
export function printList<Entry extends object, Found>(
  { isJson, stdout }: Session,
  find: (add: (entry: Entry) => unknown) => Promise<Found>,
  forms: { name: string; fields: (found: Found) => Omit<JsonField, 'name'>; line?: (entry: Entry) => string },
): Promise<Found> {
  const { name, fields, line } = forms
  if (!isJson) return find((entry) => line && stdout.write(line(entry)))
  return withJsonList<Entry, Found>(async (list) => {
    const found = await find(list.add)
    await list.write(stdout.data, { name, ...fields(found) })
    return found
  })
}
