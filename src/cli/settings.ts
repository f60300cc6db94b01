/**
 * The settings: what holds from night to night. This one table is where their type, defaults, checks, environment
 * variables, flags and JSON Schema (templates/fundpress.config.schema.json, `npm run generate`) come from.
 */

import { maxBusinessDays } from '../freshness/business-days.ts'
import { defaultFreshness } from '../freshness/rules.ts'
import { requestLifetimeSeconds } from '../publish/patience.ts'
import { decimal, flag, group, list, path, text, texts, url, whole } from './setting.ts'
import type { Declaration, Derived, KeysOf, Setting, ValuesOf } from './setting.ts'

const headerValue = { expects: 'a header value (printable ASCII)', pattern: '^[!-~]([ -~]*[!-~])?$' }

/** Prices of November 2026: AWS us-east-1 (S3 Standard), Cloudflare R2 (class A, class B, standard storage). */
function price(describe: string, { aws, r2 }: { readonly aws: number; readonly r2: number }) {
  const from: Derived<number>['from'] = ({ endpoint }) =>
    /^https:\/\/[^/]*\.r2\.cloudflarestorage\.com(:|\/|$)/i.test(endpoint ?? '') ? r2 : aws
  return decimal(describe, { minimum: 0, maximum: 1_000_000, fallback: { text: `${aws} (R2: ${r2})`, from } })
}

const calendar = {
  expects: 'a country, a country with a state such as DE-BY, or TARGET',
  pattern: '^(TARGET|[A-Z]{2}(-[A-Z0-9]{1,3})?)$',
}
const businessDays = { minimum: 0, maximum: maxBusinessDays - 1 }

/** Seconds until all edges of CloudFront have a new value, as a rule, and those that a Lambda may take after that. */
const propagationSeconds = 120

export const declaration = {
  db: path('The fund database (SQLite).', { fallback: null, flag: '--db <file>' }),
  out: path('The folder of the snapshot.', { fallback: 'out', flag: '--out <folder>' }),
  baseUrl: url('The address that the API is published at.', { fallback: 'http://localhost:8080' }),
  quickCheck: flag('Check of the pages of the database file by SQLite (0.2 s for 100 MB).', {
    fallback: true,
    flag: '--no-quick-check',
  }),
  docsUrl: url('The address of the documentation, which error documents link to.', {
    fallback: { text: '<baseUrl>/docs', from: ({ baseUrl }) => `${baseUrl}/docs` },
    flag: '--docs-url <url>',
  }),
  pages: flag('Pages for people in the snapshot: documentation and catalogue.', {
    fallback: true,
    flag: '--no-pages',
  }),
  jobs: whole('How many worker threads render.', {
    minimum: 1,
    maximum: 256,
    fallback: { text: 'the number of cores', from: ({ cores }) => Math.min(cores, 256) },
    flag: '--jobs <number>',
  }),
  downloads: flag('Files for analysts beside the documents (CSV, Parquet, SQLite).', {
    fallback: true,
    flag: '--no-downloads',
  }),
  rawCsv: flag(
    'Whether texts in plain CSV stay as they are, even those that a spreadsheet would run as formulas.',
    { fallback: false, flag: '--raw-csv' },
  ),
  licence: group('What may be done with the data, for the downloads to say.', {
    name: text('The name of the licence, such as CC-BY-4.0.', {
      expects: 'a text on one line',
      pattern: '^\\S(.*\\S)?$',
      fallback: null,
    }),
    url: url('The address of its text.', { fallback: null }),
  }),
  bucket: group('The bucket that snapshots are published to.', {
    name: text('The name of the bucket.', {
      expects: 'a bucket name (3 to 63 lower-case letters, digits, dots and hyphens)',
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      fallback: null,
      flag: '--bucket <name>',
    }),
    endpoint: url('The address of an S3-compatible store other than AWS.', {
      fallback: null,
      flag: '--endpoint <url>',
    }),
    region: text('The region of the bucket.', {
      expects: 'the name of a region, such as eu-central-1',
      pattern: '^[A-Za-z0-9-]+$',
      fallback: null,
      flag: '--region <name>',
    }),
    prefix: text('A folder in the bucket below which everything lies.', {
      expects: 'a folder without a slash at its beginning or end',
      pattern: '^([^/\\s]([^\\s]*[^/\\s])?)?$',
      fallback: '',
      flag: '--prefix <folder>',
    }),
    pathStyle: flag('Whether the bucket is named in the path instead of in the host name.', {
      fallback: false,
      flag: '--path-style',
    }),
    concurrency: whole('How many requests are under way at a time.', {
      minimum: 1,
      maximum: 1024,
      fallback: 64,
      flag: '--concurrency <number>',
    }),
    maxRate: whole('How many puts a second at most (none: as many as go).', {
      minimum: 1,
      maximum: 100_000,
      fallback: null,
      flag: '--max-rate <number>',
    }),
    maxDeletes: whole('How many objects a publish may delete (none: a tenth of the slot).', {
      minimum: 0,
      maximum: 100_000_000,
      fallback: null,
      flag: '--max-deletes <number>',
    }),
    leaseSeconds: whole('How long a publish that is dead keeps others out, in seconds.', {
      minimum: 10,
      maximum: 3600,
      fallback: 180,
      flag: '--lease <seconds>',
    }),
    lateSeconds: whole(
      'How long requests of a publish that was killed may still reach the store, in seconds: the next publish waits for that time.',
      { minimum: 0, maximum: 3600, fallback: requestLifetimeSeconds },
    ),
    graceSeconds: whole(
      'How long a slot that was live is left alone before it is written to, in seconds: at least twice the largest --live-ttl of any edge.',
      {
        minimum: 0,
        maximum: 86_400,
        fallback: {
          text: `twice --live-ttl; with --flip-kvs at least ${propagationSeconds}`,
          from: ({ liveTtlSeconds, keyValueStore }) =>
            Math.max(2 * liveTtlSeconds, keyValueStore === null ? 0 : propagationSeconds),
        },
        flag: '--grace <seconds>',
      },
    ),
  }),
  edge: group('How answers are given out.', {
    cacheControl: text('Cache-Control of answers.', {
      ...headerValue,
      fallback: 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
    }),
    errorCacheControl: text('Cache-Control of errors, and of /status/.', {
      ...headerValue,
      fallback: 'public, max-age=60',
    }),
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
    liveTtlSeconds: whole('How long a slot that was live may go on answering, in seconds.', {
      minimum: 0,
      maximum: 3600,
      fallback: 5,
      flag: '--live-ttl <seconds>',
    }),
    hstsSeconds: whole(
      'How long browsers ask over HTTPS only (Strict-Transport-Security), in seconds; 0: they are not told to.',
      {
        minimum: 0,
        maximum: 63_072_000,
        fallback: 0,
        flag: '--hsts <seconds>',
      },
    ),
    keyValueStore: text("CloudFront's KeyValueStore, which is told what is live together with live.json.", {
      expects: 'the ARN of a KeyValueStore, such as arn:aws:cloudfront::123456789012:key-value-store/<id>',
      pattern: '^arn:aws[a-z-]*:cloudfront::[0-9]{12}:key-value-store/[0-9a-f-]{36}$',
      fallback: null,
      flag: '--flip-kvs <arn>',
    }),
  }),
  freshness: group("How old a fund's newest price may be, in business days.", {
    calendar: text('Whose holidays are no business days.', {
      ...calendar,
      fallback: defaultFreshness.calendar,
    }),
    yearEndOpen: flag('Whether 24 and 31 December are business days.', {
      fallback: defaultFreshness.yearEndOpen,
    }),
    warnDays: whole('A price that is older than so many business days is late.', {
      ...businessDays,
      fallback: defaultFreshness.warnDays,
    }),
    errorDays: whole('A price that is older than so many business days is stale.', {
      ...businessDays,
      fallback: defaultFreshness.errorDays,
    }),
    maxStaleShare: decimal('A publish is refused when a larger share of the watched funds is stale.', {
      minimum: 0,
      maximum: 1,
      fallback: defaultFreshness.maxStaleShare,
      flag: '--max-stale-share <share>',
    }),
    groups: list(
      'Funds for which something else holds; the first group that a fund fits into counts.',
      {
        category: text('Funds whose profile has this category, in German or English.', {
          expects: 'a text',
          pattern: '.',
          fallback: null,
        }),
        currency: text('Funds in this currency.', {
          expects: 'three letters, such as EUR',
          pattern: '^[A-Z]{3}$',
          fallback: null,
        }),
        isins: texts('These funds.', {
          expects: 'a list of ISINs',
          pattern: '^[A-Z]{2}[A-Z0-9]{9}[0-9]$',
          fallback: null,
        }),
        calendar: text('As for all funds.', { ...calendar, fallback: null }),
        warnDays: whole('As for all funds.', { ...businessDays, fallback: null }),
        errorDays: whole('As for all funds.', { ...businessDays, fallback: null }),
        never: flag('Whether these funds are not watched.', { fallback: false }),
      },
      ['category', 'currency', 'isins'],
    ),
  }),
  prices: group('What the store asks for its service, in dollars, for `fundpress plan`.', {
    perMillionPuts: price('A million puts and lists.', { aws: 5, r2: 4.5 }),
    perMillionGets: price('A million gets.', { aws: 0.4, r2: 0.36 }),
    perMillionDeletes: price('A million deletes.', { aws: 0, r2: 0 }),
    perGbMonth: price('A gigabyte stored for a month.', { aws: 0.023, r2: 0.015 }),
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

/** All settings but lists, in the order of the declaration. */
export const settingList: readonly NamedSetting[] = listSettings(declaration, '')

export function findSetting(key: SettingKey): NamedSetting {
  const found = settingList.find((named) => named.key === key)
  if (found === undefined) throw new Error(`there is no setting ${key}`)
  return found
}

function listSettings(members: Declaration, prefix: string): NamedSetting[] {
  return Object.entries(members).flatMap(([name, member]: [string, Declaration[string]]) => {
    if (member.kind === 'group') return listSettings(member.members, `${prefix}${name}.`)
    if (member.kind === 'list') return []
    const key = prefix + name
    return [{ key: key as SettingKey, setting: member, variable: variableName(key) }]
  })
}

function variableName(key: string): string {
  return `FUNDPRESS_${key.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`
}
