/**
 * What an extension can add. The core knows these hooks and no extension: `src/extensions.ts` lists those, and each command gets the
 * list as a value.
 */

import type { AddCommand } from './cli/command.ts'

export interface Extension {
  /** Its folder in `src/extensions`. */
  readonly name: string
  /** Commands of the program, in the order of the help. */
  readonly commands?: readonly CommandEntry[]
}

export interface CommandEntry {
  readonly name: string
  /** One line of the help. */
  readonly summary: string
  /** The help lists it before the commands of the core: it makes what those read. */
  readonly isFirst?: true
  /** Loads the command's module when a command line names it. */
  readonly load: () => Promise<{ readonly default: AddCommand }>
}

export interface Extensions {
  readonly list: readonly Extension[]
  /** URL of the module that exports `extensions`: threads load it, since functions cannot be sent to them. */
  readonly address: string
}
