/** The copy of the database that a build reads if it withholds prices: what it holds, who may read it, and that it goes. */
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import type { LiveReader } from '../../src/core/data/check/live-prices.ts'
import { defaultExpectations } from '../../src/core/guards/plausibility.ts'
import { editDatabase, goodRows, insertGood, insertInto, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { hashesOf, manifestOf } from '../support/tree.ts'
import { build } from './builds.ts'

const folder = tempFolder()
const wrong = isinOf(1)
const good = isinOf(2)
const asOf = '2024-05-03'
const expectations = { ...defaultExpectations, onImplausible: 'withhold' } as const
const jump = { net_asset_value: '10000.00', issue_price: '10500.00', change: '9900.00' }

const live: LiveReader = (key) => readFile(folder.file(`live/${key}`)).catch(() => null)
const withhold = (db: string, out: string, more: Parameters<typeof build>[2] = {}) =>
  build(folder.file(db), folder.file(out), { expectations, live, ...more })

/** Names of what lies beside the snapshots. */
const besides = () => readdirSync(folder.path).filter((name) => name.startsWith('.'))
const stagingFolder = () => folder.file(besides()[0] ?? '')

beforeAll(async () => {
  const first = folder.file('first.sqlite')
  makeDatabase(first, (insert) => {
    for (const isin of [wrong, good])
      insertGood(insert, isin, { fund: { name: 'Before' }, price: { date: '2024-05-02' } })
  })
  await build(first, folder.file('live'))
  const db = new Database(first)
  insertInto(db)('price', { ...goodRows['price'], ...jump, isin: wrong, date: asOf })
  db.close()
})

it.each(['WAL', 'DELETE'])(
  'holds what was judged, whatever is committed meanwhile (journal in mode %s)',
  async (mode) => {
    const name = `${mode}.sqlite`
    copyFileSync(folder.file('first.sqlite'), folder.file(name))
    const writer = new Database(folder.file(name), { timeout: 0 })
    writer.pragma(`journal_mode = ${mode}`)
    const commit = () => {
      writer.exec(`UPDATE fund SET name = 'After'; UPDATE price SET net_asset_value = '1'`)
    }
    const results: unknown[] = []
    await withhold(name, mode, {
      live: (key) => {
        // The first is asked for while prices are judged, the others while the copy is made.
        try {
          commit()
          results.push('committed')
        } catch (error) {
          results.push((error as { readonly code: unknown }).code)
        }
        return live(key)
      },
    })
    writer.close()
    const out = folder.file(mode)
    expect(new Set(results)).toEqual(new Set([mode === 'WAL' ? 'committed' : 'SQLITE_BUSY']))
    expect(manifestOf(out).head).toMatchObject({ withheld: [{ isin: wrong }] })
    for (const isin of [wrong, good]) {
      expect(readFileSync(join(out, `api/v1/profile/${isin}/index.de.json`), 'utf8')).toContain('Before')
      const prices = `api/v1/prices-historic/${isin}/2024.json`
      expect(readFileSync(join(out, prices))).toEqual(readFileSync(folder.file(`live/${prices}`)))
    }
  },
)

it('is for its owner alone, and is gone when the snapshot is there', async () => {
  const modes: string[] = []
  await withhold('first.sqlite', 'out', {
    onProgress: () => {
      modes.push((statSync(join(stagingFolder(), '.withheld.sqlite')).mode & 0o777).toString(8))
    },
  })
  expect(modes).toContain('600')
  expect(readdirSync(folder.file('out')).filter((name) => name.startsWith('.'))).toEqual([])
  expect(besides()).toEqual([])
})

it('is gone after a failure, and the snapshot is as it was', async () => {
  await withhold('first.sqlite', 'kept')
  const before = hashesOf(folder.file('kept'))
  const damaged: LiveReader = (key) =>
    key.endsWith('/2024.json') ? Promise.resolve(Buffer.from('damage')) : live(key)
  await expect(withhold('first.sqlite', 'kept', { live: damaged })).rejects.toThrow(
    `fund ${wrong}: its prices cannot stay as they are live: api/v1/prices-historic/${wrong}/2024.json`,
  )
  copyFileSync(folder.file('first.sqlite'), folder.file('refused.sqlite'))
  editDatabase(folder.file('refused.sqlite'), `UPDATE fund SET currency = 'euro' WHERE isin = '${good}'`)
  await expect(withhold('refused.sqlite', 'kept')).rejects.toThrow('has 1 error')
  expect(hashesOf(folder.file('kept'))).toEqual(before)
  expect(besides()).toEqual([])
})

it('is not made if nothing is withheld', async () => {
  copyFileSync(folder.file('first.sqlite'), folder.file('plausible.sqlite'))
  editDatabase(folder.file('plausible.sqlite'), `DELETE FROM price WHERE date = '${asOf}'`)
  const found: string[] = []
  await withhold('plausible.sqlite', 'plausible', {
    onProgress: () => {
      found.push(...readdirSync(stagingFolder()))
    },
  })
  expect(found).not.toEqual([])
  expect(found).not.toContain('.withheld.sqlite')
})
