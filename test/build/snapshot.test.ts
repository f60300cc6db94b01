/** A built folder: its keys, its bytes, its manifest and checksums, and that they never depend on how it was built. */
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectedObjects, expectedWindows } from '../api/oracle/keys.ts'
import { docsUrl, mustRun } from '../support/product.ts'
import { buildDemo, buildOdd, isinsOf, type Snapshot } from '../support/snapshots.ts'
import { filesIn, hashesOf, manifestOf, isOfChanges } from '../support/tree.ts'
import { type OracleFunds, openOracleFunds } from '../../src/extensions/conform/oracle/funds.ts'
import { openOracle } from '../../src/extensions/conform/oracle/oracle.ts'

/** They name the snapshot: the manifest's first line has their digests. */
const statusFiles = ['changes.js', 'de.html', 'index.html', 'index.json', 'status.css', 'status.js']
const besideObjects = [
  'corporate-actions.json',
  'statistics.ndjson',
  ...statusFiles.map((name) => `status/${name}`),
]
const atRoot = ['SHA256SUMS', 'manifest.ndjson.gz']

describe.each([
  ['the demo database', buildDemo],
  ['funds that no demo has', buildOdd],
])('a snapshot of %s', (_, build) => {
  let snapshot: Snapshot
  let funds: OracleFunds
  let keys: readonly string[]

  beforeAll(async () => {
    snapshot = await build()
    funds = openOracleFunds(snapshot.db)
    keys = filesIn(snapshot.out).filter(
      (key) => ![...atRoot, ...besideObjects].includes(key) && !isOfChanges(key),
    )
    return () => {
      funds.close()
    }
  })

  function read(key: string): Buffer {
    return readFileSync(join(snapshot.out, key))
  }

  it('holds exactly the keys of the contract', () => {
    expect(keys).toEqual(expectedObjects(funds, snapshot.asOf).map(({ key }) => key))
  })

  it('holds in each object the body that the oracle answers', () => {
    const { db, asOf } = snapshot
    const oracle = openOracle({ db, asOf, docsUrl })
    const wrong = expectedObjects(funds, snapshot.asOf).filter(
      ({ key, target }) => target !== undefined && read(key).toString() !== oracle.answer({ target }).body,
    )
    expect(wrong.map(({ key }) => key)).toEqual([])
  })

  it('lists the windows of each fund as SQL groups its prices', () => {
    for (const key of keys.filter((candidate) => /prices-historic\/\w+\/index\.json$/.test(candidate))) {
      const { windows } = JSON.parse(read(key).toString()) as { windows: Record<string, unknown>[] }
      const listed = windows.map(({ year, first, last, records }) => {
        return { year: Number(year), first, last, records }
      })
      expect(listed).toEqual(expectedWindows(funds, key.split('/')[3] ?? ''))
    }
  })

  it('has a manifest that names every object, sorted, with its hash, size and type', () => {
    const { documents } = manifestOf(snapshot.out)
    expect(documents.map(({ key }) => key)).toEqual(keys)
    for (const { key, sha256, bytes, type } of documents) {
      const content = read(key)
      expect({ key, sha256, bytes }).toEqual({ key, sha256: sha256Of(content), bytes: content.length })
      const format = key.slice(key.lastIndexOf('.') + 1)
      expect(type).toBe(`${format === 'csv' ? 'text' : 'application'}/${format}; charset=utf-8`)
    }
  })

  it('begins its manifest with its id, made of the date and the hash of the object lines without their from, and its counts', () => {
    const { head, lines, documents } = manifestOf(snapshot.out)
    const bare = lines
      .map((line) => `${line.replace(/,"from":"[^"]+"(,"months":\[[\d,]+\])?\}$/, '}')}\n`)
      .join('')
    expect(head).toMatchObject({
      snapshot: `${snapshot.asOf}-${sha256Of(bare).slice(0, 12)}`,
      asOf: snapshot.asOf,
      funds: funds.all().length,
      objects: documents.length,
      bytes: keys.reduce((sum, key) => sum + read(key).length, 0),
    })
  })

  it('names the files beside its objects in the first line of its manifest, with hash and size', () => {
    const expected = besideObjects.map((key) => ({
      key,
      sha256: sha256Of(read(key)),
      bytes: read(key).length,
    }))
    expect(manifestOf(snapshot.out).head.files).toMatchObject(expected)
  })

  it('passes sha256sum over all its objects and the status', () => {
    const { status, stdout, stderr } = spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], {
      cwd: snapshot.out,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trim().split('\n')).toEqual([...keys, ...besideObjects].map((key) => `${key}: OK`))
  })

  const buildAgain = async (name: string, ...flags: readonly string[]) => {
    const out = snapshot.folder.file(name)
    const from = ['--db', snapshot.db, '--as-of', snapshot.asOf]
    await mustRun(['build', ...from, '--out', out, '--quiet', ...flags])
    return out
  }

  it('has the same bytes whatever the number of jobs', async () => {
    expect(hashesOf(await buildAgain('again', '--jobs', '1'))).toEqual(hashesOf(snapshot.out))
  })

  it('holds with --only the same answers of that fund, and of no other', async () => {
    const [isin = '', ...others] = isinsOf(snapshot)
    const part = await buildAgain('part', '--only', isin)
    const own = filesIn(part).filter((key) => key.includes(isin))
    expect(own).toEqual(keys.filter((key) => key.includes(isin)))
    for (const key of own) expect(readFileSync(join(part, key)).equals(read(key))).toBe(true)
    expect(filesIn(part).filter((key) => others.some((other) => key.includes(other)))).toEqual([])
  })
})

const sha256Of = (content: string | Buffer) => hash('sha256', content, 'hex')
