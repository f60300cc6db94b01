/** Snapshots without pages or without downloads: no link leads to a file that does not exist. */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { insertGood, isinOf, makeDatabase } from '../../support/database.ts'
import { readHtml } from '../../support/html.ts'
import { mustRun, runFundpress, tempFolder } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'
import { filesIn } from '../../support/tree.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const db = folder.file('funds.sqlite')
const build = (out: string, pages: boolean, downloads: boolean, ...flags: readonly string[]) =>
  runFundpress(['build', '--db', db, '--out', folder.file(out), '--as-of', asOf, '--quiet', ...flags], {
    env: { FUNDPRESS_PAGES: String(pages), FUNDPRESS_DOWNLOADS: String(downloads) },
  })

beforeAll(async () => {
  await mustRun(['init', '--demo', '--db', db, '--funds', '4', '--years', '1', '--until', asOf])
})
const read = (out: string, key: string) => readFileSync(join(out, key), 'utf8')

/** `page: link` for each that leads to no file, answers of the API and the feed aside. */
function deadLinks(out: string): readonly string[] {
  const pages = filesIn(out).filter((key) => key.endsWith('.html'))
  return pages.flatMap((key) => {
    const isDead = (target: string) => {
      const path = target.replace(/[?#].*/, '')
      // The page in place of missing ones is shown at any address.
      const isRooted = key.startsWith('not-found/') && path.startsWith('/')
      const to = isRooted ? path.slice(1) : posix.join(posix.dirname(key), path)
      const file = to.replace('downloads/latest/', `downloads/${asOf}/`)
      return !to.startsWith('api/') && !existsSync(join(out, to)) && !existsSync(join(out, file))
    }
    // A publish makes the feed.
    const links = readHtml(read(out, key)).elements.filter(
      ({ attributes }) => attributes['type'] !== 'application/atom+xml',
    )
    const targets = links.flatMap(({ attributes }) => attributes['href'] ?? attributes['src'] ?? [])
    const own = targets.filter((target) => !/^(https?:|data:|#)/.test(target))
    return own.filter(isDead).map((target) => `${key}: ${target}`)
  })
}

it('tells the browser on every page to load nothing from other hosts, and to run no inline script', async ({
  skip,
}) => {
  skip(lacks('xmllint'), 'needs xmllint')
  expect((await build('strict', true, true)).code).toBe(0)
  // `downloads/latest/` only leads on to the page of the day.
  const pages = filesIn(folder.file('strict')).filter((key) => /^(?!.*\/latest\/).*\.html$/.test(key))
  const policyOf = (key: string) => {
    const all = readHtml(read(folder.file('strict'), key)).elements.map(({ attributes }) => attributes)
    return all.find((each) => each['http-equiv'] === 'Content-Security-Policy')?.['content']
  }
  expect(pages.length).toBeGreaterThan(30)
  expect([...new Set(pages.map(policyOf))]).toEqual([
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file: data:; " +
      "connect-src 'self' file:; base-uri 'none'; form-action 'none'",
  ])
})

it('links to downloads only if there are downloads, and no link is dead', async ({ skip }) => {
  skip(lacks('xmllint'), 'needs xmllint')
  expect((await build('pages', true, false)).code).toBe(0)
  const out = folder.file('pages')
  expect(deadLinks(out)).toEqual([])
  const pages = filesIn(out).filter((key) => key.endsWith('.html'))
  expect(pages.filter((key) => read(out, key).includes('downloads/'))).toEqual([])
  expect(existsSync(join(out, 'status/de.html'))).toBe(true)

  expect((await build('both', true, true, '--since', out)).code).toBe(0)
  expect(deadLinks(folder.file('both'))).toEqual([])
  for (const key of filesIn(folder.file('both')).filter((file) => /^funds\/.*\.html$/.test(file))) {
    const own = key.endsWith('de.html') ? 'de.html' : 'index.html'
    // In the page's own language, in the navigation and in the text.
    const links = read(folder.file('both'), key).match(/downloads\/latest\/\w+\.html/g)
    expect([...new Set(links)]).toEqual([`downloads/latest/${own}`])
  }
})

it('does not link from the downloads to pages if there are none', async ({ skip }) => {
  skip(lacks('xmllint'), 'needs xmllint')
  expect((await build('downloads', false, true)).code).toBe(0)
  const out = folder.file('downloads')
  expect(existsSync(join(out, 'downloads', asOf, 'index.html'))).toBe(true)
  expect(deadLinks(out)).toEqual([])
})

it('writes the recipes for a fund with prices, even if another fund has more answers', async () => {
  const refused = isinOf(1)
  const priced = isinOf(2)
  makeDatabase(folder.file('odd.sqlite'), (insert) => {
    insertGood(insert, refused, { fund: { prices_permitted: 0 } })
    const young = { fund_inception_date: '2026-10-01', wkn: null, status_date: null }
    insert('fund', { isin: priced, name: 'Young', url: 'https://funds.example', currency: 'EUR', ...young })
    const amounts = { issue_price: '1', repurchase_price: '1', net_asset_value: '1', change: '0' }
    insert('price', { isin: priced, date: asOf, ...amounts, change_percent: '0', performance: null })
  })
  expect((await build('odd', true, true, '--db', folder.file('odd.sqlite'))).code).toBe(0)
  const recipes = readFileSync(join(folder.file('odd'), 'docs/recipes/index.html'), 'utf8')
  const named = new Set(recipes.match(/[A-Z]{2}[A-Z0-9]{9}[0-9](?=\/)/g))
  expect([...named]).toEqual([priced])
  expect(existsSync(join(folder.file('odd'), 'downloads', asOf, priced, 'prices.csv'))).toBe(true)
})

it('refuses to merge shards whose pages lead to downloads without making them', async () => {
  expect((await build('part', true, true, '--shard', '1/1')).code).toBe(0)
  const merge = ['build', '--db', db, '--out', folder.file('merged'), '--merge', folder.file('part')]
  const ended = await runFundpress(merge, { env: { FUNDPRESS_DOWNLOADS: 'false' } })
  const stderr = expect.stringContaining('merge them with the same settings')
  expect(ended).toMatchObject({ code: 1, stderr })
})
