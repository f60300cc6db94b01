/**
 * The schema of the core's settings: source of their types, defaults, checks, messages and environment variables. Extensions declare
 * their own (`own-settings.ts`), and `known-settings.ts` joins both.
 */

import { languages } from '../api/routes/table.ts'
import { isDay } from '../api/routes/values.ts'
import { requestLifetimeSeconds } from '../bucket/store/retry.ts'
import { deriveModes } from '../data/derive/modes.ts'
import { countryCodes } from '../data/model/countries.ts'
import { isFolderName } from '../bucket/store/store.ts'
import { z } from 'zod'
import { guardSettings } from './guard-settings.ts'
import {
  numberBetween,
  onOrOff,
  group,
  headerValue,
  mailAddress,
  listSettings,
  type NamedSetting,
  orNull,
  path,
  say,
  publicKey,
  secretKey,
} from './setting-fields.ts'
import { settingText as text, whole } from './setting-fields.ts'

export const url = text(
  'an absolute http or https URL without a user name, a password or a query, such as https://funds.example.com/api',
  /^https?:\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(\/[^\s?#]*)?$/u,
).overwrite((address) => address.replace(/(?<!\/)\/+$/, ''))

/** A link to a page of the company: unchanged, and may have a query or a fragment. */
const pageAddress = text(
  'an absolute http or https URL without a user name or a password, such as https://www.example.com/imprint',
  /^https?:\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([/?#]\S*)?$/u,
)

const securityContact = text(
  'a mail address, or an https URL, such as https://www.example.com/security',
  /^(?:https:\/\/[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?#]\S*)?|[^\s@<>:/]+@[^\s@<>.]+(\.[^\s@<>.]+)+)$/u,
)

const bucketName = text(
  'a bucket name (3 to 63 lower-case letters, digits, dots and hyphens), or a folder as file:///srv/fundpress',
  /^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9]|file:\/\/\/[^\s?#%/]([^\s?#%]|%20)*)$/u,
).overwrite((name) => (name.startsWith('file:') ? name.replace(/(?<!\/)\/+$/, '') : name))
const folder = text('a folder without a slash at its beginning or end', /^([^/\s]([^\s]*[^/\s])?)?$/u)
const region = text('the name of a region, such as eu-central-1', /^[A-Za-z0-9-]+$/u)
const host = text('a host name or an IP address', /^[A-Za-z0-9.:_-]+$/u)
const addressOrNetwork = (['ipv4', 'ipv6', 'cidrv4', 'cidrv6'] as const)
  .map((form) => z.regexes[form].source.replace(/^\^/, '').replace(/\$$/, ''))
  .join('|')
const trustedProxies = text(
  'addresses and networks, separated by single spaces, such as "127.0.0.1 10.0.0.0/8"',
  new RegExp(`^(?:${addressOrNetwork})(?: (?:${addressOrNetwork}))*$`, 'u'),
)
const edgeAddress = String.raw`https?:\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(\/[^\s?#]*)?`
const expectsEdges =
  'at most 20 http or https addresses without a user name, a password or a query, separated by single spaces, such as ' +
  '"https://funds.example.com http://10.0.0.5:8080"'
const edges = text(expectsEdges, new RegExp(`^${edgeAddress}( ${edgeAddress}){0,19}$`, 'u')).refine(
  (addresses) => addresses.split(' ').every((address) => URL.canParse(address)),
  expectsEdges,
)
const keyValueStore = text(
  'the ARN of a KeyValueStore, such as arn:aws:cloudfront::123456789012:key-value-store/<id>',
  /^arn:aws[a-z-]*:cloudfront::[0-9]{12}:key-value-store\/[0-9a-f-]{36}$/u,
)
const previewToken = text('16 to 100 letters, digits, hyphens and underscores', /^[\w-]{16,100}$/u)
const line = text('a text on one line', /^\S(.*\S)?$/u)
const expectsParagraphs = 'a text of at most 4,000 characters, whose paragraphs are separated by empty lines'
const paragraphs = z
  .string(expectsParagraphs)
  .regex(/^(?!\s)(?:\P{Cc}|\n){1,4000}(?<!\s)$/u, expectsParagraphs)
const colour = text('a colour of six hexadecimal digits, such as #0b6463', /^#[0-9A-Fa-f]{6}$/u)
const country = z.enum(countryCodes, 'a country as two capital letters of ISO 3166-1, such as DE')
const timeOfDay = text(
  'a time of day and a time zone, such as 05:30 Europe/Berlin',
  /^([01]\d|2[0-3]):[0-5]\d (UTC|[A-Z][A-Za-z]+(\/[A-Z][A-Za-z_-]+)+)$/u,
)
const price = numberBetween(0, 1_000_000).optional()
const deriveMode = z.enum(deriveModes, 'delivered, missing or derived').default('missing')
const isoDay = 'a day that exists, as YYYY-MM-DD'

/** Expands `downloads: false` of a config file to `{ enabled: false }`. */
export function withSwitches<T>(config: T): T {
  const { downloads } = (config ?? {}) as { readonly downloads?: unknown }
  return typeof downloads === 'boolean' ? { ...config, downloads: { enabled: downloads } } : config
}

/** No request to a folder is late (`src/core/bucket/store/README.md`). With 0 nothing would wait for a lost lease, either. */
const folderLifetimeSeconds = 1

/** The shape of a config file. `complete` derives the defaults that are missing here. */
export const configShape = z.strictObject(
  {
    $schema: say('The path of this schema.', z.string('a text').optional()),
    db: say('The fund database (SQLite).', orNull(path)),
    out: say('The folder of the snapshot.', path.default('out')),
    baseUrl: say('The address that the API is published at.', url.default('http://localhost:8080')),
    quickCheck: say('Check of the pages of the database file by SQLite (0.2 s for 100 MB).', onOrOff(true)),
    docsUrl: say(
      'The address of the documentation, which error documents link to. Default: <baseUrl>/docs.',
      url.optional(),
    ),
    pages: say('Pages for people in the snapshot: documentation and catalogue.', onOrOff(true)),
    jobs: say('How many worker threads render. Default: the number of cores.', whole(1, 256).optional()),
    // The core keeps, serves and removes downloads by these, also those of earlier days.
    downloads: group(
      'Files for analysts beside the documents (CSV, Parquet, SQLite). true or false stands for `enabled` alone.',
      {
        enabled: say('Files for analysts beside the documents (CSV, Parquet, SQLite).', onOrOff(true)),
        keepDays: say(
          'nightly removes those of days that lie more than this number of days back.',
          whole(0, 36_500).default(30),
        ),
        keepMonthEnds: say('Those of the last day of each month stay.', onOrOff(false)),
        keep: say(
          'Days of a legal hold: nobody removes their downloads. Those with data that may no longer be given out are not served.',
          z.array(z.string(isoDay).refine(isDay, isoDay), 'a list of days').default([]),
        ),
      },
      'true, false or an object',
    ),
    // The hook `beside` gets it with the licence, as a build can do without the rest of the settings.
    rawCsv: say('Plain CSV keeps texts that a spreadsheet would run as formulas.', onOrOff(false)),
    licence: group('The licence of the data, as the downloads state it.', {
      name: say('The name of the licence, such as CC-BY-4.0.', orNull(line)),
      url: say('The address of its text.', orNull(pageAddress)),
    }),
    bucket: group('The bucket that snapshots are published to.', {
      name: say(
        'The name of the bucket, or file:///srv/fundpress for a folder of this machine.',
        orNull(bucketName),
      ),
      endpoint: say('The address of an S3-compatible store other than AWS.', orNull(url)),
      region: say('The region of the bucket.', orNull(region)),
      prefix: say('A folder in the bucket that holds everything.', folder.default('')),
      pathStyle: say('The path of a URL names the bucket, not the host name.', onOrOff(false)),
      concurrency: say(
        'How many requests run at the same time; fewer while the store throttles.',
        whole(1, 1024).default(64),
      ),
      slots: say(
        'How many snapshots the bucket keeps, the live one among them. `rollback` brings each of them back. Each costs its storage, and ' +
          'a night writes what has changed since the oldest of them.',
        whole(2, 7).default(2),
      ),
      edges: say(
        'Addresses of edges (`fundpress serve`), separated by spaces. Before a third or further slot goes live, each has to say at ' +
          '/status/health that it reads it (guard old-edge). Default: none, nobody asks.',
        orNull(edges),
      ),
      maxRate: say('Puts per second at most. Default: no limit.', orNull(whole(1, 100_000))),
      leaseSeconds: say('Seconds until the lock of a crashed publish expires.', whole(10, 3600).default(180)),
      lateSeconds: say(
        'Seconds in which requests of a killed publish may still reach the store. The next publish waits for that time. ' +
          `Default: ${requestLifetimeSeconds}; ${folderLifetimeSeconds} if the bucket is a folder.`,
        whole(0, 3600).optional(),
      ),
      graceSeconds: say(
        'Seconds of the grace period before a publish writes to a slot that was live. It must be at least twice the ' +
          'largest edge.liveTtlSeconds of any edge. Default: twice that; with edge.keyValueStore at least 120.',
        whole(0, 86_400).optional(),
      ),
    }),
    edge: group('How the edge answers.', {
      cacheControl: say(
        'Cache-Control of answers.',
        headerValue.default('public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400'),
      ),
      errorCacheControl: say(
        'Cache-Control of errors and of /status/.',
        headerValue.default('public, max-age=60'),
      ),
      liveTtlSeconds: say(
        'Seconds for which an edge may keep answering from a slot that was live.',
        whole(0, 3600).default(5),
      ),
      hstsSeconds: say(
        'Seconds for which browsers use HTTPS only (Strict-Transport-Security); 0: no such header.',
        whole(0, 63_072_000).default(0),
      ),
      // live.json names it, and the grace period is longer with it.
      keyValueStore: say(
        "CloudFront's KeyValueStore, to which a publish also writes what is live.",
        orNull(keyValueStore),
      ),
      previewToken: say(
        'Requests whose header X-Fundpress-Preview has this value are answered from the staged snapshot. Default: no preview.',
        orNull(previewToken),
      ),
    }),
    serve: group('Where `fundpress serve` listens.', {
      host: say('The address that serve listens on.', host.default('127.0.0.1')),
      port: say('The port that serve listens on (0: any free port).', whole(0, 65_535).default(8080)),
      trustedProxies: say(
        'Addresses and networks of proxies whose X-Forwarded-For names the client, separated by spaces: limits of a client count those. ' +
          'Default: no header is trusted.',
        orNull(trustedProxies),
      ),
    }),
    // Pages of all extensions have a header and a footer of the core (`layout`), which name the publisher.
    site: group('Who publishes: the pages and the OpenAPI document name it.', {
      name: say('The name of the company.', orNull(line)),
      country: say(
        'The country of the company, two letters of ISO 3166-1: DE. FundsXML names it.',
        orNull(country),
      ),
      publishedBy: say(
        'The time by which new data are usually published, with its time zone: 05:30 Europe/Berlin.',
        orNull(timeOfDay),
      ),
      imprint: say(
        'The address of its imprint, which publishers in Germany generally need (§ 5 DDG, § 18 MStV).',
        orNull(pageAddress),
      ),
      privacy: say('The address of its privacy notice.', orNull(pageAddress)),
      contact: say('A mail address for questions about the data.', orNull(mailAddress)),
      security: say(
        'A mail address, or the https address of a page, for reports of vulnerabilities: /.well-known/security.txt names it.',
        orNull(securityContact),
      ),
      terms: say('The address of its terms of use.', orNull(pageAddress)),
      homePage: say('The address of its home page.', orNull(pageAddress)),
      fundNames: say(
        'The language of the names of its funds, for hyphens and for screen readers: de or en. Default: unknown.',
        orNull(z.enum(languages)),
      ),
      logo: say(
        'Its logo, an SVG or PNG file of at most 100 KB. The header of each page shows it on white.',
        orNull(path),
      ),
      icon: say(
        'Its icon, a square PNG file of 180 to 512 pixels and at most 100 KB, for tabs, bookmarks and home screens.',
        orNull(path),
      ),
      preview: say(
        'Its picture for previews of links in chats and social networks, a PNG file of 1200 x 630 pixels and at most 300 KB.',
        orNull(path),
      ),
      accentLight: say('The colour of links on light pages. Contrast: at least 4.5:1.', orNull(colour)),
      accentDark: say('The colour of links on dark pages. Contrast: at least 4.5:1.', orNull(colour)),
      startEn: say('A text for the English start page. Blank lines separate paragraphs.', orNull(paragraphs)),
      startDe: say('A text for the German start page. Blank lines separate paragraphs.', orNull(paragraphs)),
      credit: say('Each page ends with “Published with fundpress.”', onOrOff(true)),
    }),
    signing: group('The key that signs the checksums of snapshots and downloads, in the format of OpenSSH.', {
      key: say(
        'env:NAME for the environment variable that holds the file of `ssh-keygen -t ed25519 -N ""`. It is a secret.',
        orNull(secretKey),
      ),
      publicKeys: say(
        'Public keys (lines of .pub files) that readers have got: that of signing.key, and earlier ones. If any is named, no other key counts.',
        z.array(publicKey, 'a list of public keys').default([]),
      ),
    }),
    ...guardSettings,
    derive: group(
      'Figures that are computed from NAVs, corporate actions and the issue surcharge, for the snapshot: delivered (never), missing (of ' +
        'funds that have none) or derived (of all funds that have prices). `fundpress derive` writes them into the database.',
      {
        price: say(
          'change, change_percent and performance of table price. missing: the performance.',
          deriveMode,
        ),
        performance_year: say('Table performance_year.', deriveMode),
        legal_period: say('Table legal_period.', deriveMode),
        legal_point: say('Table legal_point.', deriveMode),
        launch_point: say('Table launch_point.', deriveMode),
      },
    ),
    requireComplete: say(
      'nightly refuses a database without the complete load of the expected day, or that has changed since (`import --complete`).',
      onOrOff(false),
    ),
    load: group('When prices are loaded.', {
      lagDays: say(
        'Business days that loads come later than usual: 1 if the prices of a day are loaded in the evening of the next one.',
        whole(0, 30).default(0),
      ),
      expectedBy: say(
        'The time of day in Berlin by which the load of a business day is expected, such as 19:30: later, nightly and status tell that it is late.',
        orNull(text('a time of day, such as 19:30', /^([01]\d|2[0-3]):[0-5]\d$/u)),
      ),
    }),
    storePrices: group('What the store charges, in dollars, for `fundpress plan`.', {
      perMillionPuts: say('A million puts and lists. Default: 5 (R2: 4.5, a folder: 0).', price),
      perMillionGets: say('A million gets. Default: 0.4 (R2: 0.36, a folder: 0).', price),
      perMillionDeletes: say('A million deletes. Default: 0.', price),
      perGbMonth: say('A gigabyte stored for a month. Default: 0.023 (R2: 0.015, a folder: 0).', price),
    }),
  },
  'an object',
)

/** Prices of November 2026: AWS us-east-1 (S3 Standard), Cloudflare R2 (class A, class B, standard storage). */
const awsPrices = { perMillionPuts: 5, perMillionGets: 0.4, perMillionDeletes: 0, perGbMonth: 0.023 }
const noPrices = { perMillionPuts: 0, perMillionGets: 0, perMillionDeletes: 0, perGbMonth: 0 }
const r2Prices = { perMillionPuts: 4.5, perMillionGets: 0.36, perMillionDeletes: 0, perGbMonth: 0.015 }

/** Usual time until all edges of CloudFront, and then its Lambdas, have a new value. */
const propagationSeconds = 120

export type Settings = ReturnType<typeof complete>

export function complete({ $schema: _, ...given }: z.output<typeof configShape>, cores: number) {
  const { baseUrl, bucket, edge, storePrices } = given
  const isR2 = /^https:\/\/[^/]*\.r2\.cloudflarestorage\.com(:|\/|$)/i.test(bucket.endpoint ?? '')
  const isFolder = bucket.name !== null && isFolderName(bucket.name)
  const minimumGrace = edge.keyValueStore === null ? 0 : propagationSeconds
  return {
    ...given,
    docsUrl: given.docsUrl ?? `${baseUrl}/docs`,
    jobs: given.jobs ?? Math.min(cores, 256),
    bucket: {
      ...bucket,
      lateSeconds: bucket.lateSeconds ?? (isFolder ? folderLifetimeSeconds : requestLifetimeSeconds),
      graceSeconds: bucket.graceSeconds ?? Math.max(2 * edge.liveTtlSeconds, minimumGrace),
    },
    storePrices: {
      ...(isFolder ? noPrices : isR2 ? r2Prices : awsPrices),
      ...storePrices,
    } as typeof awsPrices,
  }
}

/** Names of the members that are no list. */
type OneText<Group> = {
  [Name in keyof Group & string]: Group[Name] extends readonly unknown[] ? never : Name
}[keyof Group & string]

/** Names of the core's settings that are no list: `serve.port`. */
export type SettingKey = {
  [Name in keyof Settings]: Settings[Name] extends object ? `${Name}.${OneText<Settings[Name]>}` : Name
}[keyof Settings]

/** The core's settings whose value is one text, in the order of the schema. */
export const settingList = listSettings(configShape.shape)

export function findSetting(key: SettingKey): NamedSetting {
  const found = settingList.find((named) => named.key === key)
  if (found === undefined) throw new Error(`there is no setting ${key}`)
  return found
}
