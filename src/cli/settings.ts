/**
 * The settings: what holds from night to night. This one table is where their type, defaults, checks, environment
 * variables, flags and JSON Schema (templates/fundpress.config.schema.json, `npm run generate`) come from.
 */

import { flag, group, path, text, url, whole } from './setting.ts'
import type { Declaration, Group, KeysOf, Setting, ValuesOf } from './setting.ts'

const headerValue = { expects: 'a header value (printable ASCII)', pattern: '^[!-~]([ -~]*[!-~])?$' }

export const declaration = {
  db: path('The fund database (SQLite).', { fallback: null, flag: '--db <file>' }),
  out: path('The folder of the snapshot.', { fallback: 'out', flag: '--out <folder>' }),
  baseUrl: url('The address that the API is published at.', { fallback: 'http://localhost:8080' }),
  docsUrl: url('The address of the documentation, which error documents link to.', {
    fallback: { text: '<baseUrl>/docs', from: ({ baseUrl }) => `${baseUrl}/docs` },
    flag: '--docs-url <url>',
  }),
  jobs: whole('How many worker threads render.', {
    minimum: 1,
    maximum: 256,
    fallback: { text: 'the number of cores', from: ({ cores }) => Math.min(cores, 256) },
    flag: '--jobs <number>',
  }),
  bucket: group('The bucket that snapshots are published to.', {
    name: text('The name of the bucket.', {
      expects: 'a bucket name (3 to 63 lower-case letters, digits, dots and hyphens)',
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      fallback: null,
    }),
    endpoint: url('The address of an S3-compatible store other than AWS.', { fallback: null }),
    region: text('The region of the bucket.', {
      expects: 'the name of a region, such as eu-central-1',
      pattern: '^[A-Za-z0-9-]+$',
      fallback: null,
    }),
    prefix: text('A folder in the bucket below which everything lies.', {
      expects: 'a folder without a slash at its beginning or end',
      pattern: '^([^/\\s]([^\\s]*[^/\\s])?)?$',
      fallback: '',
    }),
    pathStyle: flag('Whether the bucket is named in the path instead of in the host name.', {
      fallback: false,
    }),
  }),
  edge: group('How answers are given out.', {
    cacheControl: text('Cache-Control of answers.', {
      ...headerValue,
      fallback: 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
    }),
    errorCacheControl: text('Cache-Control of errors.', { ...headerValue, fallback: 'public, max-age=60' }),
    host: text('The address that serve listens on.', {
      expects: 'a host name or an IP address',
      pattern: '^[A-Za-z0-9.:_-]+$',
      fallback: '127.0.0.1',
      flag: '--host <address>',
    }),
    port: whole('The port that serve listens on (0: any free one).', {
      minimum: 0,
      maximum: 65535,
      fallback: 8080,
      flag: '--port <number>',
    }),
  }),
} satisfies Declaration

export type Settings = ValuesOf<typeof declaration>
export type SettingKey = KeysOf<typeof declaration>

export interface NamedSetting {
  readonly key: SettingKey
  readonly setting: Setting<unknown>
  /** The environment variable: `FUNDPRESS_EDGE_PORT`. */
  readonly variable: string
}

/** All settings, in the order of the declaration. */
export const settingList: readonly NamedSetting[] = listSettings(declaration, '')

export function findSetting(key: SettingKey): NamedSetting {
  const found = settingList.find((named) => named.key === key)
  if (found === undefined) throw new Error(`there is no setting ${key}`)
  return found
}

function listSettings(members: Declaration, prefix: string): NamedSetting[] {
  return Object.entries(members).flatMap(([name, member]: [string, Setting<unknown> | Group]) => {
    if (member.kind === 'group') return listSettings(member.members, `${prefix}${name}.`)
    const key = prefix + name
    return [{ key: key as SettingKey, setting: member, variable: variableName(key) }]
  })
}

function variableName(key: string): string {
  return `FUNDPRESS_${key.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`
}
