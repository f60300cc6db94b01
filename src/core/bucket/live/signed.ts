/** What is signed in a slot: the snapshot by its build, and `changes/` by its publish. Who may have signed it is in the settings. */

import { createHash, hash } from 'node:crypto'
import { type ManifestHead, type ManifestLine, checksumsKey, manifestKey } from '../../snapshot/manifest.ts'
import { signatureKey, signingKeyKey } from '../../snapshot/manifest.ts'
import { digestOfFacts, factsKey, factsText, type SignedFacts } from '../../snapshot/signed-facts.ts'
import type { Objection } from '../../guards/guards.ts'
import { fingerprintOf, isSignedBy, keysIn, signerOf, type Signing } from '../../system/ssh-signature.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { ObjectDifference } from '../manifest/listing.ts'
import { readSmall } from '../store/read.ts'
import type { CallOptions, ObjectStore } from '../store/store.ts'
import { changesFolder, changesSumsKey, checksumsName, inSlot, noCache, type Slot } from './layout.ts'
import type { Lease } from './lease.ts'

/** From the settings `signing.key` and `signing.publicKeys`. */
export interface SignatureRules {
  /** Public keys that count; none: those that the snapshot itself names, which show damage only. Null: nothing has to be signed. */
  readonly trusted: readonly string[] | null
  /** Signs what a publish writes; null without a key. */
  readonly key: Signing | null
}

/** Reads a small file of a snapshot: of its slot or of its folder. @param key relative to it @returns null if there is none */
export type ReadObjectText = (key: string) => Promise<string | null>

export const textsIn =
  (store: ObjectStore, slot: Slot, options?: CallOptions): ReadObjectText =>
  async (key) =>
    (await readSmall(store, inSlot(slot, key), options))?.text ?? null

interface SignatureFault extends ObjectDifference {
  /** The fingerprint of the key that has signed it all the same. */
  readonly by?: string | undefined
}

/**
 * Compares the signature with the lines of the manifest, which make SHA256SUMS: a manifest that somebody has changed together with an
 * object shows, and so does another day in its first line.
 * @returns `keys`: those that count; none if nothing has to be signed. `sha256`: of the right SHA256SUMS; null without a signature
 */
export async function checkSnapshot(
  read: ReadObjectText,
  { head, objects }: Pick<Manifest, 'head' | 'objects'>,
  trusted: SignatureRules['trusted'],
) {
  const { files } = head
  const faults: SignatureFault[] = []
  if (!files.some(({ key }) => key === signatureKey)) {
    if (trusted !== null) faults.push({ key: checksumsKey, what: 'unsigned' })
    return { keys: trusted ?? [], sha256: null, faults }
  }
  const sha256 = createHash('sha256')
  const sha512 = createHash('sha512')
  const add = ({ sha256: digest, key }: ManifestLine) => {
    const line = `${digest}  ${key}\n`
    sha256.update(line)
    sha512.update(line)
  }
  for await (const line of objects()) add(line)
  for (const file of files) if (file.key !== signatureKey) add(file)
  const isKnown = trusted !== null && trusted.length > 0
  const keys = isKnown ? trusted : keysIn((await read(signingKeyKey)) ?? '')
  faults.push(...faultsOf(signatureKey, keys, (await read(signatureKey)) ?? '', sha512.digest()))
  if (files.find(({ key }) => key === factsKey)?.sha256 !== digestOfFacts(head))
    faults.push({ key: manifestKey, what: 'facts' })
  return { keys, sha256: sha256.digest('hex'), faults }
}

/**
 * Three small reads: the signature of `changes/`, and what it says about the snapshot. So an older snapshot under a newer date shows
 * without its manifest.
 * @returns `sums`: SHA-256 of each file by its name in `changes/`; null if they are not signed
 */
export async function checkChanges(read: ReadObjectText, facts: SignedFacts, keys: readonly string[]) {
  const text = await read(changesSumsKey)
  const { sums, faults } = signedSums(
    { key: changesSumsKey, text, signature: text === null ? null : await read(`${changesSumsKey}.sig`) },
    keys,
  )
  if (sums !== null && sums.get(factsKey) !== digestOfFacts(facts))
    faults.push({ key: changesFolder + factsKey, what: 'facts' })
  return { sums, faults }
}

/** @param sums `SHA256SUMS` of a folder, with its key for messages @returns `sums`: null if nobody of `keys` has signed them */
export function signedSums(
  { key, text, signature }: { key: string; text: string | null; signature: string | null },
  keys: readonly string[],
) {
  if (text === null || signature === null)
    return { sums: null, faults: [{ key, what: 'unsigned' } as SignatureFault] }
  const faults = faultsOf(`${key}.sig`, keys, signature, hash('sha512', text, 'buffer'))
  return { sums: faults.length > 0 ? null : sumsIn(text), faults }
}

function faultsOf(key: string, keys: readonly string[], signature: string, sha512: Buffer): SignatureFault[] {
  if (isSignedBy(keys, signature, sha512)) return []
  const by = signerOf(signature, sha512)
  return [{ key, what: 'signature', by: by === null ? undefined : fingerprintOf(by) }]
}

/** Parses the form of `sha256sum`. @returns SHA-256 by name */
export function sumsIn(text: string): ReadonlyMap<string, string> {
  const lines = text.matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm)
  return new Map([...lines].map(([, sha256 = '', name = '']) => [name, sha256]))
}

interface Asked {
  /** False for a folder: its publish writes and signs `changes/` later. */
  readonly hasChanges: boolean
  /** Of the place, for messages: `green/`. */
  readonly place: string
}

/** What the guard `signature` has against a snapshot. `sums`: of `changes/`, as signed; null if they are not, or need not be. */
export async function signatureObjections(
  read: ReadObjectText,
  manifest: Pick<Manifest, 'head' | 'objects'>,
  { trusted, key }: SignatureRules,
  { hasChanges, place }: Asked,
) {
  const { keys, faults } = await checkSnapshot(read, manifest, trusted)
  const isToSign = trusted !== null || keys.length > 0
  const found = hasChanges && isToSign ? await checkChanges(read, manifest.head, keys) : null
  const messages = [...faults, ...(found?.faults ?? [])].map((fault) => place + sayFault(fault))
  if (!hasChanges && isToSign) messages.push(...keyFaults(key, keys))
  const objections = messages.map((message): Objection => ({ guard: 'signature', subject: null, message }))
  return { objections, sums: found?.sums ?? null }
}

function keyFaults(key: Signing | null, keys: readonly string[]): string[] {
  if (key === null) return [`there is no key (signing.key) to sign ${changesFolder} with`]
  const [own = ''] = key.publicKeys
  return keys.length === 0 || keys.some((one) => one.startsWith(own))
    ? []
    : [`signing.key would sign ${changesFolder}, and signing.publicKeys does not name it: add "${own}"`]
}

export function sayFault({ key, what, by }: SignatureFault): string {
  if (what === 'unsigned') return `${key} has no signature, though the settings name a key`
  if (what === 'facts') return `${key} names another snapshot, day or figure than its signature`
  return by === undefined
    ? `${key} is damaged, or the signature of another file`
    : `${key} was made with the key ${by}, which is not trusted: signing.publicKeys does not name it`
}

/** Signs `changes/` of a slot, and says of which snapshot it is. @param digests SHA-256 of all its files by name */
export async function signChanges(
  { store, lease, signing: { key } }: { store: ObjectStore; lease: Lease; signing: SignatureRules },
  slot: Slot,
  head: ManifestHead,
  digests: ReadonlyMap<string, string>,
): Promise<void> {
  if (key === null) return
  const put = (name: string, content: string, type: string) => {
    const body = Buffer.from(content)
    const sha256 = hash('sha256', body)
    const object = { key: inSlot(slot, changesFolder + name), body, type, cacheControl: noCache, sha256 }
    return store.put(object, undefined, lease.writing)
  }
  const all = [...digests, [factsKey, digestOfFacts(head)] as const]
  const sums = all
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, sha256]) => `${sha256}  ${name}\n`)
    .join('')
  await put(factsKey, factsText(head), 'application/json; charset=utf-8')
  await put(checksumsName, sums, 'text/plain; charset=utf-8')
  await put(`${checksumsName}.sig`, key.sign(hash('sha512', sums, 'buffer')), 'text/plain; charset=utf-8')
}

/** Names in `changes/` that {@link signChanges} writes. */
export const signedNames = [factsKey, checksumsName, `${checksumsName}.sig`]
