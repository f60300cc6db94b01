/** One build in a process of its own, so that its peak memory is its own. Prints the figures as JSON. */

import { buildSnapshot } from '../../src/snapshot/build.ts'

const [db = '', out = '', asOf = '', jobs = '1'] = process.argv.slice(2)
const summary = await buildSnapshot({
  db,
  out,
  asOf,
  jobs: Number(jobs),
  only: [],
  docsUrl: 'https://docs.example.com',
  signal: new AbortController().signal,
})
const { documents, bytes, seconds } = summary
// Linux gives kibibytes.
const peakKib = process.resourceUsage().maxRSS
process.stdout.write(JSON.stringify({ documents, bytes, seconds, peakKib }))
