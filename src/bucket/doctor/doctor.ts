/** `fundpress doctor`: everything that would make tonight fail, tried for real and in a moment. */

import { heldMessage, isHeldByOther, readJournal, type Holder } from '../live/journal.ts'
import { manifestIn } from '../live/layout.ts'
import { readLive, tornSlots } from '../live/live.ts'
import type { S3Store } from '../store/s3.ts'
import type { ObjectStore } from '../store/store.ts'
import { diagnoseBucket, diagnoseCredentials } from './access.ts'
import { diagnoseSettings } from './bucket-settings.ts'
import { ok, problem, problemIfThrown, warning, type Diagnosis } from './diagnosis.ts'
import { diagnoseMachine, type MachineOptions } from './machine.ts'
import { diagnoseRights } from './rights.ts'

export interface DoctorOptions extends MachineOptions {
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly now: () => Date
  readonly uuid: string
  readonly signal: AbortSignal
  /** Hears each diagnosis as soon as it is known. */
  readonly onDiagnosis: (diagnosis: Diagnosis) => void
}

/** If the bucket cannot be reached, one line says why, and nothing is tried that needs it. */
export async function examine(store: S3Store, options: DoctorOptions): Promise<void> {
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
  const credentials = await diagnoseCredentials(store, options.now)
  onDiagnosis(credentials)
  if (credentials.level === 'problem' || !(await tell(diagnoseBucket(store)))) return
  await tell(diagnoseRights(store, options))
  await tell(diagnoseSettings(store))
  await tell(diagnosePublished(store, options))
}

/** Whether live.json and the journal can be read, and whether somebody publishes now. */
async function* diagnosePublished(
  store: ObjectStore,
  { me, isAlive }: Pick<DoctorOptions, 'me' | 'isAlive'>,
): AsyncGenerator<Diagnosis> {
  yield await problemIfThrown('live', async () => {
    const { live } = await readLive(store)
    if (live === null) return ok('live', 'nothing is live yet: `fundpress publish` makes it so')
    const manifest = await store.get(manifestIn(live.slot))
    manifest?.cancel()
    const says = `${live.snapshot} in ${live.slot}, since ${live.liveSince}`
    return manifest === null
      ? problem('live', `${says}, without its manifest: publish with --repair`)
      : ok('live', says)
  })
  yield await problemIfThrown('journal', async () => {
    const journal = await readJournal(store)
    const { live } = await readLive(store)
    if (isHeldByOther(journal, me, isAlive)) return warning('journal', heldMessage(store, journal))
    const torn = Object.keys(tornSlots(journal.journal, live))
    if (torn.length === 0) return ok('journal', 'nobody publishes')
    const are = torn.length === 1 ? 'is' : 'are'
    return warning(
      'journal',
      `${torn.join(' and ')} ${are} torn after a publish: the next one puts it right, no rollback until then`,
    )
  })
}
