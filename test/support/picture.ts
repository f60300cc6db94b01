/**
 * Pictures of pages, kept as golden files. A picture is taken at half size, with fonts that each machine has alike, and
 * compared in cells, each by its mean colour: finer points of a browser's release do not count, a line of text does.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { openBrowser, whyNoBrowser } from './browser.ts'
import { makeTempFolder } from './folders.ts'

/** Debian's package fonts-dejavu-core. */
const fontFolder = '/usr/share/fonts/truetype/dejavu'
const fonts = ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono', 'DejaVuSansMono-Bold'].map(
  (name) => `${name}.ttf`,
)

const hasFonts = fonts.every((name) => existsSync(join(fontFolder, name)))

/** Why no pictures can be taken here; undefined where they can. In CI what is missing is a failure. */
export const whyNoPictures =
  whyNoBrowser ??
  (hasFonts || process.env['CI'] === 'true' ? undefined : `${fontFolder} lacks fonts (fonts-dejavu-core)`)

/** Opens a browser that has these fonts only, and draws them as they are designed. */
export async function openCamera() {
  const folder = makeTempFolder()
  mkdirSync(folder.file('fonts'))
  for (const name of fonts) symlinkSync(join(fontFolder, name), folder.file(`fonts/${name}`))
  const alias = (family: string, font: string) =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
  writeFileSync(
    folder.file('fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
      <dir>${folder.file('fonts')}</dir><cachedir>${folder.file('cache')}</cachedir>
      ${['system-ui', 'sans-serif', 'serif'].map((family) => alias(family, 'DejaVu Sans')).join('')}
      ${['ui-monospace', 'monospace'].map((family) => alias(family, 'DejaVu Sans Mono')).join('')}
    </fontconfig>`,
  )
  const browser = await openBrowser({
    args: ['--font-render-hinting=none', '--disable-lcd-text'],
    env: { FONTCONFIG_FILE: folder.file('fonts.conf') },
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      folder.remove()
    },
  }
}

/**
 * Makes the window as high as the page, and stops what moves. A picture of more than the window would move the window below
 * the pointer, and what the pointer shows may go.
 */
export async function holdStill(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('* { transition: none !important; animation: none !important; -webkit-tap-highlight-color: transparent !important }')
    document.adoptedStyleSheets.push(sheet)
  })()`)
  await fitWindow(page)
}

async function fitWindow(page: Page): Promise<void> {
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  const size = page.viewportSize()
  if (size !== null && height > size.height) await page.setViewportSize({ width: size.width, height })
}

/** A picture in WebP. @param part of the page; else all of it */
export async function takePicture(page: Page, part?: Locator): Promise<Buffer> {
  await fitWindow(page)
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const box = part === undefined ? null : await part.boundingBox()
  if (part !== undefined && box === null) throw new Error(`${String(part)} is not to be seen`)
  const clip = box ?? { x: 0, y: 0, width, height }
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 60,
    clip: { ...clip, scale: 0.5 },
  })
  await session.detach()
  return Buffer.from(data, 'base64')
}

/** What two pictures differ in: nothing if they are as large as each other, and no cell differs. */
export interface PictureDifference {
  /** Width and height in pixels. */
  readonly sizes: { readonly golden: readonly number[]; readonly found: readonly number[] }
  /** Cells that differ: the place of each in CSS pixels of the picture, and by how much of 255 its colour differs. */
  readonly cells: readonly { readonly x: number; readonly y: number; readonly by: number }[]
}

/** The width and height of a cell in pixels of a picture: 16 CSS pixels, a line of text. */
const cell = 8
/** Limit of the difference of a cell's mean colour, of 255. */
const colourTolerance = 14

/** @param golden, found in WebP */
export async function differenceOf(
  browser: Browser,
  golden: Buffer,
  found: Buffer,
): Promise<PictureDifference> {
  const page = await browser.newPage()
  try {
    const both = JSON.stringify([golden.toString('base64'), found.toString('base64')])
    return await page.evaluate<PictureDifference>(`(${compare})(${both}, ${cell}, ${colourTolerance})`)
  } finally {
    await page.close()
  }
}

/** Runs in the browser. */
const compare = `async (both, cell, tolerance) => {
  const meansOf = async (base64) => {
    const image = new Image()
    image.src = 'data:image/webp;base64,' + base64
    await image.decode()
    const { width, height } = image
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d', { willReadFrequently: true })
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    const columns = Math.ceil(width / cell)
    const sums = new Float64Array(columns * Math.ceil(height / cell) * 4)
    for (let at = 0; at < width * height; at++) {
      const place = (Math.floor(Math.floor(at / width) / cell) * columns + Math.floor((at % width) / cell)) * 4
      for (let channel = 0; channel < 3; channel++) sums[place + channel] += data[at * 4 + channel]
      sums[place + 3]++
    }
    return { size: [width, height], columns, means: sums }
  }
  const [golden, found] = await Promise.all(both.map(meansOf))
  const cells = []
  for (let place = 0; place < Math.min(golden.means.length, found.means.length); place += 4) {
    const mean = ({ means }, channel) => means[place + channel] / means[place + 3]
    const by = Math.max(...[0, 1, 2].map((channel) => Math.abs(mean(golden, channel) - mean(found, channel))))
    const index = place / 4
    if (by > tolerance)
      cells.push({
        x: (index % golden.columns) * cell * 2,
        y: Math.floor(index / golden.columns) * cell * 2,
        by: Math.round(by),
      })
  }
  return { sizes: { golden: golden.size, found: found.size }, cells }
}`

/** @returns null if there is none */
export const readPicture = (file: string): Buffer | null => (existsSync(file) ? readFileSync(file) : null)
