/** Settings that an extension declares: they belong to it, and without it nobody knows them. */

import type { z } from 'zod'

/** A module `settings.ts` of an extension exports one as `settings`. Its names are those of the config file, and no name of another. */
export interface OwnSettings<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** Keys and groups, made of `setting-fields.ts`. */
  readonly shape: Shape
  /** Keys whose values no message shows. */
  readonly secrets?: readonly (keyof Shape & string)[]
  /** What commands of the core get, by their names. */
  readonly commands?: Readonly<Record<string, OfCommand>>
}

interface OfCommand {
  /** By the setting: `{ 'metrics.file': '--metrics <file>' }`. */
  readonly flags: Readonly<Record<string, `--${string}`>>
  /** A paragraph of the command's help. */
  readonly about: string
}

/** Lazy: a command line without a command must not wait for the library of schemas. */
export type LoadOwnSettings = () => Promise<{ readonly settings: OwnSettings }>
