/** nginx with a bucket that is a folder of its machine: follows `live.json`, which it reads with each request. */

import { placeOf } from '../../api/routes/pages.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { EdgeSettings } from '../core/answer.ts'
import { idOf, parseLiveSlot, type LiveSlot } from '../core/live.ts'
import { readFrom } from './files.ts'
import { njsEdge } from './handlers.ts'
import { smallTextOf, type NjsSnapshot } from './objects.ts'
import type { NjsModules, NjsRequest } from './types.ts'

export interface FolderConfig {
  /** Absolute: keys are relative to it. */
  readonly folder: string
  /** Its `docsUrl` is that of what is live. */
  readonly table: Omit<RouteTable, 'docsUrl'>
  readonly settings: EdgeSettings
}

export function folderEdge(modules: NjsModules, { folder, table, settings }: FolderConfig) {
  const look = (): LiveSlot => {
    let text: string
    try {
      text = modules.fs.readFileSync(folder + '/live.json').toString()
    } catch (error) {
      const why = (error as Error).message
      throw new Error('nothing is live in ' + folder + ', or nginx may not read it: ' + why)
    }
    return parseLiveSlot(text)
  }
  const snapshotOf = (live: LiveSlot): NjsSnapshot => {
    const liveTable: RouteTable = Object.assign({}, table, { docsUrl: live.docsUrl })
    const read = readFrom(modules, folder, liveTable, Date.parse(live.liveSince))
    const readKey = (key: string) => {
      const place = placeOf(live, key)
      return place === null ? null : read(key, place)
    }
    return {
      // This is a header of each part of a range. A range needs no downloads, and their folders would fill it.
      name: JSON.stringify(Object.assign({}, live, { earlierDownloads: undefined })),
      table: liveTable,
      store: { get: (key) => Promise.resolve(readKey(key)), text: smallTextOf },
      isStillLive: () =>
        Promise.resolve()
          .then(() => idOf(look()) === idOf(live))
          .catch(() => false),
    }
  }
  const pin = () => Promise.resolve().then(() => snapshotOf(look()))
  const resume = (_: NjsRequest, name: string) => snapshotOf(JSON.parse(name) as LiveSlot)
  return njsEdge(modules, { pin, resume }, settings)
}
