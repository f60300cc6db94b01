/** Who publishes: the footer of every page and the OpenAPI document name the company of the settings. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  desktopLight,
  expectSound,
  openBrowser,
  phoneDark,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { mustRun, runFundpress, tempFolder } from '../../support/product.ts'
import { serveHere } from '../../support/serve-here.ts'
import { filesIn } from '../../support/tree.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const db = folder.file('funds.sqlite')
const site = {
  FUNDPRESS_SITE_NAME: 'Muster & Söhne Kapitalverwaltungsgesellschaft mit beschränkter Haftung',
  FUNDPRESS_SITE_IMPRINT: 'https://example.org/impressum',
  FUNDPRESS_SITE_PRIVACY: 'https://example.org/datenschutz',
  FUNDPRESS_SITE_CONTACT: 'fund.data+api@example.org',
  FUNDPRESS_SITE_FUND_NAMES: 'de',
  FUNDPRESS_SITE_SECURITY: 'security@example.org',
}
const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
const build = (out: string, more: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
  runFundpress(['build', '--db', db, '--out', folder.file(out), '--as-of', asOf, '--json', ...flags], {
    env: { ...env, ...more },
  })

beforeAll(async () => {
  await mustRun(['init', '--demo', '--db', db, '--funds', '2', '--years', '1', '--until', asOf])
  for (const [out, more] of [
    ['nobody', {}],
    ['named', site],
  ] as const)
    expect(await build(out, more)).toMatchObject({ code: 0 })
})

const read = (out: string, key: string) => readFileSync(join(folder.file(out), key), 'utf8')
/** `downloads/latest/` only leads on to the page of the day. */
const pagesIn = (out: string) =>
  filesIn(folder.file(out)).filter((key) => key.endsWith('.html') && !key.includes('/latest/'))
const isGerman = (key: string) => read('named', key).includes('<html lang="de" data-names="de">')
const lineIn = (german: boolean) => {
  const [imprint, privacy, contact] = german
    ? ['Impressum', 'Datenschutz', 'Kontakt']
    : ['Imprint', 'Privacy notice', 'Contact']
  return (
    '<p><span>Muster &#38; Söhne Kapitalverwaltungsgesellschaft mit beschränkter Haftung</span> · ' +
    `<a href="https://example.org/impressum">${imprint}</a> · ` +
    `<a href="https://example.org/datenschutz" rel="privacy-policy">${privacy}</a> · ` +
    `<a href="mailto:fund.data%2Bapi@example.org">${contact}</a></p>`
  )
}

it('marks names of funds with their language, if the settings tell it', () => {
  const [fund = ''] = filesIn(folder.file('named')).filter((key) =>
    /^funds\/[A-Z0-9]{12}\/index\.html$/.test(key),
  )
  for (const key of ['funds/index.html', 'status/index.html', fund]) {
    expect({ key, page: read('named', key) }).toEqual({
      key,
      page: expect.stringContaining('<bdi lang="de">Möwenstein '),
    })
    expect({ key, page: read('nobody', key) }).toEqual({
      key,
      page: expect.stringContaining('<bdi>Möwenstein '),
    })
  }
})

it('every page has company, imprint, privacy and contact in its footer, in its own language', () => {
  const pages = pagesIn('named')
  for (const part of ['funds/', 'docs/', 'docs/explorer/', 'status/', `downloads/${asOf}/`])
    expect(pages.filter((key) => key.startsWith(part)).length).toBeGreaterThanOrEqual(1)
  expect(pages.filter(isGerman)).toHaveLength(pages.length / 2)
  expect(
    pages.filter(
      (key) =>
        read('named', key)
          .split('<footer')[1]
          ?.includes(lineIn(isGerman(key))) !== true,
    ),
  ).toEqual([])
})

it('security.txt names who takes reports for less than a year, and is not there without the setting', async () => {
  const { base, stop } = await serveHere(folder.file('named'))
  const answer = await fetch(`${base}/.well-known/security.txt`)
  expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/plain; charset=utf-8',
  })
  expect(await answer.text()).toBe(
    'Contact: mailto:security@example.org\nExpires: 2027-11-19T00:00:00Z\nPreferred-Languages: de, en\n',
  )
  await stop()
  expect(existsSync(join(folder.file('nobody'), 'security.txt'))).toBe(false)
  const http = await build('refused', { FUNDPRESS_SITE_SECURITY: 'http://example.org/security' })
  expect({ code: http.code, stderr: http.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('an https URL'),
  })
})

it('the header has its name, nothing else of a page changes, and without the settings no page has such a line', () => {
  const others = pagesIn('nobody').filter(
    (key) => !/^((status|downloads|docs\/(de\/)?terms)\/|index|de)/.test(key),
  )
  const bodyOf = (page: string) => page.slice(page.indexOf('<body>')).replaceAll('<bdi lang="de">', '<bdi>')
  const changed = others.filter((key) => {
    const [start = '', end = '', ...more] = read('named', key).split(`${lineIn(isGerman(key))} `)
    const ours = /(<a class="brand"[^>]*>)<svg[^]*?<\/svg><span>[^<]*<\/span>/
    const unnamed = read('nobody', key).replace(
      ours,
      '$1<span>Muster &#38; Söhne Kapitalverwaltungsgesellschaft mit beschränkter Haftung</span>',
    )
    return more.length > 0 || bodyOf(start + end) !== bodyOf(unnamed)
  })
  expect(changed).toEqual([])
})

it.skipIf(whyNoBrowser !== undefined)(
  'the header has one row, whoever publishes: the menu where there is room for it, else its button',
  async () => {
    const browser = await openBrowser()
    for (const out of ['nobody', 'named']) {
      const { base, stop } = await serveHere(folder.file(out))
      for (const path of ['funds/', 'funds/de.html']) {
        const { page, end } = await visit(browser, `${base}/${path}`)
        for (const [width, hasRoom] of [
          [320, false],
          [959, false],
          [960, true],
          [1056, true],
          [1440, true],
        ] as const) {
          await page.setViewportSize({ width, height: 800 })
          const found = await page.evaluate(`(() => {
            const parts = [...document.querySelectorAll('.brand, .menu, header nav a, .languages a')]
            const shown = parts.filter((each) => each.checkVisibility())
            const boxes = shown.map((each) => each.getBoundingClientRect()).sort((one, other) => one.left - other.left)
            const clashes = boxes.filter((box, index) => index > 0 && box.left < boxes[index - 1].right)
            return {
              links: shown.filter((each) => each.closest('nav')).length,
              hasButton: shown.some((each) => each.matches('.menu')),
              // Two lines of a name fit into a row, two rows of links do not.
              isOneRow: document.querySelector('header').offsetHeight < 70,
              clashes: clashes.length,
              overhang: document.documentElement.scrollWidth - innerWidth,
            }
          })()`)
          const parts = { links: hasRoom ? 6 : 0, hasButton: !hasRoom }
          const wanted = { ...parts, isOneRow: true, clashes: 0, overhang: 0 }
          expect({ out, path, width, found }).toEqual({ out, path, width, found: wanted })
        }
        await end()
      }
      await stop()
    }
    await browser.close()
  },
)

it('the OpenAPI document has contact and licence, as far as they are known, letter by letter', async () => {
  const infoOf = (out: string) =>
    (JSON.parse(read(out, 'openapi.json')) as { readonly info: Readonly<Record<string, unknown>> }).info
  const { contact, ...others } = infoOf('named')
  expect(contact).toEqual({ name: site.FUNDPRESS_SITE_NAME, email: site.FUNDPRESS_SITE_CONTACT })
  expect(others).toEqual(infoOf('nobody'))

  const FUNDPRESS_LICENCE_URL = 'https://creativecommons.org/licenses/by/4.0/'
  const licence = { FUNDPRESS_LICENCE_NAME: 'CC-BY-4.0', FUNDPRESS_LICENCE_URL }
  expect(await build('licensed', licence, '--since', folder.file('nobody'))).toMatchObject({ code: 0 })
  const license = { name: 'CC-BY-4.0', url: FUNDPRESS_LICENCE_URL }
  expect(infoOf('licensed')).toEqual({ ...infoOf('nobody'), license })
  expect(read('licensed', 'funds/index.html')).toBe(read('nobody', 'funds/index.html'))
})

it('feeds are by the company, not by its host', () => {
  const feeds = filesIn(folder.file('named')).filter((key) => /feed(\.de)?\.xml$/.test(key))
  expect(feeds.length).toBeGreaterThan(4)
  const author = `<author><name>${site.FUNDPRESS_SITE_NAME.replace('&', '&amp;')}</name></author>`
  for (const key of feeds) expect(read('named', key)).toContain(author)
  expect(read('named', 'changes/feed.xml')).toContain('<title>Changes at Muster &amp; Söhne')
  expect(read('nobody', 'changes/feed.xml')).toContain('<author><name>localhost:8080</name></author>')
})

it('pages of an earlier snapshot are made anew when the company changes', async () => {
  const renamed = { ...site, FUNDPRESS_SITE_NAME: 'Other' }
  expect(await build('renamed', renamed, '--since', folder.file('named'))).toMatchObject({ code: 0 })
  expect(pagesIn('renamed').filter((key) => !read('renamed', key).includes('<span>Other</span>'))).toEqual([])
  const again = await build('again', renamed, '--since', folder.file('renamed'))
  expect(JSON.parse(again.stdout)).toMatchObject({ rendered: 0 })
})

it('a snapshot without other pages names the company on the status page', async () => {
  const more = { ...site, FUNDPRESS_PAGES: 'false', FUNDPRESS_DOWNLOADS: 'false' }
  expect(await build('alone', more)).toMatchObject({ code: 0 })
  expect(read('alone', 'status/de.html')).toContain(lineIn(true))
  expect(existsSync(folder.file('alone/funds'))).toBe(false)
})

it('shards whose pages name another company are not merged', async () => {
  expect(await build('part', site, '--shard', '1/1')).toMatchObject({ code: 0 })
  const line = ['build', '--db', db, '--out', folder.file('merged'), '--merge', folder.file('part')]
  const stderr = expect.stringContaining('name another publisher (site, licence): merge them with the same')
  expect(await runFundpress(line, { env })).toMatchObject({ code: 1, stderr })
  expect(await runFundpress(line, { env: { ...env, ...site } })).toMatchObject({ code: 0 })
  expect(read('merged', 'funds/index.html')).toBe(read('named', 'funds/index.html'))
})

describe.skipIf(whyNoBrowser !== undefined)('in a browser', () => {
  it('the footer fits on a phone, and everybody can use it', async () => {
    const served = await serveHere(folder.file('named'))
    const browser = await openBrowser()
    for (const [key, look] of [
      ['funds/de.html', phoneDark],
      ['docs/index.html', desktopLight],
    ] as const) {
      const visited = await visit(browser, `${served.base}/${key}`, look)
      await expectSound(visited)
      await visited.end()
    }
    await browser.close()
    await served.stop()
  })
})

it('ends each page with the line that names fundpress, unless the settings leave it out', async () => {
  expect(await build('uncredited', { FUNDPRESS_SITE_CREDIT: 'false' })).toMatchObject({ code: 0 })
  const hasLine = (out: string) =>
    pagesIn(out).filter((key) => /Published with|Veröffentlicht mit/.test(read(out, key)))
  const all = pagesIn('named')
  expect(all.length).toBeGreaterThan(30)
  expect(hasLine('named')).toEqual(all)
  expect(hasLine('nobody')).toEqual(pagesIn('nobody'))
  expect(hasLine('uncredited')).toEqual([])
  // Nothing else of the pages is another's: no company is named.
  const plain = (out: string, key: string) =>
    read(out, key).replace(/<p>(?:Published with|Veröffentlicht mit) fundpress\.<\/p>\s*/, '')
  const key = 'docs/index.html'
  expect(plain('uncredited', key).replace(/\s+/g, ' ')).toBe(plain('nobody', key).replace(/\s+/g, ' '))
})
