/** The place beside `live.json` that the settings name, if they name one. */

import type { LivePointer } from '../publish/live-pointer.ts'
import type { Session } from './session.ts'

export async function livePointer({
  settings,
  signal,
}: Pick<Session, 'settings' | 'signal'>): Promise<LivePointer | null> {
  const { keyValueStore: arn } = settings.edge
  if (arn === null) return null
  // Loaded here, so that nobody else starts with the SDK.
  const { keyValueStore } = await import('../publish/key-value-store.ts')
  return keyValueStore(arn, { signal })
}
