/** nginx with files: the snapshot in a folder, or behind a symbolic link. Either may be replaced at any time. */

import { downloadKey } from '../../api/routes/pages.ts'
import { sharedErrorKey } from '../../api/routes/keys.ts'
import { problemType } from '../../api/routes/problems.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { EdgeSettings, Store, StoredObject } from '../core/answer.ts'
import { lastModifiedOf } from '../core/live.ts'
import { njsEdge, type NjsEdge } from './handlers.ts'
import {
  smallBytesOf,
  isPageKey,
  largeFrom,
  sleep,
  type NjsBody,
  type NjsSnapshot,
  type SendLarge,
} from './objects.ts'
import type { NjsFs, NjsModules, NjsRequest, NjsStat } from './types.ts'

export interface FilesConfig {
  /** Absolute. */
  readonly folder: string
  /** A file that every snapshot has and that differs between any two. */
  readonly markFile: string
  readonly table: RouteTable
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

export function filesEdge(modules: NjsModules, config: FilesConfig): NjsEdge {
  const { fs, crypto } = modules
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
  const isTrue = (check: () => boolean): boolean => {
    try {
      return check()
    } catch (_) {
      return false
    }
  }
  const md5 = (bytes: Buffer) => crypto.createHash('md5').update(bytes).digest('hex')

  const snapshotOf = ({ folder, mark, liveSince }: FolderLook, isThere: () => boolean): NjsSnapshot => {
    const table = withDocsUrl(config.table, fs, folder)
    const store = fileStore({
      fs,
      md5,
      folder,
      liveSince,
      isLarge: (key, size) => size >= largeFrom && isPageKey(table, key),
    })
    const isStillLive = () => Promise.resolve(isTrue(isThere))
    return { name: JSON.stringify({ folder, mark, liveSince }), table, store, isStillLive }
  }
  const pin = async () => {
    const found = await lookPatiently()
    return snapshotOf(found, () => look().mark === found.mark)
  }
  /** The link may lead elsewhere by now, so only the folder counts. */
  const resume = (_: NjsRequest, name: string) => {
    const found = JSON.parse(name) as FolderLook
    return snapshotOf(found, () => markOf(found.folder) === found.mark)
  }
  return njsEdge(modules, { pin, resume }, config.settings)
}

interface FileStoreOptions {
  readonly fs: NjsFs
  readonly md5: (bytes: Buffer) => string
  readonly folder: string
  readonly liveSince: number
  readonly isLarge: (key: string, size: number) => boolean
}

function fileStore({ fs, md5, folder, liveSince, isLarge }: FileStoreOptions): Store<NjsBody> {
  // Keys are made of checked values only (an ISIN, a known type, a year of the window list, the plain names of a
  // page's path): they stay in the folder.
  const read = (key: string): StoredObject<NjsBody> | null => {
    const path = folder + '/' + key
    const stat = statOf(fs, path)
    if (stat === null) return null
    if (isLarge(key, stat.size)) return largeFile(folder, key, stat)
    const lastModified = lastModifiedOf(stat.mtimeMs, liveSince)
    const bytes = fs.readFileSync(path)
    return {
      body: { kind: 'bytes', bytes },
      // `serve` and S3 have the same ETag. It takes 3 µs a kilobyte, and a range does not need it.
      get etag() {
        return '"' + md5(bytes) + '"'
      },
      lastModified,
    }
  }
  return {
    get: (key) => Promise.resolve(read(datedKey(fs, folder, key))),
    text: (body) => Promise.resolve(smallBytesOf(body).toString()),
  }
}

const nginxsOwnOfParts = ['ETag', 'Last-Modified']
const nginxsOwn = nginxsOwnOfParts.concat('Accept-Ranges')

/**
 * nginx sends the file, or a part, under headers of its own. The ETag here is nginx's: the time at which the file was written, in
 * seconds, and its length, both hexadecimal.
 */
function largeFile(folder: string, key: string, { mtimeMs, size }: NjsStat): StoredObject<NjsBody> {
  const send: SendLarge = (request, headers, range) => {
    Object.keys(headers).forEach((name) => {
      // nginx sends Accept-Ranges only with the whole file.
      if (!(range === null ? nginxsOwn : nginxsOwnOfParts).includes(name))
        request.headersOut[name] = headers[name]
    })
    request.variables['fundpress_folder'] = folder
    request.internalRedirect('/_fundpress/file/' + key)
  }
  const etag = '"' + Math.floor(mtimeMs / 1000).toString(16) + '-' + size.toString(16) + '"'
  return { body: { kind: 'large', length: size, send }, etag, lastModified: lastModifiedOf(mtimeMs, 0) }
}

/** `latest` is the newest day for which the snapshot has downloads. */
function datedKey(fs: NjsFs, folder: string, key: string): string {
  if (downloadKey('', key) === key) return key
  const names = statOf(fs, folder + '/downloads', 'any') === null ? [] : fs.readdirSync(folder + '/downloads')
  // A folder `latest` is for people who open the snapshot without a server.
  const days = names.filter((name) => name !== 'latest').sort()
  return downloadKey(days[days.length - 1] ?? 'none', key)
}

/** @returns null if there is no file: the path of a page can end at a folder, or continue below a file */
function statOf(fs: NjsFs, path: string, kind: 'file' | 'any' = 'file'): NjsStat | null {
  try {
    const stat = fs.statSync(path)
    return kind === 'any' || stat.isFile() ? stat : null
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
function withDocsUrl(table: RouteTable, fs: NjsFs, folder: string): RouteTable {
  let known: string | undefined
  const read = () => {
    const problem = table.problems.find(({ title }) => !title.includes('{'))
    if (problem === undefined) throw new Error('no error has a text that is the same for every request')
    const bytes = fs.readFileSync(folder + '/' + sharedErrorKey(problem, 'json'))
    const { type } = JSON.parse(bytes.toString()) as { readonly type: string }
    return type.slice(0, -problemType('', problem).length)
  }
  const { routes, problems, pages, general } = table
  return {
    routes,
    problems,
    pages,
    general,
    get docsUrl() {
      known ??= read()
      return known
    },
  }
}
