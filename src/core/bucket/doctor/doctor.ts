/** `fundpress check --bucket`: tries at once what a nightly run needs. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checksumsKey, manifestKey, readManifestHead, type ManifestHead } from '../../snapshot/manifest.ts'
import { assertFollowed } from '../live/follow.ts'
import { heldMessage, isHeldByOther, readJournal } from '../live/journal.ts'
import type { Holder } from '../../system/holder.ts'
import { manifestIn } from '../live/layout.ts'
import { readLive, tornSlots } from '../live/live.ts'
import { describeLocalAddresses, type Addresses } from '../publish/addresses.ts'
import type { FolderStore } from '../store/folder.ts'
import type { S3Store } from '../store/s3.ts'
import type { ObjectStore } from '../store/store.ts'
import { diagnoseBucket, diagnoseCredentials, diagnoseSettings } from './bucket.ts'
import { diskOf, lackOn, megabytes } from '../../system/disk.ts'
import { lineOf, ok, problem, problemIfThrown, warning, type Diagnosis } from './diagnosis.ts'
import { diagnoseFolder, neededBytes } from './folder.ts'
import { diagnoseRights } from './rights.ts'

interface DoctorOptions {
  readonly out: string
  readonly addresses: Addresses
  readonly temporary: string
  /** ARN. */
  readonly keyValueStore: string | null
  /** `24.1.0`, without a `v`. */
  readonly nodeVersion: string
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly now: () => Date
  readonly uuid: string
  readonly signal: AbortSignal
  readonly onDiagnosis: (diagnosis: Diagnosis) => void
}

/** Examines machine and bucket. If the bucket cannot be reached, one line says why, and no check that needs it follows. */
export async function examine(store: S3Store | FolderStore, options: DoctorOptions): Promise<void> {
  const { signal, onDiagnosis } = options
  const tell = async (diagnoses: AsyncIterable<Diagnosis>) => {
    let isWell = true
    for await (const diagnosis of diagnoses) {
      signal.throwIfAborted()
      isWell &&= diagnosis.level !== 'problem'
      onDiagnosis(diagnosis)
    }
    return isWell
  }
  await tell(diagnoseMachine(options))
  if (store.kind === 'folder') {
    if (!(await tell(diagnoseFolder(store, options.uuid)))) return
    await tell(diagnoseFolderDisk(store))
    await tell(diagnosePublished(store, options))
    return
  }
  const credentials = await diagnoseCredentials(store, options.now)
  onDiagnosis(credentials)
  if (credentials.level === 'problem' || !(await tell(diagnoseBucket(store)))) return
  await tell(diagnoseRights(store, options))
  await tell(diagnoseSettings(store))
  await tell(diagnosePublished(store, options))
}

async function* diagnosePublished(store: ObjectStore, { me, isAlive, keyValueStore }: DoctorOptions) {
  yield await problemIfThrown('live', async () => {
    const { live } = await readLive(store)
    if (live === null) return ok('live', 'nothing is live yet: `fundpress publish` makes it so')
    const manifest = await store.get(manifestIn(live.slot))
    manifest?.cancel()
    const says = `${live.snapshot} in ${live.slot}, since ${live.liveSince}`
    if (manifest !== null) return ok('live', says)
    return problem('live', `${says}, without its manifest: publish with --repair`)
  })
  const follower = await diagnoseFollower(store, keyValueStore).catch(() => null)
  if (follower !== null) yield follower
  yield await problemIfThrown('journal', async () => {
    const journal = await readJournal(store)
    const { live } = await readLive(store)
    if (isHeldByOther(journal, me, isAlive)) return warning('journal', heldMessage(store, journal))
    const torn = Object.keys(tornSlots(journal.journal, live))
    if (torn.length === 0) return ok('journal', 'nobody publishes')
    const are = `${torn.join(' and ')} ${torn.length === 1 ? 'is' : 'are'} torn after a publish`
    return warning('journal', `${are}: the next one puts it right, no rollback until then`)
  })
}

/** @returns null if neither the settings nor `live.json` name a KeyValueStore */
async function diagnoseFollower(store: ObjectStore, given: string | null): Promise<Diagnosis | null> {
  const what = 'KeyValueStore'
  const { live } = await readLive(store)
  try {
    const pointer = given === null ? null : { name: given }
    assertFollowed(store, live, { pointer, isForgetting: false })
  } catch (error) {
    return problem(what, lineOf(error))
  }
  if (given === null) return null
  const later = live?.keyValueStore === undefined ? ', live.json will name it after the next publish' : ''
  return ok(what, `${given}${later}`)
}

async function* diagnoseMachine({ out, temporary, nodeVersion, addresses }: DoctorOptions) {
  yield diagnoseNode(nodeVersion)
  const [snapshot, head] = await diagnoseSnapshot(out)
  yield await diagnoseDisk('disk for out', out, {
    // A build lies beside the snapshot before it takes its place; a file takes whole blocks. A GB is a guess.
    bytes: (blockBytes) => (head === null ? 1e9 : head.bytes + head.objects * blockBytes),
    files: head?.objects ?? 0,
    advice: 'make room, or choose another --out',
  })
  yield await diagnoseDisk('disk for temp', temporary, {
    // A publish keeps lists: 500 bytes for each object.
    bytes: () => Math.max(1e8, (head?.objects ?? 0) * 500),
    files: 10,
    advice: 'make room, or set TMPDIR to another folder',
  })
  yield snapshot
  const local = describeLocalAddresses(addresses)
  yield local === null ? ok('baseUrl', addresses.baseUrl) : warning('baseUrl', local)
}

async function* diagnoseFolderDisk(store: FolderStore) {
  const needed = await neededBytes(store).catch(() => null)
  if (needed === null) return
  yield await diagnoseDisk('disk for bucket', store.root, {
    bytes: (blockBytes) => needed.bytes + needed.files * blockBytes,
    files: needed.files,
    advice: 'make room, or move the bucket to a larger disk',
  })
}

function diagnoseNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18))
    return problem('node', `Node ${version} is too old: install 22.18 or later, 24 is recommended`)
  if (major % 2 === 1)
    return warning('node', `Node ${version} is a version without long support: 24 is recommended`)
  return ok('node', `Node ${version}`)
}

async function diagnoseDisk(
  what: string,
  path: string,
  { bytes, files, advice }: { bytes: (blockBytes: number) => number; files: number; advice: string },
): Promise<Diagnosis> {
  try {
    const disk = await diskOf(path)
    const needed = bytes(disk.blockBytes)
    const lack = lackOn(disk, needed, files)
    if (lack !== null) return problem(what, `${lack}: ${advice}`)
    const says = `${megabytes(disk.freeBytes)} free in ${disk.folder}, ${megabytes(needed)} needed`
    return disk.freeBytes < 2 * needed ? warning(what, `${says}, that is scarce: ${advice}`) : ok(what, says)
  } catch (error) {
    return problem(what, `${path} cannot be looked at: ${lineOf(error)}`)
  }
}

async function diagnoseSnapshot(out: string): Promise<readonly [Diagnosis, ManifestHead | null]> {
  const what = 'snapshot'
  if (!existsSync(join(out, manifestKey)))
    return [ok(what, `none in ${out} yet: \`fundpress build\` makes one`), null]
  try {
    const head = await readManifestHead(out)
    if (!existsSync(join(out, checksumsKey)))
      return [problem(what, `${join(out, checksumsKey)} is missing: build the snapshot again`), head]
    return [ok(what, `${head.snapshot} in ${out}, ${head.objects.toLocaleString('en-US')} objects`), head]
  } catch (error) {
    return [problem(what, `${lineOf(error)}: build it again`), null]
  }
}
