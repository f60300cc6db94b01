/** The chart of a fund as a file of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create } from 'xmlbuilder2'
import { expect, it } from 'vitest'
import { fillDemo } from '../../support/snapshots.ts'
import { buildSite } from '../../support/site.ts'

it('names the fund, its ISIN, the company and both lines, and is drawn as on the page in colours that every program knows', async () => {
  const company = { FUNDPRESS_SITE_NAME: 'Müller & Söhne KVG', FUNDPRESS_SITE_ACCENT_LIGHT: '#112233' }
  const site = await buildSite('image', '2026-11-20', fillDemo(8, 2, '2026-11-20'), company)
  const page = readFileSync(join(site.out, 'funds/DE000FPU30T7/index.html'), 'utf8')
  const svg = readFileSync(join(site.out, 'funds/DE000FPU30T7/chart.svg'), 'utf8')
  await site.stop()
  const textsOf = (name: string) =>
    create(svg)
      .filter(({ node }) => node.nodeName === name, true, true)
      .map(({ node }) => node.textContent ?? '')
  const [, fund = ''] = /<h1><bdi>(.*?)<\/bdi>/.exec(page) ?? []
  expect(textsOf('text')).toEqual(
    expect.arrayContaining([
      'Müller & Söhne KVG',
      'DE000FPU30T7',
      fund,
      'Net asset value',
      'With distributions',
    ]),
  )
  expect(textsOf('title').join()).toContain('(Müller & Söhne KVG)')
  const [style = ''] = textsOf('style')
  expect(style).not.toMatch(/var\(|rem\b/)
  expect(style).toMatch(/\.line \{[^}]*stroke: #112233;/)
  // The second line differs in colour and in dashes.
  expect(style).toMatch(/\.l2 \{[^}]*stroke: #b5541c;[^}]*stroke-dasharray/)
  const lines = /<path class="line[^"]*" d="M\d+ [^"]*"\/>/g
  const drawn = page.slice(page.indexOf('id="nav"')).match(lines)?.slice(0, 2)
  expect(svg.match(lines)).toEqual(drawn)
})
