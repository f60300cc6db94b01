/**
 * Stores as they are: gateways that lack an operation, and what answers in place of a store. Each takes three nights, the third of which
 * deletes objects, `verify --deep` and a rollback; or the first night ends with one line that says what is wrong.
 */
import { hash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSuccess, oneLine } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { quirkNames, quirkOf, type QuirkName } from '../support/s3/quirks.ts'

let press: Press
beforeAll(async () => {
  const nights = await buildNights(2, 1, { years: 1, isSmall: true })
  await nights.change('no-emt', 'DELETE FROM emt')
  press = await openPress(nights)
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

const nights = ['night-1', 'night-2', 'no-emt']
const forced = ['--force', '--reason', 'a test']

/** What the first night says of what the store lacks; null: nothing. */
const working: Partial<Record<QuirkName, RegExp | null>> = {
  'S3 itself': null,
  'no checksum headers': /refuses x-amz-checksum-sha256: puts carry Content-MD5 instead/,
  'DeleteObjects wants Content-MD5': null,
  'no DeleteObjects, 501': /has no DeleteObjects: keys are deleted one by one/,
  'no DeleteObjects, 400': /has no DeleteObjects: keys are deleted one by one/,
  'no DeleteObjects, 405': /has no DeleteObjects: keys are deleted one by one/,
  'a page for DeleteObjects, 404': /has no DeleteObjects: keys are deleted one by one/,
  'ETags that are no digests': null,
  'ETags of listings without quotes': null,
  'no ETag with quotes': null,
  'weak ETags of gets': null,
  'no Date': null,
  'no ranges': /ignores Range and sends whole objects/,
  'an empty first page': null,
  'no metadata': null,
  'times in whole seconds': null,
  'a conflict for every second conditional put': null,
  'one write of a key at a time': null,
  'copies that fail within a 200': /makes no copies: downloads that stay the same are uploaded again/,
  'no copies, 501': /makes no copies: downloads that stay the same are uploaded again/,
}

const useless = 'fundpress cannot work with this store, or with what answers in its place'
const aPage = (answered: string) =>
  `something between here and the bucket answered with a page (${answered}): a login page or a proxy is in the place of`

/** The line of the first night. */
const refused: Partial<Record<QuirkName, string>> = {
  'conditions of puts ignored': 's3://funds: this store does not support conditional writes. --no-lock',
  'a redirect for now, 307': 'to another address for now, s3.eu-west-1.x: a new bucket is known everywhere',
  'a redirect for good, 301': 'the bucket is in another region: set --region',
  'a login page for live.json': aPage('200, text/html'),
  'a login page for every get': aPage('200, text/html'),
  'a login page for all': aPage('200, text/html'),
  'a redirect to a login page': aPage('302, text/html, to portal.example.com'),
  'a proxy that wants credentials': aPage('407, text/html'),
  'a network that wants a login': aPage('511, text/html'),
  'a web server without these pages': aPage('404, text/html'),
  '403 for what is missing': 'the credentials need s3:GetObject and s3:ListBucket (without it',
  'the same token for ever': `does not end after 0 keys (the same continuation token again): ${useless}`,
  'two tokens by turns': `does not end after 0 keys (too many pages): ${useless}`,
  'keys in another order': 'is not in the order of the bytes of its keys',
  'a listing without an end': 'the answer to ListObjectsV2 has more than 16777216 bytes',
}

it('has a row for every quirk', () => {
  expect([...Object.keys(working), ...Object.keys(refused)].sort()).toEqual(quirkNames.toSorted())
})

/** Expects `check --bucket` to find no problem, and what the first night will say. */
async function expectCheck(lacks: RegExp | null): Promise<void> {
  const { stdout } = await press.fundpress('check --out night-1 --json')
  const { problems, findings } = JSON.parse(stdout) as {
    problems: number
    findings: readonly Record<'what' | 'level' | 'says', string>[]
  }
  const said = findings.filter(({ level, what }) => level !== 'ok' && what !== 'notices')
  expect({ problems, says: said.map(({ says }) => says) }).toEqual({
    problems: 0,
    says: lacks === null ? [] : [expect.stringMatching(lacks)],
  })
  expect(press.bucket.keys()).toEqual([])
}

describe('three nights, verify --deep and a rollback on a store with', () => {
  it.each(Object.entries(working))('%s', async (name, lacks) => {
    press.server.settings.quirk = quirkOf(name as QuirkName)
    await expectCheck(lacks)
    const warnings: string[] = []
    for (const night of nights) {
      const { code, stderr } = await press.publish(night, ...forced)
      expect({ night, code, stderr: code === 0 ? '' : stderr }).toEqual({ night, code: 0, stderr: '' })
      warnings.push(stderr)
      expect(press.bucket.differencesFrom(night, press.bucket.live()?.slot)).toEqual([])
    }
    const [first = '', ...later] = warnings
    expect(later).toEqual(['', ''])
    if (lacks === null) expect(first).toBe('')
    else expect(first.trimEnd().split('\n')).toEqual([expect.stringMatching(lacks)])
    expect(press.bucket.keys('blue/api/v2/emt').filter((key) => !key.includes('error'))).toEqual([])
    expect(press.bucket.keys('journal/').filter((key) => /doctor|changes/.test(key))).toEqual([])
    await expectSuccess(press.fundpress('verify --deep'))
    await expectSuccess(press.fundpress('rollback'))
    expect(press.bucket.differencesFrom('night-2', press.bucket.live()?.slot)).toEqual([])
    await expectSuccess(press.fundpress('verify --deep'))
  })
})

describe('the first night ends with one line, on', () => {
  it.each(Object.entries(refused))('%s', async (name, line) => {
    press.server.settings.quirk = quirkOf(name as QuirkName)
    const { code, stdout, stderr } = await press.publish('night-1')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain(line)
    // Nothing is live, and the next night tries the store again.
    expect(press.bucket.keys().filter((key) => !/journal\.json|doctor/.test(key))).toEqual([])
  })
})

it('a plan counts the requests of a first publish, those that try the store included', async () => {
  const { requests } = await press.json<{ requests: object }>('plan --out night-1')
  press.server.reset()
  await expectSuccess(press.fundpress('publish --out night-1 --quiet'))
  expect({ DeleteObjects: 0, ...press.server.counts() }).toEqual(requests)
  expect(requests).toMatchObject({ DeleteObjects: 2 })
})

/** Copies a snapshot, and gives it a file for analysts. */
function withFile(snapshot: string, copy: string): void {
  cpSync(snapshot, copy, { recursive: true })
  const day = join(copy, 'downloads/2026-11-11')
  mkdirSync(day, { recursive: true })
  writeFileSync(join(day, 'funds.csv'), 'isin,name\n')
  writeFileSync(join(day, 'SHA256SUMS'), `${hash('sha256', 'isin,name\n')}  funds.csv\n`)
}

describe('a bucket that was copied', () => {
  it('to a store that gives other ETags is verified by its bodies', async () => {
    await press.publish('night-1')
    press.server.settings.quirk = quirkOf('ETags that are no digests')
    expect(await press.fundpress('verify')).toMatchObject({ code: 1 })
    await expectSuccess(press.fundpress('verify --deep'))
    const key = 'blue/api/v1/prices-current-all/index.json'
    press.bucket.put(key, press.bucket.body(key).toString().replace('1', '2'))
    const { code, stdout } = await press.fundpress('verify --deep')
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: 'api/v1/prices-current-all/index.json has another body\n',
    })
  })

  it('into a folder is verified by its bodies', async () => {
    withFile(press.nights.folder.file('night-1'), press.nights.folder.file('whole'))
    await press.publish('whole')
    const folder = press.nights.folder.file('copied')
    for (const [key, { body }] of press.server.objects('funds')) {
      mkdirSync(dirname(join(folder, key)), { recursive: true })
      writeFileSync(join(folder, key), body)
    }
    const verify = (...flags: readonly string[]) =>
      press.bare(['verify', '--bucket', `file://${folder}`, ...flags])
    await expectSuccess(verify('--deep'))
    await expectSuccess(verify())
    const file = `${press.bucket.downloads()}funds.csv`
    writeFileSync(join(folder, file), press.bucket.body(file).toString().replace('e', 'f'))
    for (const flags of [[], ['--deep']])
      expect(await verify(...flags)).toMatchObject({ code: 1, stdout: `${file} has another body\n` })
  })
})
