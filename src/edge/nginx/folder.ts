/** nginx with a bucket that is a folder of its machine: follows `live.json`, which it reads with each request. */

import { placeOf } from '../../api/routes/pages.ts'
import type { Route, RouteTable } from '../../api/routes/table.ts'
import type { EdgeSettings } from '../core/answer.ts'
import { idOf, lastModifiedOf } from '../core/live.ts'
import { parseLiveFile, type LiveSlot } from '../core/live-file.ts'
import { isStillStaged, stagedBeside } from '../core/preview.ts'
import { readFrom, njsStatOf } from './files.ts'
import { njsEdge } from './handlers.ts'
import { forParts, smallTextOf, type DirectSnapshot, type NjsSnapshot } from './objects.ts'
import type { NjsModules, NjsRequest } from './types.ts'

export interface FolderConfig {
  /** Absolute: keys are relative to it. */
  readonly folder: string
  readonly ranges: readonly Route[]
  readonly settings: EdgeSettings
  readonly previewToken: string | null
}

/** @param makeTable is called once a request, unless that needs no table. Its `docsUrl` is that of what is live */
export function folderEdge(
  modules: NjsModules,
  config: FolderConfig,
  makeTable: () => Omit<RouteTable, 'docsUrl'>,
) {
  const { folder } = config
  /** @returns null if there is no such file */
  const readText = (name: string): string | null => {
    const file = folder + '/' + name
    return njsStatOf(modules, file) === null ? null : modules.fs.readFileSync(file).toString()
  }
  const readStaged = () =>
    Promise.resolve().then(() => stagedBeside(readText('live.json'), readText('staged.json')))
  const look = (): LiveSlot => {
    let text: string
    try {
      text = modules.fs.readFileSync(folder + '/live.json').toString()
    } catch (error) {
      const why = (error as Error).message
      throw new Error('nothing is live in ' + folder + ', or nginx may not read it: ' + why)
    }
    return parseLiveFile(text, 'live.json')
  }
  const placed = (live: LiveSlot) => {
    const liveTable: RouteTable = Object.assign({}, makeTable(), { docsUrl: live.docsUrl })
    const liveSince = Date.parse(live.liveSince)
    const read = readFrom(modules, folder, liveTable, (_, { mtimeMs }, bytes) => ({
      // `serve` and S3 have the same ETag: the other slot has another file. It takes 3 µs a kilobyte, and a range does not need it.
      get etag() {
        return '"' + modules.crypto.createHash('md5').update(bytes).digest('hex') + '"'
      },
      lastModified: lastModifiedOf(mtimeMs, liveSince),
    }))
    const readKey = (key: string) => {
      const place = placeOf(live, key)
      return place === null ? null : read(key, place)
    }
    const get = (key: string) => Promise.resolve().then(() => readKey(key))
    return { table: liveTable, store: { get, text: smallTextOf } }
  }
  const stagedSnapshot = (staged: LiveSlot): NjsSnapshot =>
    Object.assign(placed(staged), {
      name: JSON.stringify({ staged: forParts(staged) }),
      staged,
      isStillLive: () => isStillStaged(staged, readStaged),
    })
  const snapshotOf = (live: LiveSlot): NjsSnapshot =>
    Object.assign(placed(live), {
      name: JSON.stringify({ live: forParts(live) }),
      isStillLive: () =>
        Promise.resolve()
          .then(() => idOf(look()) === idOf(live))
          .catch(() => false),
    })
  const pin = () => Promise.resolve().then(() => snapshotOf(look()))
  const pinStaged = async () => {
    const staged = await readStaged()
    return staged && stagedSnapshot(staged)
  }
  const resume = (_: NjsRequest, name: string) => {
    const seen = JSON.parse(name) as { readonly live: LiveSlot } | { readonly staged: LiveSlot }
    return 'staged' in seen ? stagedSnapshot(seen.staged) : snapshotOf(seen.live)
  }
  const pinDirect = (): DirectSnapshot => {
    const live = look()
    const liveSince = Date.parse(live.liveSince)
    return {
      root: [folder, live.slot, ''].join('/'),
      lastModifiedOf: ({ mtimeMs }) => lastModifiedOf(mtimeMs, liveSince),
      isStillLive: () => idOf(look()) === idOf(live),
    }
  }
  return njsEdge(modules, { pin, pinStaged, pinDirect, resume }, config)
}
