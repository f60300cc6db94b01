/** Puts the settings together: flags win over environment variables, those over the config file, that over defaults. */

import { readConfigFile } from './config-file.ts'
import { UsageError } from './failure.ts'
import { readText } from './read-setting.ts'
import { shownValue } from './secrets.ts'
import { isDerived } from './setting.ts'
import type { Declaration, Known } from './setting.ts'
import { declaration, settingList } from './settings.ts'
import type { SettingKey, Settings } from './settings.ts'

export interface SettingSources {
  /** Values from the command line, already read. */
  readonly flags: ReadonlyMap<SettingKey, unknown>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The config file named on the command line; undefined: fundpress.config.json, if there is one. */
  readonly configFile: string | undefined
  readonly cores: number
}

/** @throws UsageError naming the file and key, or the environment variable, that is wrong */
export function loadSettings({ flags, environment, configFile, cores }: SettingSources): Settings {
  const given = new Map<string, unknown>([
    ...readConfigFile(configFile),
    ...readEnvironment(environment),
    ...flags,
  ])
  // All were checked: they are of these types.
  const known: Known = {
    baseUrl: (given.get('baseUrl') ?? declaration.baseUrl.fallback) as string,
    endpoint: (given.get('bucket.endpoint') ?? null) as string | null,
    liveTtlSeconds: (given.get('edge.liveTtlSeconds') ??
      declaration.edge.members.liveTtlSeconds.fallback) as number,
    keyValueStore: (given.get('edge.keyValueStore') ?? null) as string | null,
    cores,
  }
  // Each value was checked against the declaration that the type comes from.
  return fillIn(declaration, '', given, known) as unknown as Settings
}

function readEnvironment(environment: SettingSources['environment']): Map<SettingKey, unknown> {
  const values = new Map<SettingKey, unknown>()
  for (const { key, setting, variable } of settingList) {
    const text = environment[variable]
    // Workflows set a variable to nothing where they have no value for it.
    if (text === undefined || text === '') continue
    const value = readText(setting, text)
    if (value === undefined) {
      throw new UsageError(
        `environment variable ${variable} is ${shownValue(text)}: it must be ${setting.expects}`,
      )
    }
    values.set(key, value)
  }
  return values
}

function fillIn(
  members: Declaration,
  prefix: string,
  given: ReadonlyMap<string, unknown>,
  known: Known,
): Record<string, unknown> {
  const filled: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(members)) {
    const key = prefix + name
    if (member.kind === 'group') filled[name] = fillIn(member.members, `${key}.`, given, known)
    else if (given.has(key)) filled[name] = given.get(key)
    else if (member.kind === 'list') filled[name] = []
    else filled[name] = isDerived(member.fallback) ? member.fallback.from(known) : member.fallback
  }
  return filled
}
