/**
 * Nights with downloads that go on from the other slot: their files, `documents.zip` above all, are those of a full build,
 * whatever changed and whatever is wrong with the ZIP that it is made out of.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Run } from '../../support/product.ts'
import type { Fault } from '../../support/s3/faults.ts'
import { hashesOf } from '../../support/tree.ts'
import {
  allFunds,
  bodyOf,
  changeSettings,
  db,
  edit,
  env,
  fileOf,
  fullBuild,
  isinAt,
  newPrices,
  nightly,
  onZip,
  keyOf,
  press,
  sha256,
  sumsKey,
  undated,
  without,
  useDocumentNights,
  zipKey,
} from './documents-nights.ts'

useDocumentNights()
import { buildOf, eventsOf } from './nightly.ts'
import { isComplete, sample } from '../../support/rounds.ts'

/** But for prices that are late: nobody has brought new ones. */
const warningsOf = (run: Run) =>
  eventsOf(run)
    .filter(({ event, message }) => event === 'warning' && !String(message).startsWith('prices: '))
    .map(({ message }) => undated(String(message)))

/** @returns how the night of a day was built, after its downloads were held against those of a full build */
async function publish(day: number, flags = '') {
  const run = await nightly(day, flags)
  expect(run, run.stderr + run.stdout).toMatchObject({ code: 0, stderr: '' })
  const prefix = press.bucket.downloads()
  const asOf = `downloads/2026-11-${day}/`
  const full = await fullBuild(`2026-11-${day}`)
  const wanted = Object.entries(full).filter(([file]) => file.startsWith(asOf))
  const keys = press.bucket.keys(prefix)
  expect(prefix).toBe(`downloads/${press.bucket.live()?.snapshot ?? ''}/`)
  expect(Object.fromEntries(keys.map((key) => [undated(key), sha256(bodyOf(key))]))).toEqual(
    Object.fromEntries(wanted),
  )
  // What the next night goes on from.
  expect(hashesOf(fileOf('out'))['downloads.ndjson']).toBe(full['downloads.ndjson'])
  expect(namesLeft()).toEqual([])
  return { isSparse: buildOf(run)?.['isSparse'], warnings: warningsOf(run) }
}
const namesLeft = () => readdirSync(press.nights.folder.path).filter((name) => name.startsWith('.'))
const sparse = { isSparse: true, warnings: [] }

describe('continuing from the other slot', () => {
  it.each(
    sample<readonly [string, () => void, string]>(
      [
        ['nothing changed', () => undefined, ''],
        ['each fund has a new price', () => edit(newPrices), ''],
        ['a fund is new', () => writeFileSync(db(), allFunds), ''],
        ['a fund is gone', () => edit(without(isinAt(1))), '--force'],
        ['a fund is no longer published', () => edit(refuse(isinAt(1))), '--force'],
      ],
      { least: 2, turn: 1 },
    ),
  )('%s: a sparse build has the downloads of a full build', async (_, change, flags) => {
    change()
    expect(await publish(13, flags)).toEqual(sparse)
  })

  it('a fund that is no longer published is not in documents.zip', async () => {
    const zip = () => bodyOf(`${press.bucket.downloads()}documents.zip`).toString('latin1')
    await nightly(13)
    expect(zip()).toContain(isinAt(1))
    edit(refuse(isinAt(1)))
    expect(await publish(14, '--force')).toEqual(sparse)
    expect(press.bucket.downloads()).toContain('downloads/2026-11-14-')
    expect(zip()).not.toContain(isinAt(1))
  })

  it.runIf(isComplete)('continues after a rollback', async () => {
    const { code } = await press.fundpress('rollback --json')
    expect([code, press.bucket.live()?.slot]).toEqual([0, 'blue'])
    edit(newPrices)
    expect(await publish(13)).toEqual(sparse)
    expect(press.bucket.live()?.slot).toBe('green')
    expect(await publish(14)).toEqual(sparse)
  })
})

const refuse = (isin: string) => `UPDATE fund SET data_permitted = 0 WHERE isin = '${isin}'`

it('gets the ZIP of the slot that it continues from, and none without downloads', async () => {
  const gets = () =>
    press.server.log.flatMap(({ method, key }) =>
      method === 'GET' && key.endsWith('documents.zip') ? [undated(key)] : [],
    )
  await nightly(13)
  expect(gets()).toEqual(['downloads/2026-11-11/documents.zip'])
  press.server.reset()
  const run = await nightly(14, '', { FUNDPRESS_DOWNLOADS: 'false' })
  expect([run.code, buildOf(run)?.['isSparse'], gets()]).toEqual([0, true, []])
})

it.each(sample(['blue', 'green', 'live']))(
  'build --since %s makes the downloads of a full build',
  async (slot) => {
    const words = `build --db funds.sqlite --out out --as-of 2026-11-13 --quiet --since ${slot}`
    expect(await press.fundpress(words, env)).toMatchObject({ code: 0, stderr: '' })
    const { 'sparse.json': mark, ...files } = hashesOf(fileOf('out'))
    const full = await fullBuild('2026-11-13')
    expect(mark).toBeDefined()
    expect(Object.keys(files).length).toBeLessThan(Object.keys(full).length / 2)
    for (const file of Object.keys(full).filter((name) => name.startsWith('downloads')))
      expect([file, files[file]]).toEqual([file, full[file]])
  },
)

it.each(
  sample([
    ['the store is overloaded', { kind: 'status', status: 503 }],
    ['it is cut off', { kind: 'truncate' }],
    ['the connection ends', { kind: 'cut-before' }],
  ] satisfies readonly (readonly [string, Fault])[]),
)('asks again for the ZIP if %s', async (_, fault) => {
  onZip(fault, 2)
  expect(await publish(13)).toEqual(sparse)
})

it.each(sample(['SIGTERM', 'SIGKILL'] as const))(
  'leaves nothing after %s while it waits for the ZIP',
  async (signal) => {
    const words = 'nightly --db funds.sqlite --as-of 2026-11-13 --since other --json'
    const { child, end } = press.begin(words, env)
    onZip({ kind: 'call', when: 'before', run: () => child.kill(signal) })
    await end
    press.server.faults([])
    expect(namesLeft()).toHaveLength(signal === 'SIGKILL' ? 1 : 0)
    expect(await publish(13)).toEqual(sparse)
  },
)

it.runIf(isComplete)(
  'continues from a snapshot that another one of its day replaced: each has a ZIP of its own',
  async () => {
    expect(await publish(13)).toEqual(sparse)
    edit(`UPDATE profile SET benchmark = 'y' WHERE isin = '${isinAt(0)}'`)
    expect(await publish(13)).toEqual(sparse)
    for (const day of sample([14, 15, 16])) expect(await publish(day)).toEqual(sparse)
  },
)

describe('without a usable ZIP, everything is rendered, with a warning', () => {
  it.each(
    sample(
      [
        ['it is missing', () => press.bucket.remove(keyOf('documents.zip')), `there is no ${zipKey}`],
        [
          'its checksums are missing',
          () => press.bucket.remove(keyOf('SHA256SUMS')),
          `there is no ${sumsKey}`,
        ],
        [
          'it is another one',
          () => press.bucket.put(keyOf('documents.zip'), 'x'),
          `${zipKey} is not what ${sumsKey} says`,
        ],
        [
          'checksums are others',
          () => press.bucket.put(keyOf('SHA256SUMS'), 'x'),
          'does not hold the files of 2026-11-11-',
        ],
        ['a byte is another', () => onZip({ kind: 'corrupt' }), `${zipKey} is not what ${sumsKey} says`],
        ['it is always cut off', () => onZip({ kind: 'truncate' }), `${zipKey} keeps breaking off`],
        ['it is denied', () => onZip({ kind: 'status', status: 403 }), 'the credentials need s3:GetObject'],
        [
          'the store fails',
          () => onZip({ kind: 'status', status: 500 }),
          'the store kept answering 500: try again',
        ],
        ['it is of another version', changeSettings, 'blue was made by another version of fundpress'],
      ] as const,
      { least: 3 },
    ),
  )('%s', async (_, damage, says) => {
    damage()
    const { isSparse, warnings } = await publish(13)
    expect([isSparse, warnings]).toEqual([false, [expect.stringContaining(says)]])
    expect(warnings[0]).toMatch(/^s3:\/\/funds.*: everything is rendered to make documents\.zip complete$/)
  })

  it.runIf(isComplete)('a run since a manifest alone omits it, and says so', async () => {
    writeFileSync(fileOf('blue.ndjson.gz'), bodyOf('blue/manifest.ndjson.gz'))
    const run = await nightly(13, '--since blue.ndjson.gz')
    const leftOut = expect.stringMatching(
      /^downloads without documents\.zip: .*: build without --since$/,
    ) as string
    expect([run.code, buildOf(run)?.['isSparse'], warningsOf(run)]).toEqual([0, true, [leftOut]])
    const prefix = press.bucket.downloads()
    expect(press.bucket.keys(prefix)).not.toContain(`${prefix}documents.zip`)
    expect(await publish(14)).toEqual(sparse)
    const { isSparse, warnings } = await publish(15)
    const missing = expect.stringContaining(
      'there is no downloads/2026-11-13/documents.zip: everything',
    ) as string
    expect([isSparse, warnings]).toEqual([false, [missing]])
  })
})
