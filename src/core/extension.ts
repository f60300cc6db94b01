/**
 * What an extension can add. The core knows these hooks and no extension: `src/extensions.ts` lists those, and each command gets the
 * list as a value.
 */

import type { Compared } from './bucket/publish/snapshot.ts'
import type { LivePointer } from './bucket/live/follow.ts'
import type { AddCommand } from './cli/command.ts'
import type { Ended } from './cli/ended.ts'
import type { LoadOwnSettings } from './cli/own-settings.ts'
import type { MakeDeployment } from './edge/deployment.ts'
import type { LoadBeside, LoadPages } from './snapshot/hooks.ts'

export interface Extension {
  /** Its folder in `src/extensions`. */
  readonly name: string
  /** Commands of the program, in the order of the help. */
  readonly commands?: readonly CommandEntry[]
  /** Settings that mean nothing without it: fundpress does not know them then. */
  readonly settings?: LoadOwnSettings
  /** Loads what it does at the end of runs. */
  readonly ended?: () => Promise<{ readonly ended: Ended }>
  /** Makes pages of a snapshot. */
  readonly pages?: LoadPages
  /** Writes files beside a snapshot. One extension does. */
  readonly beside?: LoadBeside
  /** Where the edge can run: `fundpress edge` writes what deploys it there. */
  readonly platform?: Platform
  /** Tells readers what a publish has changed. One extension does. */
  readonly compared?: () => Promise<{ readonly compared: Compared }>
  /** Follows `live.json` for edges that cannot read the bucket. One extension does. */
  readonly follower?: () => Promise<{ readonly follow: MakeFollower }>
}

export interface Platform {
  /** As `fundpress edge` names it. */
  readonly name: string
  /** A sentence for the help. */
  readonly about?: string
  /** It can serve a snapshot's folder: `--out` is for it. */
  readonly servesFolder?: true
  readonly examples: readonly (readonly [command: string, does: string])[]
  readonly load: () => Promise<{ readonly deployment: MakeDeployment }>
}

/** @param name of what follows, from the setting `edge.keyValueStore` */
export type MakeFollower = (
  name: string,
  options: { readonly signal: AbortSignal; readonly previewToken: string | null },
) => LivePointer

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
