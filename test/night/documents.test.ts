/**
 * Nights with downloads that go on from the other slot: their files, `documents.zip` above all, are those of a full build,
 * whatever changed and whatever is wrong with the ZIP that it is made out of.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import type { Run } from '../support/product.ts'
import type { Fault } from '../support/s3/faults.ts'
import { hashesOf } from '../support/tree.ts'
import { eventsOf } from './nightly.ts'

const env = {
  FUNDPRESS_DOWNLOADS: 'true',
  FUNDPRESS_BASE_URL: 'https://api.example',
}
const tables = 'price performance_year structure_item key_figure legal_period legal_point launch_point'
  .split(' ')
  .concat('profile', 'asset_allocation', 'emt', 'fund')

let press: Press
/** ISINs, ascending; the last one is in no night before the one that is tested. */
let isins: readonly string[]
let allFunds: Buffer
let twoFunds: Buffer
/** As after the nights of the 11th, in blue, and of the 12th, in green, which is live. */
let restore: () => void

const fileOf = (name: string) => press.nights.folder.file(name)
const db = () => fileOf('funds.sqlite')
const edit = (sql: string) => {
  editDatabase(db(), sql)
}
const without = (isin: string) =>
  tables.map((table) => `DELETE FROM ${table} WHERE isin = '${isin}';`).join('')
const nightly = (day: number, flags = '', more: Readonly<Record<string, string>> = {}): Promise<Run> =>
  press.fundpress(`nightly --db funds.sqlite --as-of 2026-11-${day} --since other --json ${flags}`.trim(), {
    ...env,
    ...more,
  })
const isinAt = (index: number) => isins[index] ?? ''

beforeAll(async () => {
  press = await openPress(await buildNights(1, 4, { years: 1 }))
  allFunds = readFileSync(db())
  isins = Object.keys(hashesOf(fileOf('night-1/api/v1/prices-current')))
    .map((file) => file.slice(0, 12))
    .filter((isin, index, all) => all.indexOf(isin) === index && isin !== 'index.json')
  edit(`UPDATE fund SET name = '</script><b>"&' WHERE isin = '${isinAt(0)}'; ${without(isinAt(3))}`)
  expect(await nightly(11)).toMatchObject({ code: 0 })
  edit(`UPDATE profile SET benchmark = 'x' WHERE isin = '${isinAt(0)}'`)
  expect(await nightly(12)).toMatchObject({ code: 0 })
  twoFunds = readFileSync(db())
  restore = press.bucket.save()
})
afterAll(() => press.stop())
beforeEach(() => {
  restore()
  press.server.reset()
  rmSync(fileOf('out'), { recursive: true, force: true })
  writeFileSync(db(), twoFunds)
})

const bodyOf = (key: string) => press.bucket.body(key)
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const builtOf = (run: Run) => eventsOf(run).find(({ step, event }) => `${step} ${event}` === 'build done')
/** But for prices that are late: nobody has brought new ones. */
const warningsOf = (run: Run) =>
  eventsOf(run)
    .filter(({ event, message }) => event === 'warning' && !String(message).startsWith('prices: '))
    .map(({ message }) => String(message))

/** Full builds, by database and day: many nights are of the same. */
const built = new Map<string, Readonly<Record<string, string>>>()
async function fullBuild(asOf: string): Promise<Readonly<Record<string, string>>> {
  const key = `${asOf} ${sha256(readFileSync(db()))}`
  const known = built.get(key)
  if (known !== undefined) return known
  rmSync(fileOf('full'), { recursive: true, force: true })
  const run = await press.bare(`build --db funds.sqlite --out full --as-of ${asOf} --quiet`, env)
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const files = hashesOf(fileOf('full'))
  expect(Object.keys(files)).toContain(`downloads/${asOf}/documents.zip`)
  built.set(key, files)
  return files
}

/** @returns how the night of a day was built, after its downloads were held against those of a full build */
async function publish(day: number, flags = '') {
  const run = await nightly(day, flags)
  expect(run, run.stderr + run.stdout).toMatchObject({ code: 0, stderr: '' })
  const prefix = `downloads/2026-11-${day}/`
  const full = await fullBuild(`2026-11-${day}`)
  const wanted = Object.entries(full).filter(([file]) => file.startsWith(prefix))
  const keys = press.bucket.keys(prefix)
  expect(Object.fromEntries(keys.map((key) => [key, sha256(bodyOf(key))]))).toEqual(
    Object.fromEntries(wanted),
  )
  // What the next night goes on from.
  expect(hashesOf(fileOf('out'))['downloads.ndjson']).toBe(full['downloads.ndjson'])
  expect(namesLeft()).toEqual([])
  return { isSparse: builtOf(run)?.['isSparse'], warnings: warningsOf(run) }
}
const namesLeft = () => readdirSync(press.nights.folder.path).filter((name) => name.startsWith('.'))
const sparse = { isSparse: true, warnings: [] }

const newPrices = `INSERT INTO price SELECT isin, '2026-11-12', issue_price, repurchase_price, '101.00', change,
  change_percent, performance, NULL, NULL, NULL, NULL FROM price WHERE date = '2026-11-10'`

describe('after the night before the last', () => {
  it.each([
    ['nothing changed', () => undefined, ''],
    ['each fund has a new price', () => edit(newPrices), ''],
    ['a fund is new', () => writeFileSync(db(), allFunds), ''],
    ['a fund is gone', () => edit(without(isinAt(1))), '--force'],
    ['a fund is given out no more', () => edit(refuse(isinAt(1))), '--force'],
  ])('%s: a sparse night has the downloads of a full build', async (_, change, flags) => {
    change()
    expect(await publish(13, flags)).toEqual(sparse)
  })

  it('a fund that is given out no more is in no ZIP of the night', async () => {
    const zip = () => bodyOf('downloads/2026-11-13/documents.zip').toString('latin1')
    await nightly(13)
    expect(zip()).toContain(isinAt(1))
    edit(refuse(isinAt(1)))
    expect(await publish(14, '--force')).toEqual(sparse)
    expect(bodyOf('downloads/2026-11-14/documents.zip').toString('latin1')).not.toContain(isinAt(1))
  })

  it('a rollback came before the night', async () => {
    const { code } = await press.fundpress('rollback --json')
    expect([code, press.bucket.live()?.slot]).toEqual([0, 'blue'])
    edit(newPrices)
    expect(await publish(13)).toEqual(sparse)
    expect(press.bucket.live()?.slot).toBe('green')
    expect(await publish(14)).toEqual(sparse)
  })
})

const refuse = (isin: string) => `UPDATE fund SET data_permitted = 0 WHERE isin = '${isin}'`

it('a night gets the checksums and the ZIP of the slot that it goes on from, and none without downloads', async () => {
  const gets = () =>
    press.server.log.flatMap(({ method, key }) =>
      method === 'GET' && key.startsWith('downloads/') ? [key] : [],
    )
  await nightly(13)
  expect(gets()).toEqual(['downloads/2026-11-11/SHA256SUMS', 'downloads/2026-11-11/documents.zip'])
  press.server.reset()
  const run = await nightly(14, '', { FUNDPRESS_DOWNLOADS: 'false' })
  expect([run.code, builtOf(run)?.['isSparse'], gets()]).toEqual([0, true, []])
})

it.each(['blue', 'green', 'live'])('builds on from %s to the downloads of a full build', async (slot) => {
  const words = `build --db funds.sqlite --out out --as-of 2026-11-13 --quiet --since ${slot}`
  expect(await press.fundpress(words, env)).toMatchObject({ code: 0, stderr: '' })
  const { 'sparse.json': mark, ...files } = hashesOf(fileOf('out'))
  const full = await fullBuild('2026-11-13')
  expect(mark).toBeDefined()
  expect(Object.keys(files).length).toBeLessThan(Object.keys(full).length / 2)
  for (const file of Object.keys(full).filter((name) => name.startsWith('downloads')))
    expect([file, files[file]]).toEqual([file, full[file]])
})

const zipKey = 'downloads/2026-11-11/documents.zip'
const sumsKey = 'downloads/2026-11-11/SHA256SUMS'
/** On each get of the ZIP, or on so many. */
const onZip = (fault: Fault, times = Infinity) => {
  press.server.faults([{ ...fault, times, operation: 'GetObject', keyMatches: /documents\.zip$/ }])
}
/** As a fundpress of another version would have left it. */
const changeSettings = () => {
  const key = 'blue/manifest.ndjson.gz'
  const text = gunzipSync(bodyOf(key)).toString()
  press.bucket.put(key, gzipSync(text.replace(/"settings":"[^"]*"/, '"settings":"other"')))
}
it.each([
  ['the store is overloaded', { kind: 'status', status: 503 }],
  ['it is cut off', { kind: 'truncate' }],
  ['the connection ends', { kind: 'cut-before' }],
] satisfies readonly (readonly [string, Fault])[])('asks again for the ZIP where %s', async (_, fault) => {
  onZip(fault, 2)
  expect(await publish(13)).toEqual(sparse)
})

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'leaves nothing of a night that gets %s while it waits',
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

describe('where there is no ZIP to rely on, everything is rendered, with a warning', () => {
  it.each([
    ['it is missing', () => press.bucket.remove(zipKey), `there is no ${zipKey}`],
    ['its checksums are missing', () => press.bucket.remove(sumsKey), `there is no ${sumsKey}`],
    ['it is another one', () => press.bucket.put(zipKey, 'x'), `${zipKey} is not what ${sumsKey} says`],
    ['checksums are others', () => press.bucket.put(sumsKey, 'x'), 'does not hold the files of 2026-11-11-'],
    ['a byte is another', () => onZip({ kind: 'corrupt' }), `${zipKey} is not what ${sumsKey} says`],
    ['it is always cut off', () => onZip({ kind: 'truncate' }), `${zipKey} keeps breaking off`],
    ['it is denied', () => onZip({ kind: 'status', status: 403 }), 'the credentials need s3:GetObject'],
    [
      'the store fails',
      () => onZip({ kind: 'status', status: 500 }),
      'the store kept answering 500: try again',
    ],
    ['it is of another version', changeSettings, 'blue was made by another version of fundpress'],
  ])('%s', async (_, damage, says) => {
    damage()
    const { isSparse, warnings } = await publish(13)
    expect([isSparse, warnings]).toEqual([false, [expect.stringContaining(says)]])
    expect(warnings[0]).toMatch(/^s3:\/\/funds.*: everything is rendered, so that documents\.zip is whole$/)
  })

  it('another publish of that day has replaced it, and two nights later all is well', async () => {
    expect(await publish(13)).toEqual(sparse)
    edit(`UPDATE profile SET benchmark = 'y' WHERE isin = '${isinAt(0)}'`)
    const { isSparse, warnings } = await publish(13)
    expect([isSparse, warnings]).toEqual([true, [expect.stringContaining('files are replaced')]])
    const next = await publish(14)
    expect([next.isSparse, next.warnings]).toEqual([
      false,
      [expect.stringContaining('downloads/2026-11-13/ does not hold the files of 2026-11-13-')],
    ])
    expect(await publish(15)).toEqual(sparse)
    expect(await publish(16)).toEqual(sparse)
  })

  it('a night that went on from a manifest alone has left it out, and has said so', async () => {
    writeFileSync(fileOf('blue.ndjson.gz'), bodyOf('blue/manifest.ndjson.gz'))
    const run = await nightly(13, '--since blue.ndjson.gz')
    const leftOut = expect.stringMatching(
      /^downloads without documents\.zip: .*: build without --since$/,
    ) as string
    expect([run.code, builtOf(run)?.['isSparse'], warningsOf(run)]).toEqual([0, true, [leftOut]])
    expect(press.bucket.keys('downloads/2026-11-13/')).not.toContain('downloads/2026-11-13/documents.zip')
    expect(await publish(14)).toEqual(sparse)
    const { isSparse, warnings } = await publish(15)
    const missing = expect.stringContaining(
      'there is no downloads/2026-11-13/documents.zip: everything',
    ) as string
    expect([isSparse, warnings]).toEqual([false, [missing]])
  })
})

const replaceZip = () => {
  press.bucket.put(zipKey, 'x')
  return Promise.resolve()
}
const emptyBucket = () => {
  press.bucket.empty()
  return Promise.resolve()
}

describe('shards that go on from a snapshot', () => {
  const day = '--as-of 2026-11-13'
  const halves = ['half-1', 'half-2']
  const build = (words: string) => press.fundpress(`build --db funds.sqlite ${day} --quiet ${words}`, env)
  /** @returns what was said on stderr, of each */
  async function buildHalves(since: string): Promise<readonly string[]> {
    const said: string[] = []
    for (const [index, half] of halves.entries()) {
      const run = await build(`--out ${half} --shard ${index + 1}/2 --since ${since}`)
      expect(run, run.stderr).toMatchObject({ code: 0 })
      said.push(run.stderr)
    }
    return said
  }
  interface Merged {
    readonly isSparse: boolean
    readonly downloads: { readonly leftOut: readonly string[] }
  }
  const merge = async (flags = '') => {
    const run = await press.fundpress(
      `merge ${halves.join(' ')} --db funds.sqlite --json ${flags}`.trim(),
      env,
    )
    expect(run, run.stderr).toMatchObject({ code: 0 })
    return { said: run.stderr, summary: JSON.parse(run.stdout) as Merged }
  }
  const inAll = async () => {
    const full = await fullBuild('2026-11-13')
    const files = hashesOf(fileOf('out'))
    const ofDay = Object.keys(full).filter((file) => file.startsWith('downloads'))
    expect(Object.keys(files).filter((file) => file.startsWith('downloads'))).toEqual(ofDay)
    for (const file of ofDay) expect([file, files[file]]).toEqual([file, full[file]])
  }
  beforeEach(() => {
    for (const name of [...halves, 'single']) rmSync(fileOf(name), { recursive: true, force: true })
    edit(newPrices)
  })

  it.each(['other', 'live', 'base', 'base/manifest.ndjson.gz'])(
    'from %s, they are merged to what one machine builds since then, to the last byte',
    async (since) => {
      if (since.startsWith('base')) {
        writeFileSync(db(), twoFunds)
        expect(await build('--out base')).toMatchObject({ code: 0 })
        edit(newPrices)
      }
      // Of a folder, a merge takes the manifest.
      const manifest = since === 'base' ? 'base/manifest.ndjson.gz' : since
      expect(await build(`--out single --since ${manifest}`)).toMatchObject({ code: 0, stderr: '' })
      expect(await buildHalves(manifest)).toEqual(['', ''])
      press.server.reset()
      const { said, summary } = await merge(`--since ${since}`)
      expect([said, summary.isSparse, summary.downloads.leftOut]).toEqual(['', true, []])
      expect(hashesOf(fileOf('out'))).toEqual(hashesOf(fileOf('single')))
      await inAll()
    },
  )

  it('are merged without documents.zip unless the merge is told so, and it says what helps', async () => {
    await buildHalves('other')
    const { said, summary } = await merge()
    expect([said, summary.isSparse]).toEqual(['', true])
    expect(summary.downloads.leftOut).toEqual([
      expect.stringMatching(
        /^documents\.zip: .*: give `merge` the --since of its shards, or build these without$/,
      ),
    ])
    const again = await press.fundpress(`merge ${halves.join(' ')} --db funds.sqlite`, env)
    expect(again.stdout).toMatch(/^downloads .*, without documents\.zip: .* give `merge` the --since/m)
  })

  it.each([
    ['it was replaced', replaceZip, `${zipKey} is not what ${sumsKey} says`],
    ['its slot is another one', () => press.fundpress('rollback'), 'the shards go on from 2026-11-11-'],
    ['nothing is live any more', emptyBucket, 'nothing is live yet'],
  ])('are merged without it where, since they were built, %s', async (_, change, says) => {
    await buildHalves('other')
    await change()
    const { said, summary } = await merge('--since other')
    expect(said).toMatch(/^fundpress: .*: documents\.zip is left out\n$/)
    expect([said, summary.isSparse]).toEqual([expect.stringContaining(says), true])
    expect(summary.downloads.leftOut).toHaveLength(1)
    const ofDay = (files: object) => Object.keys(files).filter((file) => file.startsWith('downloads'))
    const zip = 'downloads/2026-11-13/documents.zip'
    expect(ofDay(hashesOf(fileOf('out')))).toEqual(
      ofDay(await fullBuild('2026-11-13')).filter((file) => file !== zip),
    )
  })

  it.each([
    ['the ZIP', () => press.bucket.remove(zipKey), `there is no ${zipKey}`],
    ['its checksums', () => press.bucket.remove(sumsKey), `there is no ${sumsKey}`],
    ['the version', changeSettings, 'blue was made by another version of fundpress'],
  ])('render everything where the slot lacks %s: the merge has all downloads', async (_, damage, says) => {
    damage()
    for (const said of await buildHalves('other')) {
      expect(said).toContain(says)
      expect(said).toMatch(/: everything is rendered, so that documents\.zip is whole\n$/)
    }
    const { said, summary } = await merge('--since other')
    expect([said, summary.isSparse, summary.downloads.leftOut]).toEqual(['', false, []])
    expect(hashesOf(fileOf('out'))).toEqual(await fullBuild('2026-11-13'))
  })

  it('are merged to all downloads where the store has failed one of the machines alone', async () => {
    const half = (number: number) =>
      build(`--out ${halves[number - 1] ?? ''} --shard ${number}/2 --since other`)
    expect(await half(1)).toMatchObject({ code: 0, stderr: '' })
    onZip({ kind: 'status', status: 403 })
    const failed = await half(2)
    expect([failed.code, failed.stderr]).toEqual([0, expect.stringContaining('everything is rendered')])
    press.server.faults([])
    const { said, summary } = await merge('--since other')
    expect([said, summary.isSparse, summary.downloads.leftOut]).toEqual(['', true, []])
    await inAll()
    expect(await press.fundpress('publish --out out', env)).toMatchObject({ code: 0 })
    expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  })

  it('need no bucket for what one machine does without downloads', async () => {
    const none = { ...env, FUNDPRESS_DOWNLOADS: 'false' }
    for (const [index, half] of halves.entries())
      await press.fundpress(
        `build --db funds.sqlite ${day} --quiet --out ${half} --shard ${index + 1}/2 --since other`,
        none,
      )
    press.bucket.empty()
    const { code, stderr, stdout } = await press.fundpress(
      `merge ${halves.join(' ')} --db funds.sqlite --since other --json`,
      none,
    )
    expect([code, stderr, (JSON.parse(stdout) as { downloads: unknown }).downloads]).toEqual([0, '', null])
  })
})
