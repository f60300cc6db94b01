/** What pictures are taken of: pages and their states, each in four settings. */
import type { Browser, Locator, Page } from 'playwright-core'
import { tap, visit, type Look } from '../../support/browser.ts'
import { holdStill, takePicture } from '../../support/picture.ts'
import { isins } from '../browser/page-kinds.ts'

export interface Setting {
  readonly name: string
  readonly language: 'en' | 'de'
  readonly look: Look
}

export const settings: readonly Setting[] = [
  { name: 'en-1440', language: 'en', look: { scheme: 'light', width: 1440, height: 900 } },
  { name: 'de-390', language: 'de', look: { scheme: 'light', width: 390, height: 800, touch: true } },
  { name: 'de-768', language: 'de', look: { scheme: 'dark', width: 768, height: 1000 } },
  { name: 'en-600', language: 'en', look: { scheme: 'dark', width: 600, height: 900, touch: true } },
]

/** Presses or points at a place, by mouse or finger. */
type At = (where: Locator, share?: number) => Promise<void>

export interface Scene {
  readonly name: string
  /** The page in English, and in German if it has another address. */
  readonly path: string
  readonly germanPath?: string
  /** Brings about the state. @returns the part to be taken, or nothing for the whole page */
  readonly steps?: (
    page: Page,
    acts: { readonly press: At; readonly point: At },
  ) => Promise<Locator | undefined>
}

const fund = `funds/${isins.whole}/`
const compared = [isins.whole, isins.accumulating, isins.young].join(',')

export const scenes: readonly Scene[] = [
  { name: 'start', path: '', germanPath: 'de.html' },
  { name: 'list', path: 'funds/', germanPath: 'funds/de.html' },
  {
    name: 'list-chosen',
    path: 'funds/',
    germanPath: 'funds/de.html',
    steps: async (page, { press }) => {
      for (const nth of [0, 1]) {
        await press(page.locator('.select').nth(nth))
        await page.locator('.select input:checked').nth(nth).waitFor()
      }
      return undefined
    },
  },
  {
    name: 'fund',
    path: fund,
    germanPath: `${fund}de.html`,
    // To the other view and back: what lies over a tab would keep the page in the other one.
    steps: async (page, { press }) => {
      await press(page.locator('.tabs.views label, .views label').nth(1))
      await press(page.locator('.tabs.views label, .views label').first())
      return undefined
    },
  },
  {
    name: 'fund-tooltip',
    path: fund,
    germanPath: `${fund}de.html`,
    steps: async (page, { point }) => {
      await point(page.locator('#nav .stage'), 0.45)
      await page.locator('#nav .tip').waitFor()
      return page.locator('#nav')
    },
  },
  {
    name: 'fund-not-loaded',
    path: fund,
    germanPath: `${fund}de.html`,
    steps: async (page, { press }) => {
      await page.route('**/prices-historic/**', (route) => route.abort())
      await press(page.locator('#nav .ranges [data-range="1Y"]'))
      await page.locator('#nav .fault').waitFor()
      return page.locator('#nav')
    },
  },
  { name: 'fund-merged', path: `funds/${isins.merged}/`, germanPath: `funds/${isins.merged}/de.html` },
  {
    name: 'compare',
    path: `compare/?isins=${compared}`,
    germanPath: `compare/de.html?isins=${compared}`,
    steps: async (page, { point }) => {
      await point(page.locator('.stage').first(), 0.6)
      return undefined
    },
  },
  { name: 'changes', path: 'changes/?day=2026-11-21', germanPath: 'changes/de.html?day=2026-11-21' },
  { name: 'status', path: 'status/', germanPath: 'status/de.html' },
  { name: 'downloads', path: 'downloads/latest/', germanPath: 'downloads/latest/de.html' },
  { name: 'docs', path: 'docs/', germanPath: 'docs/de/' },
  { name: 'endpoints', path: 'docs/v1/endpoints/prices/', germanPath: 'docs/de/v1/endpoints/prices/' },
  { name: 'chart', path: `funds/${isins.whole}/chart.svg` },
]

/** The moment at which readers look at the pages. */
const now = '2026-11-21T09:30:00Z'

/** How a test brings a fault back. */
export interface Fault {
  /** Before the state of the scene is brought about. */
  readonly before?: (page: Page) => Promise<unknown>
  /** After that. */
  readonly after?: (page: Page) => Promise<unknown>
}

/** @returns the picture in WebP */
export async function photograph(
  browser: Browser,
  base: string,
  {
    scene,
    setting,
    fault = {},
  }: { readonly scene: Scene; readonly setting: Setting; readonly fault?: Fault },
): Promise<Buffer> {
  const { language, look } = setting
  const path = language === 'de' ? (scene.germanPath ?? scene.path) : scene.path
  const { page, end } = await visit(browser, `${base}/${path}`, look, now)
  try {
    await holdStill(page)
    await fault.before?.(page)
    const at = async (where: Locator, share = 0.5) => {
      await where.scrollIntoViewIfNeeded()
      const box = await where.boundingBox()
      if (box === null) throw new Error(`${String(where)} is not to be seen`)
      return [box.x + box.width * share, box.y + box.height / 2] as const
    }
    const touches = look.touch ?? false
    // A box that a finger has chosen is drawn in its last colour a little later.
    const settle = () =>
      page.evaluate(`new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150)))`)
    const press: At = async (where, share) => {
      const [x, y] = await at(where, share)
      await (touches ? tap(page, x, y) : page.mouse.click(x, y))
      await settle()
    }
    const point: At = async (where, share) => {
      const [x, y] = await at(where, share)
      await (touches ? tap(page, x, y) : page.mouse.move(x, y))
      await settle()
    }
    const part = await scene.steps?.(page, { press, point })
    await fault.after?.(page)
    return await takePicture(page, part)
  } finally {
    await end()
  }
}
