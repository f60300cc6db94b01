/** nginx with files: the snapshot in a folder, or behind a symbolic link. Either may be replaced at any time. */

import { downloadKey } from '../../api/routes/pages.ts'
import { sharedErrorKey } from '../../api/routes/keys.ts'
import { problemType } from '../../api/routes/problems.ts'
import type { Route, RouteTable } from '../../api/routes/table.ts'
import type { EdgeSettings, StoredObject } from '../core/answer.ts'
import { njsEdge } from './handlers.ts'
import { isPageKey, largeFrom, sleep, smallTextOf, tagEnding } from './objects.ts'
import type { DirectSnapshot, NjsBody, NjsSnapshot } from './objects.ts'
import type { NjsModules, NjsRequest, NjsStat } from './types.ts'

export interface FilesConfig {
  /** Absolute. */
  readonly folder: string
  /** A file that every snapshot has and that differs between any two. */
  readonly markFile: string
  readonly ranges: readonly Route[]
  readonly settings: EdgeSettings
}

/** A snapshot in the folder at one moment. */
interface FolderLook {
  /** Without symbolic links, so the path stays if a link changes. */
  readonly folder: string
  /** Differs between any two snapshots of the folder. */
  readonly mark: string
  /** When the link was made, in milliseconds since 1970; 0 without one. */
  readonly liveSince: number
}

/** How long to wait while a snapshot is being replaced, in milliseconds. */
const waits = [1, 5, 20, 100]

/** @param makeTable is called once a request, unless that needs no table */
export function filesEdge(modules: NjsModules, config: FilesConfig, makeTable: () => RouteTable) {
  const { fs } = modules
  const markOf = (folder: string): string => {
    const { ino, size, mtimeMs } = fs.statSync(folder + '/' + config.markFile)
    return [folder, ino, size, mtimeMs].join(' ')
  }
  const look = (): FolderLook => {
    const folder = fs.realpathSync(config.folder)
    const link = fs.lstatSync(config.folder)
    const liveSince = link.isSymbolicLink() ? link.mtimeMs : 0
    return { folder, mark: markOf(folder), liveSince }
  }
  const lookPatiently = async (): Promise<FolderLook> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return look()
      } catch (error) {
        const wait = waits[attempt]
        if (wait === undefined) {
          const why = (error as Error).message
          throw new Error('no snapshot in ' + config.folder + ', or nginx may not read it: ' + why)
        }
        await sleep(wait)
      }
    }
  }
  const snapshotOf = ({ folder, mark, liveSince }: FolderLook, markNow: () => string): NjsSnapshot => {
    const table = withDocsUrl(makeTable(), (key) => fs.readFileSync(folder + '/' + key).toString())
    // The ETag and the date that nginx itself gives the file.
    const read = readFrom(modules, folder, table, (key, stat) => ({
      etag: etagOf(stat, tagEnding(key)),
      lastModified: dateOf(stat),
    }))
    const readKey = (key: string) => {
      const dated = datedKey(modules, folder, key)
      return read(dated, dated)
    }
    return {
      name: JSON.stringify({ folder, mark, liveSince }),
      liveSince,
      table,
      store: { get: (key) => Promise.resolve(readKey(key)), text: smallTextOf },
      isStillLive: () =>
        Promise.resolve()
          .then(() => markNow() === mark)
          .catch(() => false),
    }
  }
  const pin = async () => {
    const found = await lookPatiently()
    return snapshotOf(found, () => look().mark)
  }
  /** The link may lead elsewhere by now, so only the folder counts. */
  const resume = (_: NjsRequest, name: string) => {
    const found = JSON.parse(name) as FolderLook
    return snapshotOf(found, () => markOf(found.folder))
  }
  const pinDirect = (): DirectSnapshot => {
    const { folder, mark, liveSince } = look()
    return {
      root: folder + '/',
      lastModifiedOf: dateOf,
      liveSince,
      isStillLive: () => markOf(folder) === mark,
    }
  }
  return njsEdge(modules, { pin, pinDirect, resume }, config)
}

/**
 * Reads objects from files. Keys are made of checked values only (an ISIN, a known type, a year of the window list, the plain
 * names of a page's path): they stay in the folder.
 * @param describe the ETag and the date of an object
 * @returns a function of an object's key and its path below the folder; null if it is not there
 */
export function readFrom(
  modules: NjsModules,
  folder: string,
  table: RouteTable,
  describe: (key: string, stat: NjsStat, bytes: Buffer) => Omit<StoredObject<NjsBody>, 'body'>,
) {
  const { fs } = modules
  return (key: string, place: string): StoredObject<NjsBody> | null => {
    const path = folder + '/' + place
    const stat = njsStatOf(modules, path)
    if (stat?.isFile() !== true) return null
    if (stat.size >= largeFrom && isPageKey(table, key)) return largeFile(folder, place, stat)
    const bytes = fs.readFileSync(path)
    return Object.assign(describe(key, stat, bytes), { body: { kind: 'bytes' as const, bytes } })
  }
}

const nginxsOwnOfParts = ['ETag', 'Last-Modified']
const nginxsOwn = nginxsOwnOfParts.concat('Accept-Ranges')

/** nginx's ETag: the time at which a file was written, in seconds, and its length, both hexadecimal. */
const etagOf = ({ mtimeMs, size }: NjsStat, ending = '') =>
  '"' + Math.floor(mtimeMs / 1000).toString(16) + '-' + size.toString(16) + ending + '"'

const dateOf = ({ mtimeMs }: NjsStat) => new Date(mtimeMs).toUTCString()

/** nginx sends the file, or a part, under headers of its own. */
const largeFile = (folder: string, place: string, stat: NjsStat): StoredObject<NjsBody> => ({
  body: {
    kind: 'large',
    length: stat.size,
    send: (request, headers, range) => {
      Object.keys(headers).forEach((name) => {
        // nginx sends Accept-Ranges only with the whole file.
        if (!(range === null ? nginxsOwn : nginxsOwnOfParts).includes(name))
          request.headersOut[name] = headers[name]
      })
      request.variables['fundpress_folder'] = folder
      request.internalRedirect('/_fundpress/file/' + place)
    },
  },
  etag: etagOf(stat),
  lastModified: dateOf(stat),
})

/** `latest` is the newest day for which the snapshot has downloads. */
function datedKey(modules: NjsModules, folder: string, key: string): string {
  if (downloadKey('', key) === key) return key
  const downloads = folder + '/downloads'
  const names = njsStatOf(modules, downloads) === null ? [] : modules.fs.readdirSync(downloads)
  // A folder `latest` is for people who open the snapshot without a server.
  const days = names.filter((name) => name !== 'latest').sort()
  return downloadKey(days[days.length - 1] ?? 'none', key)
}

/** @returns null if nothing is there: the path of a page can continue below a file */
export function njsStatOf({ fs }: NjsModules, path: string): NjsStat | null {
  try {
    return fs.statSync(path)
  } catch (error) {
    const code = (error as { readonly code?: string }).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/**
 * The table with the address of the documentation, so that errors of the edge link where the snapshot's errors do. It reads the
 * address from one of those when it is first needed: most answers are no errors.
 */
function withDocsUrl(
  { routes, problems, pages, general }: RouteTable,
  read: (key: string) => string,
): RouteTable {
  let known: string | undefined
  const readDocsUrl = () => {
    const problem = problems.find(({ title }) => !title.includes('{'))
    if (problem === undefined) throw new Error('no error has a text that is the same for every request')
    const { type } = JSON.parse(read(sharedErrorKey(problem, 'json'))) as { readonly type: string }
    return type.slice(0, -problemType('', problem).length)
  }
  return {
    routes,
    problems,
    pages,
    general,
    get docsUrl() {
      known ??= readDocsUrl()
      return known
    },
  }
}
