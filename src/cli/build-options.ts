/** What the settings say of a build. Apart from `commands/build.ts`, because `nightly` needs only this if it has nothing to do. */

import type { BuildOptions } from '../build/build.ts'
import type { Session } from './command.ts'
import { freshnessRules } from './freshness.ts'
import { required } from './options.ts'

/** @throws {UsageError} if the settings are wrong */
export async function buildOptions(session: Session): Promise<Omit<BuildOptions, 'asOf' | 'only'>> {
  const { docsUrl, baseUrl, pages, quickCheck: hasQuickCheck } = session.settings
  const options = { ...(await mergeOptions(session)), docsUrl, baseUrl, hasQuickCheck }
  return pages ? options : { ...options, pages: null }
}

/** The same without what the shards of a snapshot say themselves. */
export async function mergeOptions({ settings, signal }: Session) {
  const { out, jobs, licence, freshness, rawCsv: isRawCsv } = settings
  const db = required(settings.db, 'db')
  // A wrong calendar is an error before anything is read.
  await freshnessRules(settings)
  const { name, url } = licence
  const downloads = settings.downloads ? { licence: name === null ? null : { name, url }, isRawCsv } : null
  return { db, out, jobs, downloads, freshness, signal } as const
}
