/** Pages and files that the edge serves as they are. Pure; see table.ts for limits of this code. */

import type { Language, RouteTable } from './table.ts'
import { isDay, isIsinInEitherCase } from './values.ts'

/**
 * - `page`: the key of the file. A path that ends with a slash means the `index.html` there.
 * - `moved`: the new path, or path and query. A folder without its closing slash moves to the path with it.
 * - `none`: no page has such a path.
 */
export type PageMatch =
  | { readonly kind: 'page'; readonly key: string }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'none' }

/** Addresses that readers try, and the pages for them. */
const moved: Readonly<Record<string, string>> = {
  '/docs/v1/': '/docs/',
  '/docs/v1/endpoints/': '/docs/',
  '/downloads/': '/downloads/latest/',
  '/downloads/index.json': '/changes/downloads.json',
  '/favicon.ico': '/docs/assets/icon.svg',
  '/apple-touch-icon.png': '/docs/assets/icon.png',
}

const wellKnown: Readonly<Record<string, string>> = {
  '/.well-known/security.txt': 'security.txt',
  '/.well-known/fundpress-signing-key': 'signing-key.txt',
}

/** Only the list of funds knows whose WKN it is. */
const wknPath = /^\/wkn\/([A-Za-z0-9]{6})\/?$/

/** The key of a page in one language: `compare/de.html`. @param folder empty, or with its closing slash */
export const pageKey = (folder: string, language: Language): string =>
  folder + (language === 'de' ? 'de' : 'index') + '.html'

/** Plain names only: nothing to decode, nothing hidden, no way up. */
const pagePath = /^(\/[\w-][\w.-]*)+\/?$/

/** @param path as it was sent, still percent-encoded */
export function matchPage(table: Pick<RouteTable, 'pages'>, path: string): PageMatch {
  // The one hidden folder that readers know. Source: RFC 9116, section 3.
  const known = wellKnown[path]
  if (known) return { kind: 'page', key: known }
  if (!pagePath.test(path)) return { kind: 'none' }
  const to = moved[path]
  if (to) return { kind: 'moved', to }
  const wkn = wknPath.exec(path)
  if (wkn) return { kind: 'moved', to: '/funds/?q=' + (wkn[1] as string) }
  const segments = path.split('/')
  if (table.pages.indexOf(segments[1] as string) < 0) return { kind: 'none' }
  const isin = segments[2] || ''
  if (isIsinInEitherCase(isin) && isin !== isin.toUpperCase())
    return { kind: 'moved', to: path.replace(isin, isin.toUpperCase()) }
  const name = segments.pop() as string
  if (name === '') return { kind: 'page', key: path.slice(1) + 'index.html' }
  // The checksums of downloads are the only file without an ending.
  const isFile = /\.|^SHA256SUMS$/.test(name)
  return isFile ? { kind: 'page', key: path.slice(1) } : { kind: 'moved', to: path + '/' }
}

/** Places in a bucket, from `live.json`. Source: src/core/bucket/keys.md. */
export interface Placed {
  readonly slot: string
  /** Begins with its as-of date. */
  readonly snapshot: string
  /** Absent if the live snapshot has no downloads. */
  readonly downloads?: { readonly folder: string } | undefined
  /**
   * Folders of the days before, by month: `{ "2026-11": "19-3f9c2ab4d1e0 18-…" }` means the folders
   * `2026-11-19-3f9c2ab4d1e0` and so on. Few long texts, since an edge parses them with each `live.json`. Absent of a snapshot
   * that is served by its id.
   */
  readonly earlierDownloads?: Readonly<Record<string, string>> | undefined
}

/**
 * The place of an object of the live snapshot in a bucket: in its slot. Downloads lie beside the slots, in folders that
 * only `live.json` makes reachable: uploads are hidden until the flip of a publish. @returns null if `live.json` names
 * no such object
 */
export function placeOf(live: Placed, key: string): string | null {
  const asked = downloadsOf(key)
  if (asked === null) return live.slot + '/' + key
  const folder = folderOf(live, asked)
  return folder && 'downloads/' + folder + key.slice(10 + asked.length)
}

/** The day in a download's key: `latest`, a day, or any other text. */
export const downloadsOf = (key: string): string | null =>
  key.slice(0, 10) === 'downloads/' ? (key.split('/')[1] as string) : null

function folderOf({ snapshot, downloads, earlierDownloads }: Placed, asked: string): string | null {
  const asOf = snapshot.slice(0, 10)
  const day = asked === 'latest' ? asOf : asked
  // After a rollback a later day is no longer published.
  if (!isDay(day) || day > asOf) return null
  if (day === asOf) return downloads ? downloads.folder : null
  return folderOfDay((earlierDownloads && earlierDownloads[day.slice(0, 7)]) || '', day)
}

/** @param month as in `earlierDownloads` @returns null if it names no folder of the day */
export function folderOfDay(month: string, day: string): string | null {
  const rest = (' ' + month).split(' ' + day.slice(8))[1]
  return rest ? day + (rest.split(' ')[0] as string) : null
}

/** The key of a download of a snapshot instead of `latest`. */
export function downloadKey(snapshot: string, key: string): string {
  return key.replace(/^downloads\/latest\//, 'downloads/' + snapshot.slice(0, 10) + '/')
}
