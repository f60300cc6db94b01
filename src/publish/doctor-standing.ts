/** What stands in the bucket: whether live.json and the journal can be read, and whether somebody publishes. */

import { ok, problem, reasonOf, warning, type DoctorOptions, type Finding } from './doctor.ts'
import { heldMessage, isHeldByOther, readJournal } from './journal.ts'
import { tornSlots, readLive } from './live.ts'
import { manifestIn } from './layout.ts'
import type { ObjectStore } from './store.ts'

export async function* standingFindings(
  store: ObjectStore,
  { me, isAlive }: Pick<DoctorOptions, 'me' | 'isAlive'>,
): AsyncGenerator<Finding> {
  try {
    const { live } = await readLive(store)
    if (live === null) yield ok('live', 'nothing is live yet: `fundpress publish` makes it so')
    else {
      const manifest = await store.get(manifestIn(live.slot))
      manifest?.cancel()
      const says = `${live.snapshot} in ${live.slot}, since ${live.liveSince}`
      if (manifest === null) yield problem('live', `${says}, without its manifest: publish with --repair`)
      else yield ok('live', says)
    }
  } catch (error) {
    yield problem('live', reasonOf(error))
  }
  try {
    const standing = await readJournal(store)
    const { live } = await readLive(store)
    const torn = Object.keys(tornSlots(standing.journal, live))
    if (isHeldByOther(standing, me, isAlive)) yield warning('journal', heldMessage(store, standing))
    else if (torn.length > 0)
      yield warning(
        'journal',
        `${torn.join(' and ')} ${torn.length === 1 ? 'is' : 'are'} not whole after a publish: the next one puts it right, no rollback until then`,
      )
    else yield ok('journal', 'nobody publishes')
  } catch (error) {
    yield problem('journal', reasonOf(error))
  }
}
