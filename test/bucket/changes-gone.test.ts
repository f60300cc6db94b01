/** A fund that is gone: pages of days before it left name it, and lead nowhere. */
import { posix } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { readHtml } from '../support/html.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { forced } from '../support/product.ts'

const withPages = { FUNDPRESS_PAGES: 'true' }

/** What the pages of changes lead to in a slot, and is not there. */
function deadLinks({ bucket }: Press, slot: string): string[] {
  const keys = new Set(bucket.keys(`${slot}/`).map((key) => key.slice(slot.length + 1)))
  const pages = [...keys].filter((key) => /^changes\/.*\.html$/.test(key))
  return pages.flatMap((page) =>
    readHtml(bucket.body(`${slot}/${page}`).toString())
      .elements.flatMap(({ attributes }) => attributes['href'] ?? [])
      .filter((href) => href.startsWith('.'))
      .map((href) => posix.join(posix.dirname(page), href.replace(/#.*/, '')))
      .filter((key) => !keys.has(key) && !key.startsWith('downloads/'))
      .map((key) => `${page} leads to ${key}`),
  )
}

it('no page of an earlier day leads to a fund that has gone, in either slot', async () => {
  const press = await openPress(await buildNights(0, 3, { years: 1, until: '2025-11-10' }))
  const db = press.nights.folder.file('funds.sqlite')
  const permitted = 'SELECT isin FROM fund WHERE data_permitted + prices_permitted = 2 ORDER BY isin'
  const isins = new Database(db, { readonly: true }).prepare<[], string>(permitted).pluck().all()
  const [gone = '', ...others] = isins
  const night = async (asOf: string, sql: string, only: readonly string[]) => {
    editDatabase(db, `UPDATE profile SET benchmark = '${asOf}'; ${sql}`)
    const line = `build --db funds.sqlite --out ${asOf} --as-of ${asOf} --quiet`
    expect(await press.bare(`${line} --only ${only.join(' --only ')}`, withPages)).toMatchObject({ code: 0 })
    expect(await press.publish(asOf, ...forced)).toMatchObject({ code: 0, stderr: '' })
    return press.bucket.live()?.slot ?? ''
  }
  const correct = `UPDATE price SET share_profit = '9.99' WHERE isin = '${gone}' AND date LIKE '2025-01-%'`
  await night('2025-11-11', '', isins)
  const before = await night('2025-11-12', correct, isins)
  const pageOf = (slot: string) => press.bucket.body(`${slot}/changes/2025-11-12/index.html`).toString()
  expect(pageOf(before)).toContain(`href="../../funds/${gone}/index.html"`)
  for (const asOf of ['2025-11-13', '2025-11-14']) {
    const slot = await night(asOf, '', others)
    expect(deadLinks(press, slot)).toEqual([])
    expect(pageOf(slot)).toContain(`id="${gone}"`)
  }
  await press.stop()
})
