/** llms.txt, and what the settings say on the page of terms. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { mustRun, runFundpress, tempFolder } from '../../support/product.ts'
import { serveHere } from '../../support/serve-here.ts'
import { publishedAt } from '../../support/site.ts'

const folder = tempFolder()
const asOf = '2026-11-20'
const out = folder.file('out')
const db = folder.file('funds.sqlite')
const build = (to: string, env: Readonly<Record<string, string>>) =>
  runFundpress(['build', '--db', db, '--out', to, '--as-of', asOf, '--quiet'], {
    env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_BASE_URL: publishedAt, ...env },
  })

beforeAll(async () => {
  await mustRun(['init', '--demo', '--db', db, '--funds', '2', '--years', '1', '--until', asOf])
  const said = {
    FUNDPRESS_SITE_NAME: 'Muster KVG',
    FUNDPRESS_SITE_TERMS: 'https://example.org/terms',
    FUNDPRESS_SITE_CONTACT: 'data+api@example.org',
    FUNDPRESS_SITE_PUBLISHED_BY: '05:30 Europe/Berlin',
    FUNDPRESS_LICENCE_NAME: 'CC-BY-4.0',
  }
  expect(await build(out, { ...said, FUNDPRESS_DOWNLOADS: 'true' })).toMatchObject({ code: 0 })
  expect(await build(folder.file('bare'), { FUNDPRESS_DOWNLOADS: 'false' })).toMatchObject({ code: 0 })
})
const read = (key: string, from = out) => readFileSync(join(from, key), 'utf8')

/** Source: llmstxt.org, "Format": a title, a quotation, text without headings, then sections of links. */
it('llms.txt has the form of llmstxt.org, and only links that answer', async () => {
  const text = read('llms.txt')
  const [title, summary = '', ...sections] = text.split(/\n\n(?=## |> )/)
  expect(title).toBe('# Fund data of Muster KVG')
  expect(summary).toMatch(/^> Prices, .*As of 2026-11-20\.\n\n- /)
  expect(sections.map((section) => section.split('\n')[0])).toEqual([
    '## Endpoints',
    '## Lists',
    '## Documentation',
  ])
  const lines = sections.flatMap((section) => section.split('\n').filter((line) => line.startsWith('- ')))
  const links = lines.map((line) => /^- \[[^\]]+\]\(([^)\s]+)\): ./.exec(line)?.[1] ?? line)
  expect(links.length).toBeGreaterThan(25)
  expect(links.filter((link) => !link.startsWith(`${publishedAt}/`))).toEqual([])
  const server = await serveHere(out)
  // A snapshot that was not published has no changes: they are named without a link.
  expect(text).toContain('`/changes/index.json` (Changes: index)')
  for (const link of links) {
    const { status, headers } = await fetch(server.base + link.slice(publishedAt.length))
    expect({ link, status }).toEqual({ link, status: 200 })
    if (link.endsWith('.txt')) expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  }
  await server.stop()
})

it('llms.txt is the same from build to build, and names no downloads where there are none', async () => {
  const again = folder.file('again')
  expect(await build(again, { FUNDPRESS_DOWNLOADS: 'false' })).toMatchObject({ code: 0 })
  const bare = read('llms.txt', folder.file('bare'))
  expect(read('llms.txt', again)).toBe(bare)
  expect(bare).toMatch(/^# Fund data API\n/)
  expect(bare).not.toContain('/downloads/')
  expect(existsSync(join(again, 'docs/recipes'))).toBe(false)
})

it('the page of terms says what the settings say, and what they leave out', () => {
  const plain = (key: string, from = out) =>
    read(key, from)
      .replace(/<[^>]+>/g, '')
      .replace(/\s+/g, ' ')
  const english = plain('docs/terms/index.html')
  expect(english).toContain(
    'Licence of the data: CC-BY-4.0. Terms of use of the publisher: https://example.org/terms',
  )
  expect(english).toContain(
    'New data are published once a night, usually by 05:30 (time zone Europe/Berlin).',
  )
  expect(plain('docs/de/terms/index.html')).toContain('in der Regel bis 05:30 Uhr (Zeitzone Europe/Berlin).')
  expect(read('docs/terms/index.html')).toContain('href="mailto:data%2Bapi@example.org"')
  const bare = plain('docs/terms/index.html', folder.file('bare'))
  expect(bare).toContain('The publisher states no licence for the data.')
  expect(bare).toContain('New data are usually published once a night.')
})

it('the page of terms does not miss a licence beside terms of use', async () => {
  const termed = folder.file('termed')
  const terms = { FUNDPRESS_SITE_TERMS: 'https://example.org/terms', FUNDPRESS_DOWNLOADS: 'false' }
  expect(await build(termed, terms)).toMatchObject({ code: 0 })
  for (const [key, applies, missing] of [
    ['docs/terms/index.html', 'Terms of use of the publisher:', 'no licence'],
    ['docs/de/terms/index.html', 'Nutzungsbedingungen des Herausgebers:', 'keine Lizenz'],
  ] as const) {
    const page = read(key, termed)
    expect(page).toContain(`<p>${applies} <a href="https://example.org/terms">`)
    expect(page).not.toContain(missing)
    expect(read(key, folder.file('bare'))).toContain(missing)
  }
})

it('a time of publication without a time zone is refused', async () => {
  const { code, stderr } = await build(folder.file('wrong'), { FUNDPRESS_SITE_PUBLISHED_BY: '5:30' })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('such as 05:30 Europe/Berlin'),
  })
})
