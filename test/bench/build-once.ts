/**
 * One build, or one merge, in a process of its own, so that its peak memory is its own. Takes options of the build as
 * JSON, prints the figures as JSON.
 */

import { buildSnapshot, type BuildOptions } from '../../src/snapshot/build.ts'
import { mergeShards } from '../../src/snapshot/merge.ts'

/** What a run says beside the addresses, which are the same for all. */
export interface Once extends Pick<BuildOptions, 'db' | 'out' | 'jobs' | 'part' | 'since'> {
  readonly asOf: string
  readonly hasPages: boolean
  /** Whether the files for analysts are made, too. */
  readonly hasDownloads: boolean
  /** Folders of shards: then it is a merge of them. */
  readonly shards?: readonly string[]
}

export interface Built {
  readonly documents: number
  readonly bytes: number
  readonly rendered: number
  readonly seconds: number
  /** Of all threads together. */
  readonly cpuSeconds: number
  /** Of the whole process, all threads, in kibibytes. */
  readonly peakKib: number
}

const { hasPages, hasDownloads, shards, ...options } = JSON.parse(process.argv[2] ?? '{}') as Once
const { signal } = new AbortController()
const pages = hasPages ? {} : { pages: null }
const downloads = hasDownloads ? { licence: null } : null
const addresses = { docsUrl: 'https://docs.example.com', baseUrl: 'https://api.example.com' }
const summary =
  shards === undefined
    ? await buildSnapshot({ ...options, ...addresses, ...pages, downloads, only: [], signal })
    : await mergeShards({ db: options.db, out: options.out, jobs: options.jobs, downloads, shards, signal })
const { documents, bytes, rendered, seconds } = summary
// Linux gives kibibytes and microseconds.
const { maxRSS: peakKib, userCPUTime, systemCPUTime } = process.resourceUsage()
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6
const built: Built = { documents, bytes, rendered, seconds, cpuSeconds, peakKib }
process.stdout.write(JSON.stringify(built))
