/** The settings of the company: its pictures, its colours and its texts, and what is refused. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { leastContrast, pageBackgrounds } from '../../src/core/layout/colours.ts'
import { mustRun, runFundpress, tempFolder } from '../support/product.ts'
import { sample } from '../support/rounds.ts'
import { filesIn } from '../support/tree.ts'

const asOf = '2026-11-20'
const folder = tempFolder()
const db = folder.file('funds.sqlite')
const svg = (content: string, attributes = 'viewBox="0 0 120 40"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`
const goodSvg = svg('<defs><path id="a" d="M0 0h9v9z"/></defs><use href="#a" fill="url(#b)"/>')
/** The start of a PNG file, which is all that is read. */
const png = (width: number, height: number) => {
  const content = Buffer.alloc(33)
  content.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  content.writeUInt32BE(width, 16)
  content.writeUInt32BE(height, 20)
  return content
}

const build = (site: object, out: string, ...flags: readonly string[]) => {
  mkdirSync(folder.file('config'), { recursive: true })
  writeFileSync(folder.file('config/press.json'), JSON.stringify({ site, downloads: false }))
  const line = ['build', '--config', folder.file('config/press.json'), '--db', db, '--out', folder.file(out)]
  const env = { FUNDPRESS_PAGES: 'true' }
  return runFundpress([...line, '--as-of', asOf, '--json', ...flags], { env })
}
const withLogo = (content: string | Uint8Array, out = 'refused') => {
  mkdirSync(folder.file('config'), { recursive: true })
  writeFileSync(folder.file('config/logo'), content)
  return build({ logo: 'logo' }, out)
}
const read = (out: string, key: string) => readFileSync(join(folder.file(out), key), 'utf8')

beforeAll(() => mustRun(['init', '--demo', '--db', db, '--funds', '2', '--years', '1', '--until', asOf]))

describe('the logo', () => {
  it('is a file beside the config file, which every page shows with the name of the company', async () => {
    mkdirSync(folder.file('config'), { recursive: true })
    writeFileSync(folder.file('config/mark.svg'), goodSvg)
    expect(await build({ name: 'Muster & Co', logo: 'mark.svg' }, 'logo')).toMatchObject({ code: 0 })
    expect(read('logo', 'docs/assets/logo.svg')).toBe(goodSvg)
    const image =
      /<a class="brand" href="[^"]*"><img\s+src="([^"]*)"\s+width="84"\s+height="28"\s+alt="Muster &#38; Co"/
    const pages = filesIn(folder.file('logo')).filter((key) => key.endsWith('.html'))
    expect(pages.length).toBeGreaterThan(30)
    const shown = pages.map((key) => {
      const [, source = 'none'] = image.exec(read('logo', key)) ?? []
      return posix.resolve('/', posix.dirname(key), source)
    })
    expect(new Set(shown)).toEqual(new Set(['/docs/assets/logo.svg']))
  })

  it('may be a PNG file', async () => {
    expect(await withLogo(png(560, 280), 'png')).toMatchObject({ code: 0 })
    expect(read('png', 'funds/index.html')).toMatch(
      /src="\.\.\/docs\/assets\/logo\.png"\s+width="56"\s+height="28"/,
    )
  })

  it('that changes makes the pages of a build with --since anew, and nothing else', async () => {
    const before = await withLogo(svg('<path d="M0 0"/>'), 'before')
    expect(before).toMatchObject({ code: 0 })
    writeFileSync(folder.file('config/logo'), svg('<path d="M1 1"/>'))
    const changed = await build({ logo: 'logo' }, 'after', '--since', folder.file('before'))
    expect(read('after', 'docs/assets/logo.svg')).toContain('M1 1')
    expect(JSON.parse(changed.stdout)).not.toMatchObject({ rendered: 0 })
    const again = await build({ logo: 'logo' }, 'again', '--since', folder.file('after'))
    expect(JSON.parse(again.stdout)).toMatchObject({ rendered: 0 })
  })

  const wrong = [
    ['a script', svg('<script>alert(1)</script>'), 'it has a script, which a logo must not have'],
    ['a script with a prefix', svg('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'), 'it has a script'],
    ['an event handler', svg('<rect onload="alert(1)"/>'), 'it has an event handler'],
    ['an event handler without a blank', svg('<rect x="1"onclick ="alert(1)"/>'), 'it has an event handler'],
    ['a script between comments', svg('<![CDATA[<!--]]><script/><![CDATA[-->]]>'), 'it has a script'],
    ['HTML', svg('<foreignObject><p/></foreignObject>'), 'it has a foreign element'],
    ['a link', svg('<a href="javascript:alert(1)"><path/></a>'), 'it has a link'],
    ['a hidden link', svg('<a href="&#106;avascript:alert(1)"/>'), 'it has character references'],
    ['an animated link', svg('<set attributeName="href" to="x"/>'), 'it has an animated link'],
    ['another image', svg('<image xlink:href="https://example.com/a.png"/>'), 'it has a link'],
    ['a font from elsewhere', svg('<style>@font-face{src:url(https://a.b/c)}</style>'), 'it has an address'],
    ['entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${goodSvg}`, 'it is neither an SVG file nor a PNG file'],
    ['no size', svg('<path/>', 'width="100%"'), 'its svg element has no viewBox'],
    ['no namespace', '<svg viewBox="0 0 1 1"/>', 'its svg element has no xmlns='],
    ['nothing to see', svg('<path/>', 'viewBox="0 0 0 10"'), 'it is 0 x 10 pixels large'],
    ['another type', 'GIF89a', 'it is neither an SVG file nor a PNG file'],
    ['a damaged PNG', png(1, 1).subarray(0, 20), 'it is a damaged PNG file'],
    ['a PNG that is too large', png(5000, 10), 'it is 5000 x 10 pixels large'],
    ['too many bytes', svg(' '.repeat(100_000)), 'it has 100067 bytes, and may have 100000 at most'],
  ] as const
  it.each(sample(wrong, { least: 6 }))(
    'with %s is refused before anything is built',
    async (_, content, says) => {
      const refused = await withLogo(content)
      expect(refused.code).toBe(2)
      expect(refused.stderr).toContain(`site.logo is ${folder.file('config/logo')}: ${says}`)
    },
  )

  it.each([
    ['a folder', '.', 'it is not a file'],
    ['a device without an end', '/dev/zero', 'it is not a file'],
    ['missing', 'missing.svg', `site.logo is ${folder.file('config/missing.svg')}: it cannot be read`],
  ])('that is %s is refused', async (_, logo, says) => {
    const refused = await build({ logo }, 'refused')
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(says),
    })
  })
})

describe.each([
  ['icon', 180, 180],
  ['preview', 1200, 630],
] as const)('the %s', (name, width, height) => {
  const withPicture = (content: string | Uint8Array, out = 'refused') => {
    mkdirSync(folder.file('config'), { recursive: true })
    writeFileSync(folder.file('config/picture'), content)
    return build({ [name]: 'picture' }, out)
  }

  it('is a PNG file beside the config file, which every page names', async () => {
    expect(await withPicture(png(width, height), name)).toMatchObject({ code: 0 })
    expect(readFileSync(folder.file(`${name}/docs/assets/${name}.png`))).toEqual(png(width, height))
    const pages = filesIn(folder.file(name)).filter((key) => /^(?!not-found).*\.html$/.test(key))
    const named =
      name === 'icon'
        ? /<link rel="icon" href="[./]*(docs\/)?assets\/icon\.png" type="image\/png" \/>/
        : /\/docs\/assets\/preview\.png"/
    expect(pages.filter((key) => !named.test(read(name, key)))).toEqual([])
    expect(pages.length).toBeGreaterThan(30)
  })

  it.each([
    ['another type', goodSvg, 'it is not a PNG file'],
    ['another size', png(400, 100), 'it is 400 x 100 pixels large: it must '],
    ['a side too short', png(64, 64), 'it is 64 x 64 pixels large: it must '],
    ['too many bytes', Buffer.alloc(300_001), 'it has 300001 bytes, and may have '],
  ])('with %s is refused before anything is built', async (_, content, says) => {
    const refused = await withPicture(content)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`site.${name} is ${folder.file('config/picture')}: ${says}`)
  })
})

describe('the colours', () => {
  it('stand in the style sheet and the icon, each for its theme', async () => {
    const colours = { accentLight: '#0b3d91', accentDark: '#8AB4F8' }
    expect(await build(colours, 'colours')).toMatchObject({ code: 0 })
    const [, rules = ''] = read('colours', 'docs/assets/style.css').split(
      '/* Colours of the settings (site). */',
    )
    expect(rules).toContain('@media not (prefers-color-scheme: dark) { :root { --accent: #0b3d91;')
    expect(rules).toContain('@media (prefers-color-scheme: dark) { :root { --accent: #8AB4F8;')
    for (const colour of Object.values(colours)) expect(rules).toContain(`--series-1: ${colour};`)
    expect(read('colours', 'docs/assets/icon.svg')).toContain('fill="#0b3d91"')
  })

  it.each([
    [
      { accentLight: '#ffcc00' },
      'site.accentLight is #ffcc00: its contrast with the background #f4f6f7 of light pages is 1.39:1',
    ],
    [
      { accentDark: '#0b3d91' },
      'site.accentDark is #0b3d91: its contrast with the background #1c232b of dark pages is 1.57:1',
    ],
    // Black on white has 4.54 here, but the tables are a little darker.
    [
      { accentLight: '#767676' },
      'with the background #f4f6f7 of light pages is 4.19:1, and must be at least 4.5:1. Take a darker colour',
    ],
  ])('%j are refused with their contrast', async (site, says) => {
    const refused = await build(site, 'refused')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain(says)
  })

  it('are compared with the backgrounds of the style sheet, where its own accents pass', () => {
    const css = readFileSync('templates/pages/style.css', 'utf8')
    const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)')
    const valueIn = (text: string, name: string) =>
      new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(text)?.[1] ?? ''
    const names = ['paper', 'sunken', 'raised']
    expect(pageBackgrounds).toEqual({
      light: names.map((name) => valueIn(light, name)),
      dark: names.map((name) => valueIn(dark, name)),
    })
    expect(leastContrast(valueIn(light, 'accent'), 'light').ratio).toBeGreaterThan(4.5)
    expect(leastContrast(valueIn(dark, 'accent'), 'dark').ratio).toBeGreaterThan(4.5)
  })
})

it('an address of the company may have a query and a fragment, and nothing that runs', async () => {
  const imprint = 'https://example.com/index.php?page=imprint&lang=de#start'
  expect(await build({ imprint }, 'query')).toMatchObject({ code: 0 })
  expect(read('query', 'index.html')).toContain(`href="${imprint.replace('&', '&#38;')}"`)
  const refused = await build({ homePage: 'javascript:alert(1)' }, 'refused')
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain('"site.homePage" must be an absolute http or https URL')
})

describe('a missing imprint', () => {
  const check = async (env: Readonly<Record<string, string>>) => {
    const line = ['check', '--db', db, '--as-of', asOf, '--json']
    const { code, stdout } = await runFundpress(line, { env: { FUNDPRESS_PAGES: 'true', ...env } })
    const { findings } = JSON.parse(stdout) as { findings: { severity: string; message: string }[] }
    return { code, found: findings.filter(({ message }) => message.includes('imprint')) }
  }
  const published = { FUNDPRESS_BASE_URL: 'https://funds.example.com' }

  it('is a warning that names the law, where pages are published', async () => {
    const message =
      'site.imprint is missing: the pages have no link to an imprint, which publishers in Germany generally need (§ 5 DDG, § 18 MStV)'
    expect(await check(published)).toMatchObject({ code: 0, found: [{ severity: 'warning', message }] })
  })

  it.each([
    ['with an imprint', { ...published, FUNDPRESS_SITE_IMPRINT: 'https://example.com/imprint' }],
    ['without pages', { ...published, FUNDPRESS_PAGES: 'false' }],
    ['on this machine only', { FUNDPRESS_BASE_URL: 'http://localhost:8080' }],
  ])('is none %s', async (_, env) => {
    expect(await check(env)).toEqual({ code: 0, found: [] })
  })
})
