/** The settings that decide the bytes of a snapshot beside its database and its date, as a digest. */

import { versions } from 'node:process'
import { defaultFreshness } from '../freshness/rules.ts'
import type { BuildOptions } from './build.ts'
import { codeDigest } from './code-digest.ts'
import { fromOf } from './inputs.ts'

type Deciding = Pick<BuildOptions, 'docsUrl' | 'baseUrl' | 'pages' | 'downloads' | 'freshness' | 'code'>

/** Of the same database and day, with the same digest, a build makes the same files: all of them, downloads included. */
export function settingsDigest(options: Deciding): string {
  const { docsUrl, baseUrl, pages, downloads = null } = options
  // Another zlib packs the documents of the downloads to other bytes.
  const packer = downloads === null ? [] : [versions.zlib]
  const others = JSON.stringify([baseUrl, pages !== null, downloads, decisive(options), ...packer])
  return fromOf('settings', options.code ?? codeDigest(), docsUrl, others)
}

/** Of what decides which prices are marked as late or stale. */
export const freshnessDigest = (options: Pick<BuildOptions, 'freshness'>): string =>
  fromOf('freshness', JSON.stringify(decisive(options)))

/** How many funds may be stale is asked by a publish: it changes no file. */
const decisive = ({ freshness = defaultFreshness }: Pick<BuildOptions, 'freshness'>) => ({
  ...freshness,
  maxStaleShare: null,
})
