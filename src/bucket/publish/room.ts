/** Whether the bucket has room for a publish: asked before it changes anything. */

import { inSlot } from '../live/layout.ts'
import { readNdjson } from '../manifest/ndjson.ts'
import type { Change } from '../manifest/compare.ts'
import { findDownloads } from './downloads.ts'
import type { Publish } from './options.ts'
import type { Prepared } from './prepare.ts'

/** @throws {Error} with what is free and what is needed */
export async function assertRoom(publish: Publish, prepared: Prepared): Promise<void> {
  await publish.store.assertRoom?.(putsOf(publish, prepared))
}

async function* putsOf(publish: Publish, { file }: Prepared) {
  for await (const change of readNdjson<Change>(file))
    if (change.kind === 'put') yield { key: inSlot(publish.base.slot, change.key), bytes: change.bytes }
  const { files, prefix } = await findDownloads(publish)
  for (const { key, bytes } of files) yield { key: prefix + key, bytes }
}
