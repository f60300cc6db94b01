/** A fund without an address of its company has its page of this site there: in answers, in downloads, on its page, for `check`. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { asOf, editDatabase, insertGood, isinOf, makeDatabase, readDatabase } from '../support/database.ts'
import { mustRun, runFundpress, tempFolder } from '../support/product.ts'

const folder = tempFolder()
const isin = isinOf(1)
const other = isinOf(2)

const db = folder.file('funds.sqlite')
makeDatabase(db, (insert) => {
  insertGood(insert, isin)
  insertGood(insert, other)
})
editDatabase(db, `UPDATE fund SET url = NULL WHERE isin = '${isin}'`)

const baseUrl = 'https://api.example.com'
const env = (address: string, pages = 'true') => ({
  FUNDPRESS_BASE_URL: address,
  FUNDPRESS_PAGES: pages,
  FUNDPRESS_DOWNLOADS: 'true',
})

async function build(name: string, variables: Record<string, string>, ...flags: readonly string[]) {
  const out = folder.file(name)
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet', ...flags], { env: variables })
  const read = (key: string) => readFileSync(`${out}/${key}`, 'utf8')
  const urlOf = (of: string): unknown => {
    const { fund } = JSON.parse(read(`api/v1/profile/${of}/index.en.json`)) as { fund: { url: unknown } }
    return fund.url
  }
  return { out, read, urlOf }
}

it('has its own page as its address, and the others keep theirs', async () => {
  const { read, urlOf } = await build('own', env(baseUrl))
  const own = `${baseUrl}/funds/${isin}/`
  expect(urlOf(isin)).toBe(own)
  expect(urlOf(other)).toMatch(/^https:\/\//)
  expect(urlOf(other)).not.toContain('/funds/')
  expect(read(`downloads/${asOf}/funds.csv`)).toContain(own)
  expect(read(`funds/${other}/index.html`)).toContain('rel="noopener external"')
  expect(read(`funds/${isin}/index.html`)).not.toContain('rel="noopener external"')
  expect(readDatabase(db, 'SELECT isin FROM fund WHERE url IS NULL')).toEqual([{ isin }])
})

it('follows another baseUrl in a build that continues, and is empty without pages', async () => {
  const first = await build('first', env(baseUrl))
  const second = await build('second', env('https://funds.example.com'), '--since', first.out)
  expect(second.urlOf(isin)).toBe(`https://funds.example.com/funds/${isin}/`)
  expect((await build('plain', env(baseUrl, 'false'))).urlOf(isin)).toBe('')
})

it('is no fault for check', async () => {
  const { code, stdout } = await runFundpress(['check', '--db', db, '--as-of', asOf], { env: env(baseUrl) })
  expect(stdout).not.toContain('url')
  expect(code).toBe(0)
})
