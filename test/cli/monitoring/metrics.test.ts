/** The figures of a nightly run and of status in a file, as Prometheus' own parser reads it. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  asOf,
  db,
  eventsOf,
  fileOf,
  nightly,
  nightlyOf,
  press,
  read,
  stepsOf,
  useNights,
  wholeNight,
} from '../../bucket/nightly/nightly.ts'
import { editDatabase } from '../../support/database.ts'
import { repository } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { serveHere } from '../../support/serve-here.ts'
import { holdBack } from '../../support/two-nights.ts'
import { prometheus, readTextfiles, valuesOf } from './figures.ts'

useNights(1)
beforeEach(() => {
  for (const name of ['night.prom', 'status.prom', 'fundpress.config.json'])
    rmSync(fileOf(name), { force: true })
})

/** Those of the table in `src/extensions/tell/metrics.md`. */
const figuresListed = readFileSync(join(repository, 'src/extensions/tell/metrics.md'), 'utf8')
  .split('\n')
  .flatMap((line) => /^\| `(fundpress_\w+)`/.exec(line)?.[1] ?? [])
const textfile = (...names: readonly string[]) => readTextfiles(...names.map(fileOf))
const inSeconds = (time: unknown) => Date.parse(String(time)) / 1000
const nothing = { done: 0, skipped: 0, failed: 0, refused: 0 }

describe.skipIf(isMissing(prometheus !== undefined))('the textfile', () => {
  it('has the figures of the log, of the bucket and of live.json, all as gauges', async () => {
    const run = await nightly('--json --metrics night.prom')
    expect({ code: run.code, stderr: run.stderr, steps: stepsOf(run) }).toEqual({
      code: 0,
      stderr: '',
      steps: wholeNight,
    })
    const families = textfile('night.prom')
    const value = (name: string) => valuesOf(families, `fundpress_${name}`)
    const done = new Map(eventsOf(run).map((line) => [`${line.step} ${line.event}`, line]))
    const night = done.get('night done')
    const publish = done.get('publish done')
    expect(value('nightly_result')).toEqual({ ...nothing, done: 1 })
    expect(value('nightly_duration_seconds')).toBe(night?.['seconds'])
    const steps = ['build', 'publish', 'verify', 'status']
    const durations = steps.map((step) => [step, done.get(`${step} done`)?.['seconds']])
    expect(value('nightly_step_duration_seconds')).toEqual(Object.fromEntries(durations))
    for (const [, seconds] of durations) expect(seconds).toBeGreaterThan(0)
    expect(value('nightly_objects')).toEqual({ put: publish?.['put'], deleted: 0 })
    expect(value('nightly_put_size_bytes')).toBe(publish?.['bytes'])
    expect(value('nightly_requests')).toEqual(publish?.['requests'])
    expect(value('nightly_cost_dollars')).toBe(night?.['cost'])
    expect(value('nightly_documents_changed')).toBe(night?.['changed'])
    expect(value('nightly_warnings')).toBe(0)
    expect(value('nightly_funds_withheld')).toBe(0)
    expect(families['fundpress_nightly_objections']).toBeUndefined()
    const { liveSince, freshness } = JSON.parse(press.bucket.body('live.json').toString()) as Record<
      string,
      unknown
    >
    expect(value('live_since_timestamp_seconds')).toBe(inSeconds(liveSince))
    expect(value('live_as_of_timestamp_seconds')).toBe(inSeconds(asOf))
    expect(value('live_funds')).toBe(1)
    expect(value('live_documents')).toBe(night?.['documents'])
    expect(value('live_size_bytes')).toBe(night?.['bytes'])
    expect(value('live_prices')).toEqual(freshness)
    expect(value('live_age_seconds')).toBeGreaterThanOrEqual(0)
    expect(value('live_age_seconds')).toBeLessThan(3600)
    expect(value('nightly_end_timestamp_seconds')).toBeGreaterThanOrEqual(inSeconds(liveSince))
    for (const [name, { type, help, samples }] of Object.entries(families)) {
      expect({ name, type, hasHelp: help !== '' }).toEqual({ name, type: 'gauge', hasHelp: true })
      for (const { labels } of samples) expect(labels['bucket']).toBe('funds')
    }
    // The store got the requests of the publish, and those of the other steps.
    const counts = press.server.counts()
    for (const [operation, count] of Object.entries(publish?.['requests'] as Record<string, number>))
      expect(counts[operation]).toBeGreaterThanOrEqual(count)
  })

  it('says after a refused, a failed and a skipped run what is known: the live snapshot, too', async () => {
    await nightlyOf('2026-11-12')
    const since = inSeconds(
      (JSON.parse(press.bucket.body('live.json').toString()) as { liveSince: string }).liveSince,
    )
    const results = async (run: Promise<unknown>) => {
      await run
      const families = textfile('night.prom')
      expect(valuesOf(families, 'fundpress_live_since_timestamp_seconds')).toBe(since)
      expect(families['fundpress_nightly_objects']).toBeUndefined()
      return { families, result: valuesOf(families, 'fundpress_nightly_result') }
    }
    const refused = await results(nightly('--metrics night.prom'))
    expect(refused.result).toEqual({ ...nothing, refused: 1 })
    expect(valuesOf(refused.families, 'fundpress_nightly_objections')).toEqual({ 'older refused': 1 })
    const failed = await results(press.fundpress('nightly --db none.sqlite --metrics night.prom'))
    expect(failed.result).toEqual({ ...nothing, failed: 1 })
    const skipped = await results(nightlyOf('2026-11-12', '--metrics night.prom'))
    expect(skipped.result).toEqual({ ...nothing, skipped: 1 })
    // A config without a bucket is a failed night, too, and the bucket that does not answer is a warning.
    await press.bare('nightly --db funds.sqlite --metrics night.prom')
    expect(valuesOf(textfile('night.prom'), 'fundpress_nightly_result')).toMatchObject({ failed: 1 })
    press.server.settings.deny = [{ operation: /./ }]
    const denied = await nightly('--metrics night.prom')
    expect({ code: denied.code, stderr: denied.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('metrics: what is live is not known: '),
    })
    expect(Object.keys(textfile('night.prom')).filter((name) => name.includes('live'))).toEqual([])
  })

  it('counts what an operator has allowed, and steps of a night that failed in one', async () => {
    await nightlyOf('2026-11-12')
    await nightly('--metrics night.prom --force --reason test')
    const allowed = textfile('night.prom')
    expect(valuesOf(allowed, 'fundpress_nightly_objections')).toEqual({ 'older allowed': 1 })
    expect(valuesOf(allowed, 'fundpress_nightly_warnings')).toBe(1)
    editDatabase(db(), `UPDATE profile SET benchmark = 'x'`)
    const damage = () => {
      for (const key of press.bucket.keys(`${press.bucket.live()?.slot}/api`))
        press.bucket.put(key, 'damaged')
    }
    press.server.faults([holdBack(/^live\.json$/, damage, { when: 'after' })])
    expect((await nightly('--metrics night.prom')).code).toBe(1)
    const steps = valuesOf(textfile('night.prom'), 'fundpress_nightly_step_duration_seconds')
    expect(Object.keys(steps).sort()).toEqual(['build', 'publish', 'verify'])
  })

  it('of status has what is live, and never clashes with that of nightly or of another bucket', async () => {
    const alarms = () => valuesOf(textfile('status.prom'), 'fundpress_status_alarms')
    expect((await press.fundpress('status --metrics status.prom')).code).toBe(1)
    expect(alarms()).toBe(1)
    expect(Object.keys(textfile('status.prom'))).toEqual([
      'fundpress_status_end_timestamp_seconds',
      'fundpress_status_alarms',
    ])
    await nightly('--metrics night.prom')
    expect((await press.fundpress('status --max-age 2d --metrics status.prom')).code).toBe(1)
    expect(alarms()).toBe(1)
    await press.fundpress('status --metrics status.prom')
    expect(alarms()).toBe(0)
    await press.fundpress('status --prefix other --metrics other.prom')
    const families = textfile('night.prom', 'status.prom', 'other.prom')
    // There were no objections.
    const listed = figuresListed.filter((name) => name !== 'fundpress_nightly_objections')
    expect(Object.keys(families).sort()).toEqual(listed.sort())
    const labels = families['fundpress_live_since_timestamp_seconds']?.samples.map((one) => one.labels)
    expect(labels).toEqual(['nightly', 'status'].map((command) => ({ bucket: 'funds', command })))
    const looked = families['fundpress_status_alarms']?.samples.map((one) => one.labels['bucket'])
    expect(looked).toEqual(['funds', 'funds/other'])
    const { base, server } = await serveHere(fileOf('out'))
    expect((await press.bare(`status --base ${base} --metrics base.prom`)).code).toBe(0)
    server.close()
    const served = textfile('night.prom', 'base.prom')['fundpress_live_funds']?.samples
    expect(served?.[1]).toEqual({ labels: { base, command: 'status' }, value: 1 })
    const same = await press.fundpress(`status --metrics ${fileOf('night.prom')}`, {
      FUNDPRESS_METRICS_FILE: 'night.prom',
    })
    expect({ code: same.code, stderr: same.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('give another one'),
    })
  })

  it('has harmless labels, whatever the bucket is called', async () => {
    const folder = `${fileOf('b')}"{},=\u202e`
    mkdirSync(folder)
    const prefix = 'p"\\n\\'
    const bucket = ['--bucket', `file://${folder}`, '--prefix', prefix]
    const line = `nightly --db funds.sqlite --as-of ${asOf} --metrics night.prom`.split(' ')
    const run = await press.bare([...line, ...bucket])
    expect(run).toMatchObject({ code: 0 })
    const buckets = textfile('night.prom')['fundpress_live_funds']?.samples.map((one) => one.labels['bucket'])
    expect(buckets).toEqual([`file://${folder.replace('\u202e', '\\u202e')}/${prefix}`])
  })
})

describe('the file of metrics', () => {
  it('can be read by all, is replaced as a whole, and counts from the folder of the config', async () => {
    mkdirSync(fileOf('conf'), { recursive: true })
    writeFileSync(fileOf('conf/c.json'), JSON.stringify({ metrics: { file: 'night.prom' } }))
    const inode = async () => {
      expect((await nightly('--config conf/c.json')).code).toBe(0)
      const { mode, ino } = statSync(fileOf('conf/night.prom'))
      expect(mode & 0o777).toBe(0o644)
      return ino
    }
    expect(await inode()).not.toBe(await inode())
    expect(read('conf/night.prom')).toMatch(/^# HELP fundpress_nightly_result .*\n[^]*\n$/)
  })

  it('that cannot be written is a warning of nightly, and an error of status', async () => {
    const run = await nightly('--metrics nowhere/night.prom')
    expect({ code: run.code, stderr: run.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^warning {2}night: metrics: nowhere\/night\.prom could not be written: ENOENT.*\n$/,
      ),
    })
    const status = await press.fundpress('status --metrics nowhere/status.prom')
    expect({ code: status.code, stderr: status.stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^fundpress: s3:\/\/funds: nowhere\/status\.prom could not be written: ENOENT/,
      ),
    })
  })
})
