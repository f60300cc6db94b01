/** Reads and checks fundpress.config.json. What is wrong is named with the file and the key. */

import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from './failure.ts'
import { locateJsonError } from './json-error.ts'
import { suggest } from './nearest.ts'
import { readValue } from './read-setting.ts'
import { shownValue } from './secrets.ts'
import type { Declaration, List } from './setting.ts'
import { declaration } from './settings.ts'

export const defaultConfigFile = 'fundpress.config.json'

/**
 * @param file the file that was asked for; undefined takes the default one, which may be missing
 * @returns the values by key, checked; relative paths start at the file's folder
 */
export function readConfigFile(file: string | undefined): Map<string, unknown> {
  const name = file ?? defaultConfigFile
  const text = readText(name, file === undefined)
  return text === undefined ? new Map<string, unknown>() : readConfig(name, text)
}

export function readConfig(file: string, text: string): Map<string, unknown> {
  const values = new Map<string, unknown>()
  readMembers(declaration, '', parse(file, text), { file, values })
  return values
}

interface Target {
  readonly file: string
  readonly values: Map<string, unknown>
}

function readMembers(members: Declaration, prefix: string, value: unknown, target: Target): void {
  const { file, values } = target
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = prefix === '' ? 'the file' : `"${prefix.slice(0, -1)}"`
    throw new UsageError(`config file ${file}: ${what} must be an object, not ${show(value)}`)
  }
  for (const [name, given] of Object.entries(value as Record<string, unknown>)) {
    const key = prefix + name
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    if (key === '$schema') {
      if (typeof given === 'string') continue
      throw new UsageError(`config file ${file}: "$schema" must be a text, not ${show(given)}`)
    }
    if (member === undefined) {
      const hint = suggest(name, Object.keys(members))
      throw new UsageError(`config file ${file}: unknown key "${key}"${hint}`)
    }
    if (member.kind === 'group') {
      readMembers(member.members, `${key}.`, given, target)
      continue
    }
    if (member.kind === 'list') {
      values.set(key, readList(member, key, given, target))
      continue
    }
    const read = readValue(member, given, dirname(file))
    if (read === undefined) {
      throw new UsageError(`config file ${file}: "${key}" must be ${member.expects}, not ${show(given)}`)
    }
    values.set(key, read)
  }
}

/** @returns the entries, each with what it says */
function readList(
  { members, oneOf }: List,
  key: string,
  given: unknown,
  { file }: Target,
): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(given))
    throw new UsageError(`config file ${file}: "${key}" must be a list, not ${show(given)}`)
  return given.map((entry: unknown, index) => {
    const values = new Map<string, unknown>()
    const place = `${key}[${index}]`
    readMembers(members, `${place}.`, entry, { file, values })
    const said = [...values].map(([name, value]) => [name.slice(place.length + 1), value] as const)
    if (!said.some(([name]) => oneOf.includes(name)))
      throw new UsageError(
        `config file ${file}: "${place}" must say ${oneOf.join(', ')}, one of them at least`,
      )
    return Object.fromEntries(said)
  })
}

function readText(file: string, mayBeMissing: boolean): string | undefined {
  try {
    // Some editors write a byte order mark, which is no part of JSON.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing && mayBeMissing) return undefined
    if (isMissing) throw new UsageError(`config file ${file} does not exist (--config)`)
    throw new UsageError(`config file ${file} cannot be read`, { cause: error })
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = locateJsonError(text)
    if (place === undefined) throw new UsageError(`config file ${file}: no JSON`, { cause: error })
    const { line, column, expected } = place
    throw new UsageError(`config file ${file}, line ${line}, column ${column}: expected ${expected}`, {
      cause: error,
    })
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.includes('@')) return shownValue(text)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
