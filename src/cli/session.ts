/** What a command gets to work with: settings, the day, the terminals and a signal that asks it to stop. */

import type { Command } from 'commander'
import type { RenderThread } from '../snapshot/render-threads.ts'
import { loadSettings } from './load-settings.ts'
import type { SettingSources } from './load-settings.ts'
import { readSettingFlags } from './options.ts'
import type { Settings } from './settings.ts'
import { openTerminal } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export interface Session {
  readonly settings: Settings
  /** Today's date in Europe/Berlin. */
  readonly today: string
  /** --quiet: nothing but results that were asked for as JSON, and what failed. */
  readonly isQuiet: boolean
  readonly signal: AbortSignal
  /** For what is no setting: whether a workflow runs this, and where that looks for its results. */
  readonly environment: SettingSources['environment']
  /** The wall clock, for what is written down. */
  readonly now: () => Date
  /** Milliseconds from an arbitrary moment, for durations. */
  readonly clock: () => number
  /** Where rendering threads come from in a process that runs one command after the other; else each build starts its own. */
  readonly renderThreads?: (count: number) => readonly RenderThread[]
  readonly stdout: Terminal
  readonly stderr: Terminal
}

/** All that comes from the process, read by main.ts and nowhere else. */
export interface Surroundings extends Pick<
  Session,
  'today' | 'signal' | 'environment' | 'now' | 'clock' | 'renderThreads'
> {
  readonly cores: number
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** Makes a commander action of a function that works with a session and the command's own flags. */
export type Start = <Flags>(
  run: (session: Session, flags: Flags) => Promise<void>,
) => (flags: Flags, command: Command) => Promise<void>

interface GlobalFlags {
  readonly config?: string
  readonly quiet?: boolean
  readonly color: boolean
}

export function startIn(surroundings: Surroundings): Start {
  return (run) => async (flags, command) => {
    const { cores, stdout, stderr, ...rest } = surroundings
    const { environment } = rest
    const { config: configFile, quiet, color } = command.optsWithGlobals<GlobalFlags>()
    const settings = loadSettings({ flags: readSettingFlags(command), environment, configFile, cores })
    const wish = { isRefused: !color, environment }
    await run(
      {
        ...rest,
        settings,
        isQuiet: quiet === true,
        stdout: openTerminal(stdout, wish),
        stderr: openTerminal(stderr, { ...wish, isForMessages: true }),
      },
      flags,
    )
  }
}
