/**
 * Nightly runs with downloads that continue from the other slot, on one machine or as shards: their files are those of a full
 * build, whatever changed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { once } from '../../support/once.ts'
import { expectSuccess } from '../../cli/outcome.ts'
import type { Run } from '../../support/product.ts'
import { newBenchmark } from '../../support/nights.ts'
import { sample } from '../../support/rounds.ts'
import { hashesOf } from '../../support/tree.ts'
import { buildOf, db, eventsOf, fileOf, nightlyOf, press, useNights, withoutFund } from './nightly.ts'

const env = { FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: 'https://api.example' }

/** ISINs; the third one is in no run before the one that is tested. */
let one = ''
let two = ''
let three = ''
let allFunds: Buffer
let twoFunds: Buffer
/** As after the runs of the 11th, in blue, and of the 12th, in green, which is live. */
let restore: () => void

useNights(3)
beforeAll(async () => {
  allFunds = readFileSync(db())
  ;[one = '', two = '', three = ''] = readdirSync(fileOf('night-1/api/v1/prices-current')).sort()
  edit(`UPDATE fund SET name = '</script><b>"&' WHERE isin = '${one}'; ${withoutFund(`'${three}'`)}`)
  await nightly(11)
  edit(newBenchmark(1))
  expect(await nightly(12)).toMatchObject({ code: 0 })
  twoFunds = readFileSync(db())
  restore = press.bucket.save()
})
beforeEach(() => {
  restore()
  writeFileSync(db(), twoFunds)
})

const edit = (sql: string) => editDatabase(db(), sql)
const newPrices = `INSERT INTO price SELECT isin, '2026-11-12', issue_price, repurchase_price, net_asset_value,
  '0.00', '0.00', performance, NULL, NULL, NULL, NULL FROM price WHERE date = '2026-11-10'`

const nightly = (day: number, flags = '', more = env) =>
  nightlyOf(`2026-11-${day}`, `--since other --json ${flags}`, more)
const bodyOf = (key: string) => press.bucket.body(key)
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** A full build: many runs are of the same database and day. */
const fullBuild = (asOf: string) =>
  once(`full build of ${asOf} ${sha256(readFileSync(db()))}`, async () => {
    rmSync(fileOf('full'), { recursive: true, force: true })
    await expectSuccess(press.bare(`build --db funds.sqlite --out full --as-of ${asOf} --quiet`, env))
    const files = hashesOf(fileOf('full'))
    expect(Object.keys(files)).toContain(`downloads/${asOf}/prices.parquet`)
    return files
  })

/** Without the digests in the names of folders. */
const undated = (text: string) => text.replaceAll(/(downloads\/2026-11-\d\d)-[0-9a-f]{12}\b/g, '$1')
/** All warnings but those of late prices, which have no newer ones here, and of guards that the test allows. */
const warningsOf = (run: Run) =>
  eventsOf(run)
    .filter(({ event, message }) => event === 'warning' && !/^prices: | has allowed /.test(String(message)))
    .map(({ message }) => undated(String(message)))

/** @returns how the run of a day built, after its downloads were compared with those of a full build */
async function publish(day: number, flags = '') {
  const run = await nightly(day, flags)
  expect(run, run.stderr + run.stdout).toMatchObject({ code: 0, stderr: '' })
  const prefix = press.bucket.downloads()
  expect(prefix).toBe(`downloads/${press.bucket.live()?.snapshot ?? ''}/`)
  const full = await fullBuild(`2026-11-${day}`)
  const wanted = Object.entries(full).filter(([file]) => file.startsWith(`downloads/2026-11-${day}/`))
  const there = press.bucket.keys(prefix).map((key) => [undated(key), sha256(bodyOf(key))])
  expect(Object.fromEntries(there)).toEqual(Object.fromEntries(wanted))
  // What the next run continues from.
  expect(hashesOf(fileOf('out'))['downloads.ndjson']).toBe(full['downloads.ndjson'])
  expect(namesLeft()).toEqual([])
  return { isSparse: buildOf(run)?.['isSparse'], warnings: warningsOf(run) }
}
const namesLeft = () => readdirSync(press.nights.folder.path).filter((name) => name.startsWith('.'))
const sparse = { isSparse: true, warnings: [] }

it.each(
  sample<readonly [string, () => void, string]>(
    [
      ['each fund has a new price', () => edit(newPrices), ''],
      ['nothing changed', () => undefined, ''],
      ['a fund is new', () => writeFileSync(db(), allFunds), ''],
      ['a fund is gone', () => edit(withoutFund(`'${two}'`)), '--force --reason test'],
    ],
    { least: 2 },
  ),
)(
  'continuing from the other slot, %s: a sparse build has the downloads of a full build',
  async (_, change, flags) => {
    change()
    expect(await publish(13, flags)).toEqual(sparse)
  },
)

describe('shards that continue from a snapshot', () => {
  const halves = ['half-1', 'half-2']
  const buildHalves = async () => {
    for (const [index, half] of halves.entries()) {
      const line = `build --db funds.sqlite --as-of 2026-11-13 --quiet --out ${half} --shard ${index + 1}/2 --since other`
      await expectSuccess(press.fundpress(line, env))
    }
  }
  beforeEach(() => {
    for (const name of halves) rmSync(fileOf(name), { recursive: true, force: true })
    edit(newPrices)
  })

  it.each<readonly [string, () => unknown, string]>([
    ['its slot is another one', () => press.fundpress('rollback'), 'the shards continue from 2026-11-11-'],
    ['nothing is live any more', () => press.bucket.empty(), 'nothing is live yet'],
  ])('are not merged if, since they were built, %s', async (_, change, says) => {
    await buildHalves()
    await change()
    const run = await press.fundpress(
      `build --merge ${halves.join(' ')} --db funds.sqlite --since other`,
      env,
    )
    expect({ code: run.code, stdout: run.stdout, stderr: run.stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(says),
    })
  })

  it.each([
    ['in the middle of the upload', { when: 'before', keyMatches: /^blue\/api/, nth: 9 }, 'green', []],
    [
      'after the flip',
      { when: 'after', keyMatches: /^live\.json$/, nth: 1 },
      'blue',
      [expect.stringMatching(/^the shards continue .*: this machine renders instead of merging$/)],
    ],
  ] as const)('are published once, and whole, if a run was killed %s', async (_, moment, slot, warnings) => {
    await buildHalves()
    const words = `nightly --db funds.sqlite --as-of 2026-11-13 --shards ${halves.join(' ')} --since other --json`
    const { child, end } = press.begin(words, env)
    press.server.faults([
      { kind: 'call', operation: 'PutObject', ...moment, run: () => child.kill('SIGKILL') },
    ])
    await end
    press.server.faults([])
    expect(press.bucket.live()?.slot).toBe(slot)
    expect(await publish(13, `--shards ${halves.join(' ')}`)).toEqual({ isSparse: true, warnings })
    expect(press.bucket.live()?.slot).toBe('blue')
    expect(press.bucket.faultsOf('blue')).toEqual([])
  })
})
