/** The history in the bucket: read, and written on the condition that nobody else has in between. */

import { smallObject } from '../publish/live.ts'
import { readSmall } from '../publish/manifest-reader.ts'
import { ConditionFailed, type Condition, type ObjectStore } from '../publish/store.ts'
import type { NightFigures } from './figures.ts'
import { historyKey, readHistory, withNight } from './history.ts'

export async function fetchHistory(store: ObjectStore): Promise<readonly NightFigures[]> {
  return readHistory((await readSmall(store, historyKey))?.text ?? '')
}

const maxAttempts = 5

/**
 * @param isLocking false for a store without conditional writes: of two nights at the same moment one is forgotten then
 * @returns all nights that are kept, this one included
 */
export async function keepNight(
  store: ObjectStore,
  night: NightFigures,
  isLocking: boolean,
): Promise<readonly NightFigures[]> {
  for (let attempt = 1; ; attempt++) {
    const standing = await readSmall(store, historyKey)
    const history = withNight(readHistory(standing?.text ?? ''), night)
    const condition: Condition = standing === null ? { ifAbsent: true } : { ifMatch: standing.etag }
    try {
      await store.put(smallObject(historyKey, history), isLocking ? condition : undefined)
      return history.nights
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === maxAttempts) throw error
    }
  }
}
