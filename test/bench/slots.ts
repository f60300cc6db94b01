/**
 * What a night puts into a bucket with 2, 3 and 7 slots (`bucket.slots`), and what the bucket stores then: the slot that a
 * night writes to lacks as many nights. Each night brings one new price a fund. The bucket is a folder: no store is timed.
 *
 * Options: --funds 10 --years 3
 */

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addDays } from '../../src/core/system/days.ts'
import { mustRun } from '../support/product.ts'
import { bench, type Measures } from './bench.ts'

const options = { funds: { type: 'string', default: '10' }, years: { type: 'string', default: '3' } } as const

const counts = [2, 3, 7]
/** Each slot of the largest bucket is filled, and written to once more. */
const nights = 15
const last = '2026-11-20'

export const run = bench(options, async (folder, { funds, years }) => {
  const size = ['--funds', funds, '--years', years]
  const outs: string[] = []
  for (let night = 1; night <= nights; night++) {
    const day = addDays(last, night - nights)
    const db = join(folder, `${night}.sqlite`)
    const out = join(folder, `night-${night}`)
    await mustRun(['init', '--demo', '--db', db, ...size, '--until', day, '--quiet'])
    await mustRun(['build', '--db', db, '--out', out, '--as-of', day, '--no-downloads', '--quiet'])
    outs.push(out)
  }
  const rows: Record<string, Measures> = {}
  for (const slots of counts) {
    const bucket = join(folder, `bucket-${slots}`)
    mkdirSync(bucket)
    const config = join(folder, `${slots}.json`)
    writeFileSync(config, JSON.stringify({ bucket: { name: `file://${bucket}`, slots, graceSeconds: 0 } }))
    const puts: number[] = []
    for (const out of outs) {
      const summary = await mustRun([
        'publish',
        '--config',
        config,
        '--out',
        out,
        '--json',
        '--force',
        '--reason',
        'a benchmark',
      ])
      puts.push((JSON.parse(summary) as { readonly put: number }).put)
    }
    rows[`${slots} slots`] = { 'objects put': puts.slice(-7), 'MB stored': bytesIn(bucket) / 1e6 }
  }
  return [
    {
      name: 'a night with more slots',
      about: `${funds} funds, ${years} years; medians of 7 nights, with pages, without downloads`,
      rows,
      ratios: {
        'puts of two slots': { by: 'objects put', of: '2 slots' },
        'storage of two slots': { by: 'MB stored', of: '2 slots' },
      },
    },
  ]
})

const bytesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  )
