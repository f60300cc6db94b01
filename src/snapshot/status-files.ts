/**
 * The files of `/status/`. They name the snapshot, whose id is made of its objects: so they are none of these, but lie
 * beside them, and the manifest's first line has their digests.
 */

import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fundPageKeys } from '../catalogue/fund-page-keys.ts'
import type { Assessment } from '../freshness/assess.ts'
import { statusJson } from '../freshness/status-document.ts'
import {
  statusDocumentKey,
  statusPage,
  statusPageKeys,
  statusScriptKey,
  statusStyleKey,
  type StatusSite,
} from '../freshness/status-page.ts'
import { pageTemplate } from '../pages/assets.ts'
import { contentTypeOf } from '../routes/content-types.ts'
import type { ManifestHead, ManifestLine } from './manifest.ts'

export interface StatusOptions {
  /** The snapshot's folder. */
  readonly root: string
  readonly assessment: Assessment
  /** Whether the snapshot has other pages. */
  readonly hasPages: boolean
  readonly hasDownloads: boolean
  readonly head: Pick<ManifestHead, 'snapshot' | 'asOf' | 'funds' | 'objects' | 'bytes'>
}

/** So many stale funds are named where a publish is refused. */
const namedFunds = 10

/** @returns what the manifest's first line says of the funds and the files */
export function writeStatusFiles(
  options: StatusOptions,
): Required<Pick<ManifestHead, 'freshness' | 'files'>> {
  const { root, assessment, hasPages, hasDownloads, head } = options
  const { snapshot, asOf, funds, objects: documents, bytes } = head
  const source = { snapshot, asOf, funds, documents, bytes, assessment }
  const { counts, overdue } = assessment
  const stale = overdue.filter(({ mark }) => mark === 'stale').slice(0, namedFunds)
  const site: StatusSite | null = hasPages ? { fundPageKeys, hasDownloads } : null
  const texts: readonly (readonly [key: string, text: string])[] = [
    [statusPageKeys.de, statusPage(source, 'de', site)],
    [statusPageKeys.en, statusPage(source, 'en', site)],
    [statusDocumentKey, statusJson(source)],
    [statusStyleKey, styleOf(hasPages)],
    [statusScriptKey, pageTemplate('status/status.js')],
  ]
  const files = texts.map(([key, text]) => write(root, key, text))
  const stalest = stale.map(({ isin, newestPrice }) => ({ isin, newestPrice }))
  return { freshness: { ...counts, stalest }, files }
}

/** Without other pages there is no style sheet that they share: then the page brings it along. */
function styleOf(hasPages: boolean): string {
  const own = pageTemplate('status/status.css')
  return hasPages ? own : `${pageTemplate('pages/style.css')}\n${own}`
}

function write(root: string, key: string, text: string): ManifestLine {
  const place = join(root, key)
  const content = Buffer.from(text)
  mkdirSync(dirname(place), { recursive: true })
  // Never into a file that is there: it could be the previous snapshot's, under a second name.
  writeFileSync(place, content, { flag: 'wx' })
  return { key, sha256: hash('sha256', content, 'hex'), bytes: content.length, type: contentTypeOf(key) }
}
