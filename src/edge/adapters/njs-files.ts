/** nginx with files: the snapshot that a folder holds, or that a symbolic link leads to. Both may be exchanged any time. */

import { downloadKey } from '../../routes/pages.ts'
import { sharedErrorKey } from '../../routes/keys.ts'
import { problemType } from '../../routes/problems.ts'
import type { RouteTable } from '../../routes/table.ts'
import type { EdgeSettings, Store, StoredObject } from '../answer.ts'
import { bytesOf, type NjsBody, type SendLarge } from './njs-body.ts'
import { isPageKey, largeFrom, njsEdge, sleep, type NjsEdge, type NjsSnapshot } from './njs.ts'
import type { NjsFs, NjsModules, NjsRequest, NjsStat } from './njs-types.ts'

export interface FilesConfig {
  /** Absolute. */
  readonly folder: string
  /** A file that every snapshot has and that differs between any two. */
  readonly markFile: string
  readonly table: RouteTable
  readonly settings: EdgeSettings
}

/** A snapshot that was found. */
interface Look {
  /** Without symbolic links: whatever is swapped, this path stays. */
  readonly folder: string
  /** Tells it from any other that lay there. */
  readonly mark: string
  /** When the link was made, in milliseconds since 1970; 0 without one. */
  readonly liveSince: number
}

/** How long to wait for a snapshot that is just being exchanged, in milliseconds. */
const waits = [1, 5, 20, 100]

export function filesEdge(modules: NjsModules, config: FilesConfig): NjsEdge {
  const { fs, crypto } = modules
  const markOf = (folder: string): string => {
    const { ino, size, mtimeMs } = fs.statSync(folder + '/' + config.markFile)
    return [folder, ino, size, mtimeMs].join(' ')
  }
  const look = (): Look => {
    const folder = fs.realpathSync(config.folder)
    const link = fs.lstatSync(config.folder)
    const liveSince = link.isSymbolicLink() ? link.mtimeMs : 0
    return { folder, mark: markOf(folder), liveSince }
  }
  const lookPatiently = async (): Promise<Look> => {
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

  const snapshotOf = ({ folder, mark, liveSince }: Look, isThere: () => boolean): NjsSnapshot => {
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
  /** A link may lead elsewhere by now: what counts is what the folder holds. */
  const resume = (_: NjsRequest, name: string) => {
    const found = JSON.parse(name) as Look
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
    // After a swap back older files are live: a client's copy of the newer ones must not pass for one of these.
    const lastModified = httpDate(Math.max(stat.mtimeMs, liveSince))
    const bytes = fs.readFileSync(path)
    return {
      body: { kind: 'bytes', bytes },
      // The one that `serve` and S3 give the same object: 3 µs a kilobyte, which a range has no use for.
      get etag() {
        return '"' + md5(bytes) + '"'
      },
      lastModified,
    }
  }
  return {
    get: (key) => Promise.resolve(read(datedKey(fs, folder, key))),
    text: (body) => Promise.resolve(bytesOf(body).toString()),
  }
}

const nginxsOwnOfParts = ['ETag', 'Last-Modified']
const nginxsOwn = nginxsOwnOfParts.concat('Accept-Ranges')

const httpDate = (ms: number) => new Date(ms).toUTCString()

/**
 * nginx sends it, or the part that was asked for, under headers of its own: its ETag, made of when the file was
 * written, in seconds, and its length, both in hexadecimal digits, stands here too. Nothing of it is read here.
 */
function largeFile(folder: string, key: string, { mtimeMs, size }: NjsStat): StoredObject<NjsBody> {
  const send: SendLarge = (request, headers, range) => {
    Object.keys(headers).forEach((name) => {
      // Accept-Ranges nginx gives with the whole file only.
      if (!(range === null ? nginxsOwn : nginxsOwnOfParts).includes(name))
        request.headersOut[name] = headers[name]
    })
    request.variables['fundpress_folder'] = folder
    request.internalRedirect('/_fundpress/file/' + key)
  }
  const etag = '"' + Math.floor(mtimeMs / 1000).toString(16) + '-' + size.toString(16) + '"'
  return { body: { kind: 'large', length: size, send }, etag, lastModified: httpDate(mtimeMs) }
}

/** `latest` is the newest night that the snapshot has downloads of. */
function datedKey(fs: NjsFs, folder: string, key: string): string {
  if (downloadKey('', key) === key) return key
  const nights =
    statOf(fs, folder + '/downloads', 'any') === null ? [] : fs.readdirSync(folder + '/downloads')
  // A folder `latest` is for whoever opens the snapshot without a server.
  const days = nights.filter((night) => night !== 'latest').sort()
  return downloadKey(days[days.length - 1] ?? 'none', key)
}

/** @returns null where nothing lies, or what is no file: the path of a page can end at a folder, or go on below a file */
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
 * The table with the address that the snapshot's own errors link to: the errors that the edge writes link there too.
 * It is read from one of them, the first time that it is asked for: most answers are no errors.
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
