/** Opens what the settings name: the bucket, the rules of freshness, and the options of a build. */

import { type Additions, fundPagesBelow } from '../data/derive/copy.ts'
import { hostname, userInfo } from 'node:os'
import type { SignatureRules } from '../bucket/live/signed.ts'
import type { Following } from '../bucket/live/follow.ts'
import { describeLocalAddresses } from '../bucket/publish/addresses.ts'
import type { Patience } from '../bucket/store/retry.ts'
import type { FolderStore } from '../bucket/store/folder.ts'
import type { S3Store } from '../bucket/store/s3.ts'
import { ConditionsUnknown, isFolderName } from '../bucket/store/store.ts'
import type { Publisher } from '../api/contract/page.ts'
import type { BuildOptions } from '../snapshot/build.ts'
import { onlyHook } from '../snapshot/hooks.ts'
import type { Override } from '../guards/guards.ts'
import { openRules, type Rules } from '../guards/rules.ts'
import { messageOf } from '../system/message.ts'
import { openSigning, type Signing } from '../system/ssh-signature.ts'
import type { Session } from './command.ts'
import { UsageError, wrongSettings } from './failure.ts'
import { readIcon, readLogo, readPreview } from './pictures.ts'
import { type FlagsOf, type overrideOptions, required } from './options.ts'
import { cut, statement } from './safe-text.ts'
import { openSecret } from './setting-fields.ts'
import type { Settings } from './settings.ts'

export type OverrideFlags = FlagsOf<ReturnType<typeof overrideOptions>>

export const shortPatience: Patience = {
  attempts: 2,
  connectMs: 3000,
  silenceMs: 4000,
  // Some stores take one write a second to a key.
  throttledMs: 10_000,
  bodyMs: 4000,
}

/** Opens the bucket: an S3 store, or a folder of this machine. @throws {UsageError} without a bucket name */
export async function withBucket<T>(
  session: Session,
  work: (store: S3Store | FolderStore) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  const store = await openBucket(session, patience)
  try {
    return await work(store)
  } catch (cause) {
    if (!(cause instanceof ConditionsUnknown)) throw cause
    const advice =
      '--no-lock publishes without them, but then nothing prevents two publishes at the same time'
    throw new Error(`${store.name}: this store does not support conditional writes. ${advice}`, { cause })
  } finally {
    store.close()
  }
}

/** @returns the settings to change if readers elsewhere cannot follow the links of a snapshot, or null */
export const describeAddresses = ({ baseUrl, docsUrl, bucket }: Settings) =>
  describeLocalAddresses({ baseUrl, docsUrl, endpoint: bucket.endpoint })

/** Imports stores lazily: the AWS SDK loads slowly, and several commands need a bucket only with some flags. */
async function openBucket({ settings: { bucket }, signal }: Session, patience?: Patience) {
  const settings = { ...bucket, bucket: required(bucket.name, 'bucket.name') }
  if (isFolderName(settings.bucket)) {
    const { openFolder } = await import('../bucket/store/folder.ts')
    return openFolder(settings, signal)
  }
  const { openS3 } = await import('../bucket/store/s3.ts')
  return openS3(settings, signal, patience)
}

/** Follows `live.json` by its copy in CloudFront's KeyValueStore, if the settings name one. @throws {UsageError} without the extension */
export async function followingOf(
  { settings, signal, extensions }: Session,
  isForgetting = false,
): Promise<Following> {
  const { keyValueStore: name, previewToken } = settings.edge
  if (name === null) return { pointer: null, isForgetting }
  const load = onlyHook(extensions.list, 'follower')
  if (load === undefined)
    throw new UsageError(
      'edge.keyValueStore is set, and no extension of this fundpress follows live.json there',
    )
  const { follow } = await load()
  return { pointer: follow(name, { signal, previewToken }), isForgetting }
}

/** Reads the flags of `overrideOptions`. @throws {UsageError} for a permission without a reason */
export function overrideOf(session: Session, { allow = [], force, reason }: OverrideFlags): Override {
  const isForced = force === true
  // A copy of `--reason "…"` from a message is no reason.
  const isReasoned = /[\p{L}\p{N}]/u.test(reason ?? '')
  if ((isForced || allow.length > 0) && !isReasoned)
    throw new UsageError('--allow and --force need --reason "…", which says why it is right')
  const length = reason?.length ?? 0
  if (length > maxReason)
    throw new UsageError(`--reason has ${length} characters: give it in ${maxReason} at most`)
  return { allow, isForced, reason: reason ?? null, who: whoIs(session) }
}

const maxReason = 300

/** The actor of the workflow on GitHub, else user and host. */
export function whoIs({ environment }: Session): string {
  const { GITHUB_ACTOR: actor = '' } = environment
  return cut(statement(actor === '' ? `${userName()}@${hostname()}` : actor), 100)
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** What a build adds to the database, for commands that look at the same. */
export const additionsOf = ({ derive, baseUrl, pages }: Settings): Additions => ({
  derive,
  fundPages: fundPagesBelow(baseUrl, pages),
})

/** @throws {UsageError} if the settings name an unknown calendar or contradict each other */
export const freshnessRules = ({ freshness }: Settings): Promise<Rules> =>
  openRules(freshness).catch(wrongSettings)

/** What a night asks of the load, and each of its shards. */
export const loadOptions = ({ requireComplete: isRequired, load: { lagDays } }: Settings) => ({
  isRequired,
  lagDays,
})

/** @param isUnsigned for what signs nothing, such as a shard: it needs no key @throws {UsageError} if the settings are wrong */
export async function buildOptions(
  session: Session,
  isUnsigned = false,
): Promise<Omit<BuildOptions, 'asOf' | 'only'>> {
  const { docsUrl, baseUrl, pages: hasPages, quickCheck: hasQuickCheck } = session.settings
  return { ...(await mergeOptions(session, isUnsigned)), docsUrl, baseUrl, hasPages, hasQuickCheck }
}

/** Options of a build without those that shards bring. @throws {UsageError} if the settings are wrong */
export async function mergeOptions(session: Session, isUnsigned = false) {
  const { settings, signal } = session
  const { out, jobs, freshness, expectations, derive, rawCsv: isRawCsv } = settings
  const { cacheControl, errorCacheControl, liveTtlSeconds } = settings.edge
  const caching = { cacheControl, errorCacheControl, liveTtlSeconds }
  const db = required(settings.db, 'db')
  // Reports a wrong calendar before anything is read.
  await freshnessRules(settings)
  const publisher = publisherOf(settings)
  const downloads = settings.downloads.enabled ? { licence: publisher?.licence ?? null, isRawCsv } : null
  const signing = isUnsigned ? null : signingOf(session)
  const extensions = session.extensions.address
  const rules = { freshness, expectations, derive }
  return { db, out, jobs, extensions, publisher, caching, downloads, ...rules, signing, signal } as const
}

/** @returns null without a key @throws {UsageError} if the key cannot be used */
function signingOf({ settings: { signing }, environment }: Session): Signing | null {
  if (signing.key === null) return null
  const found = openSecret(signing.key, environment)
  if ('missing' in found)
    throw new UsageError(`signing.key: the environment variable ${found.missing} is not set`)
  try {
    return openSigning(found.value, signing.publicKeys)
  } catch (error) {
    throw new UsageError(`signing.key ${messageOf(error)}`)
  }
}

/** Null without a key, and where its environment variable is not set: to look at a bucket, nobody needs it. */
const signingIfHere = (session: Session): Signing | null => {
  const { key } = session.settings.signing
  return key !== null && 'missing' in openSecret(key, session.environment) ? null : signingOf(session)
}

/**
 * The public keys that the settings name, else that of their private key. Readers have got the named ones: a night that is signed with
 * another key is a forgery for them.
 * @returns null if nothing has to be signed; none if its key is not known here
 */
export function trustedKeys(session: Session): readonly string[] | null {
  const { key, publicKeys } = session.settings.signing
  if (publicKeys.length > 0) return publicKeys
  return key === null ? null : (signingIfHere(session)?.publicKeys ?? [])
}

/**
 * Who signs `changes/`: only a publish does, so only there a key that is missing is an error.
 * @throws {UsageError} if the key cannot be used
 */
export function signatureRules(session: Session, who: 'publish' | 'plan' | 'nobody'): SignatureRules {
  const keys = { publish: signingOf, plan: signingIfHere, nobody: () => null }
  return { trusted: trustedKeys(session), key: keys[who](session) }
}

/** Null if the settings name neither company nor licence, and keep our line. @throws {UsageError} for a picture that is refused */
function publisherOf({ site, licence: { name, url } }: Settings): Publisher | null {
  const { credit, ...others } = site
  if (credit && Object.values(others).every((value) => value === null) && name === null) return null
  const { logo, icon, preview, accentLight, accentDark, startEn, startDe, ...named } = others
  return {
    ...named,
    credit,
    licence: name === null ? null : { name, url },
    logo: logo === null ? null : readLogo(logo),
    icon: icon === null ? null : readIcon(icon),
    preview: preview === null ? null : readPreview(preview),
    accent: { light: accentLight, dark: accentDark },
    start: { en: startEn, de: startDe },
  }
}
