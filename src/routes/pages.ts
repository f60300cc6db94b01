/**
 * Pages and files that are given out as they lie there: documentation, catalogue, downloads. Pure; see table.ts for
 * what may be used here.
 */

import type { RouteTable } from './table.ts'

/**
 * - `page`: the key of the file. A path that ends with a slash means the `index.html` there.
 * - `open`: a folder without its closing slash.
 * - `none`: no page has such a path.
 */
export type PageMatch =
  { readonly kind: 'page'; readonly key: string } | { readonly kind: 'open' } | { readonly kind: 'none' }

/** The JSON answers as one file, among the downloads of a night. */
export const documentsName = 'documents.zip'

/** Plain names only: nothing to decode, nothing hidden, no way up. */
const pagePath = /^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+\/?$/

/** @param path as it was sent, still percent-encoded */
export function matchPage(table: RouteTable, path: string): PageMatch {
  const segments = path.split('/')
  if (!pagePath.test(path) || table.pages.indexOf(segments[1] as string) < 0) return { kind: 'none' }
  const name = segments[segments.length - 1] as string
  if (name === '') return { kind: 'page', key: path.slice(1) + 'index.html' }
  // The checksums of downloads are the one file whose name has no ending.
  const isFile = name.indexOf('.') >= 0 || name === 'SHA256SUMS'
  return isFile ? { kind: 'page', key: path.slice(1) } : { kind: 'open' }
}

/**
 * Where an object of the live snapshot lies in a bucket: in its slot; downloads lie beside the slots, in a folder a
 * night. Source: keys.md.
 * @param snapshot its id, which begins with its as-of date
 */
export function placeOf(slot: string, snapshot: string, key: string): string {
  return isDownload(key) ? downloadKey(snapshot, key) : slot + '/' + key
}

/** The key of a download of this snapshot's night, where `latest` was asked for. */
export function downloadKey(snapshot: string, key: string): string {
  return key.replace(/^downloads\/latest\//, 'downloads/' + snapshot.slice(0, 10) + '/')
}

const isDownload = (key: string) => key.slice(0, 10) === 'downloads/'
