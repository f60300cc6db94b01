/**
 * All settings that this fundpress knows: those of the core, and those of its extensions. Source of the environment variables, of
 * the flags, and of `templates/fundpress.config.schema.json` (`npm run generate`).
 */

import { z } from 'zod'
import type { LoadOwnSettings, OwnSettings } from './own-settings.ts'
import { listSettings, type NamedSetting } from './setting-fields.ts'
import { configShape } from './settings.ts'

export interface KnownSettings {
  /** Of a config file. */
  readonly shape: z.ZodObject
  /** Settings whose value is one text, in the order of the shape. */
  readonly list: readonly NamedSetting[]
  /** Keys and groups whose values no message shows: even a wrong value may be a secret with a mistake. */
  readonly secrets: readonly string[]
  /** What extensions add to a command. */
  readonly ofCommand: (name: string) => {
    readonly flags: readonly FlagOfSetting[]
    readonly about: readonly string[]
  }
}

export interface FlagOfSetting {
  readonly named: NamedSetting
  /** `--metrics <file>` */
  readonly flag: string
}

/** Settings of the core. */
const secrets = ['edge.previewToken', 'signing']

/** @throws {Error} if two declare a setting of the same name, or a flag has no setting */
export async function knownSettings(extensions: {
  readonly list: readonly { readonly settings?: LoadOwnSettings }[]
}): Promise<KnownSettings> {
  const loaded = await Promise.all(extensions.list.flatMap(({ settings }) => settings?.() ?? []))
  const own: readonly OwnSettings[] = loaded.map(({ settings }) => settings)
  const names = [configShape, ...own].flatMap(({ shape }) => Object.keys(shape))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`the setting ${twice} is declared twice`)
  const shape = z.strictObject(
    Object.assign({}, configShape.shape, ...own.map((one) => one.shape)) as z.ZodRawShape,
    'an object',
  )
  const list = listSettings(shape.shape)
  const find = (key: string): NamedSetting => {
    const found = list.find((named) => named.key === key)
    if (found === undefined) throw new Error(`there is no setting ${key}`)
    return found
  }
  return {
    shape,
    list,
    secrets: [...secrets, ...own.flatMap((one) => one.secrets ?? [])],
    ofCommand: (name) => {
      const added = own.flatMap(({ commands }) => commands?.[name] ?? [])
      return {
        flags: added.flatMap(({ flags }) =>
          Object.entries(flags).map(([key, flag]) => ({ named: find(key), flag })),
        ),
        about: added.map(({ about }) => about),
      }
    },
  }
}
