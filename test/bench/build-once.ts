/** One build in a process of its own, so that its peak memory is its own. Prints the figures as JSON. */

import { buildSnapshot } from '../../src/snapshot/build.ts'

const [db = '', out = '', asOf = '', jobs = '1', kind = 'none', path = ''] = process.argv.slice(2)
const summary = await buildSnapshot({
  db,
  out,
  asOf,
  jobs: Number(jobs),
  only: [],
  docsUrl: 'https://docs.example.com',
  baseUrl: 'https://api.example.com',
  since: kind === 'folder' || kind === 'manifest' ? { kind, path } : null,
  signal: new AbortController().signal,
})
const { documents, bytes, rendered, seconds } = summary
// Linux gives kibibytes and microseconds.
const { maxRSS: peakKib, userCPUTime, systemCPUTime } = process.resourceUsage()
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6
process.stdout.write(JSON.stringify({ documents, bytes, rendered, seconds, cpuSeconds, peakKib }))
