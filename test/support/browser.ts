/** A real browser (Chromium by playwright-core) that looks at pages as people do, and tells what it saw. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
  type Response,
} from 'playwright-core'
import { expect } from 'vitest'
import { rounds } from './rounds.ts'

// The headless shell first: the same engine without the browser's own windows, which cost four times the work of a page.
const places = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)
const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place))

/** Why pages cannot be looked at here; undefined where they can. In CI a missing browser is a failure. */
export const whyNoBrowser =
  executablePath === undefined && process.env['CI'] !== 'true'
    ? `Chromium is at none of ${places.join(', ')} (CHROMIUM names another place)`
    : undefined

interface BrowserOptions {
  /** More flags of its command line. */
  readonly args?: readonly string[]
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

export function openBrowser({ args = [], env = {} }: BrowserOptions = {}): Promise<Browser> {
  if (executablePath === undefined) throw new Error(`no Chromium: ${places.join(', ')}`)
  // A container's root may not have a sandbox, and its /dev/shm may be small.
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath,
    chromiumSandbox: !isRoot,
    // Without a GPU its process only passes on what a thread can draw.
    args: ['--disable-dev-shm-usage', '--disable-gpu', '--in-process-gpu', '--hide-scrollbars', ...args],
    env: { ...process.env, ...env },
  })
}

/** How somebody looks at a page. */
export interface Look {
  readonly scheme: 'light' | 'dark'
  /** CSS pixels */
  readonly width: number
  readonly height: number
  /** true unless given */
  readonly scripts?: boolean
  /** Whether a finger points instead of a mouse; false unless given. */
  readonly touch?: boolean
  /** IANA, `Asia/Kolkata`; Berlin at a given time, or else that of the machine, unless given. */
  readonly timeZone?: string
}

export const desktopLight: Look = { scheme: 'light', width: 1280, height: 900 }
const desktopDark: Look = { scheme: 'dark', width: 1280, height: 900 }
export const phoneLight: Look = { scheme: 'light', width: 360, height: 740 }
export const phoneDark: Look = { scheme: 'dark', width: 360, height: 740 }

/**
 * Each page with two of the looks, the next page with the other two: what all pages share is seen in all four, and what
 * a page has of its own in each scheme and at each width. In a run of one round, each page with one look.
 * @param looks 1: each page with one look in every run
 */
export function inTurn<T>(
  pages: readonly T[],
  looks: 1 | 2 = rounds > 1 ? 2 : 1,
): (readonly [page: T, name: string, look: Look])[] {
  const even = [['a desktop in light', desktopLight] as const, ['a phone in dark', phoneDark] as const]
  const odd = [['a desktop in dark', desktopDark] as const, ['a phone in light', phoneLight] as const]
  return pages.flatMap((page, index) =>
    (index % 2 === 0 ? even : odd)
      .filter((_, which) => looks === 2 || which === (index >> 1) % 2)
      .map(([name, look]) => [page, name, look] as const),
  )
}

export type Visit = Awaited<ReturnType<typeof visit>>

/**
 * Opens a page and waits until it and what it asks for are there. Nothing of earlier visits is in its cache.
 * @param now the time in ISO 8601 at which the page is looked at, a minute after its snapshot went live; else as it is
 */
export async function visit(browser: Browser, url: string, look: Look = desktopLight, now?: string) {
  const timeZone = look.timeZone ?? (now === undefined ? undefined : 'Europe/Berlin')
  const context = await browser.newContext({
    colorScheme: look.scheme,
    viewport: { width: look.width, height: look.height },
    javaScriptEnabled: look.scripts ?? true,
    hasTouch: look.touch ?? false,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...(timeZone !== undefined && { timezoneId: timeZone }),
  })
  const strangers = await refuseStrangers(context, new URL(url))
  const page = await context.newPage()
  if (now !== undefined) await standStill(page, new Date(now))
  const complaints = complaintsOf(page)
  const unfollowed = await watchForUnfollowed(page)
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  await page.goto(url, { waitUntil: 'load' })
  await page.waitForLoadState('networkidle')
  return {
    page,
    /** Errors and warnings of the console, uncaught errors, requests that failed or were answered with 400 and more. */
    complaints,
    /** Addresses on other hosts that were asked for: each was refused. */
    strangers,
    /** The sizes of what was loaded, uncompressed. */
    weights: () => Promise.all(responses.map(async (response) => (await response.body()).length)),
    /** Closes the page. Fails if a link was pressed or a form was sent in another way than by `follow`. */
    end: async () => {
      await context.close()
      if (unfollowed.length > 0) throw new Error(`pressed without follow(): ${unfollowed.join(', ')}`)
    },
  }
}

/** Pages on which `follow` waits. */
const followed = new WeakSet<Page>()

/**
 * Presses a link, or another control that leads to another document. Waits until that document has loaded and its scripts have
 * run: until then, the page answers for the old document, or for the part of the new one that has arrived. Answers that the scripts
 * ask for may come later.
 */
export async function follow(link: Locator, how: 'click' | 'Enter' = 'click'): Promise<void> {
  const page = link.page()
  followed.add(page)
  try {
    await Promise.all([page.waitForEvent('load'), how === 'Enter' ? link.press(how) : link.click()])
  } finally {
    followed.delete(page)
  }
}

/** Taps a place in the window. The browser answers before the page has heard of the tap: waits for the press that it becomes. */
export async function tap(page: Page, x: number, y: number): Promise<void> {
  await page.evaluate(
    `void (globalThis.tapped = new Promise((heard) =>
      addEventListener('mouseup', () => heard(), { capture: true, once: true })))`,
  )
  await page.touchscreen.tap(x, y)
  await page.evaluate('globalThis.tapped')
}

/** Waits for the next frame of a page. The page hears of fingers that move with a frame, after the browser has answered. */
export const nextFrame = (page: Page) =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => drawn()))')

/** @returns addresses that links and forms lead to without `follow`: whoever asks the page then may be answered by the wrong document */
async function watchForUnfollowed(page: Page): Promise<readonly string[]> {
  const unfollowed: string[] = []
  const session = await page.context().newCDPSession(page)
  session.on('Page.frameRequestedNavigation', ({ reason, url, disposition }) => {
    const isPressed = reason === 'anchorClick' || reason.startsWith('formSubmission')
    if (isPressed && disposition === 'currentTab' && !followed.has(page)) unfollowed.push(url)
  })
  await session.send('Page.enable')
  return unfollowed
}

/** The edge says as Last-Modified when a snapshot went live. */
async function standStill(page: Page, now: Date): Promise<void> {
  await page.clock.setFixedTime(now)
  const live = new Date(now.getTime() - 60_000).toUTCString()
  await page.route('**/status/**', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'last-modified': live } })
  })
}

async function refuseStrangers(context: BrowserContext, home: URL) {
  const strangers: string[] = []
  await context.route('**/*', async (route) => {
    const url = new URL(route.request().url())
    if (['data:', 'blob:'].includes(url.protocol) || url.host === home.host) return route.continue()
    strangers.push(url.href)
    return route.abort()
  })
  return strangers
}

function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('requestfailed', (request) => {
    // Who follows a link ends what the page before it still loads.
    const why = request.failure()?.errorText
    if (why !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}: ${why}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  return complaints
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
// Preloading would ask for files, which file:// refuses. To describe each element without a fault takes half the time.
const findViolations = `axe.run({ preload: false, resultTypes: ['violations'], selectors: false })
  .then(({ violations }) => violations)`

/** @returns what axe-core finds: rule, help, and the elements concerned */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  // Run by the debugger: the page's own security policy has no say in it.
  await page.evaluate(axe)
  const violations = await page.evaluate<AxeResults['violations']>(findViolations)
  return violations.map(
    ({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`,
  )
}

/** @returns elements that make the page wider than its window, so that it scrolls sideways: how far, and what they are */
export const overhang = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > clientWidth)
    return [scrollWidth - clientWidth + ' px', ...wide.map((each) => each.cloneNode(false).outerHTML)]
  })()`)

/** @returns the texts of cells in the list of funds, and in tables of the status, that are wider than their column */
export const wideCells = (page: Page) =>
  page.evaluate<string[]>(
    '[...document.querySelectorAll(":is(.funds, .watched) .number")].filter((cell) => cell.scrollWidth > cell.clientWidth).map(({ textContent }) => textContent)',
  )

/** @returns words that stand on two lines without a hyphen; a word with soft hyphens has one */
export const brokenWords = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const found = []
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const place = text.parentElement
      if (!place.checkVisibility() || place.closest('code, svg, .unseen')) continue
      for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\u00ad]{6,}/gu)) {
        if (word.includes('\u00ad')) continue
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word)
      }
    }
    return found
  })()`)

/** Expects a page that everybody can use: no accessibility fault, no sideways scrolling, no error, nothing from other hosts. */
export async function expectSound({ page, complaints, strangers }: Visit): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await overhang(page)).toEqual([])
  expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
}

/**
 * Goes through a page with the Tab key, from the first stop to the last.
 * @param selector of what has to be reached
 * @returns the outer HTML of visible elements that were not, without their content
 */
export async function unreachedByKeyboard(page: Page, selector: string): Promise<readonly string[]> {
  const wanted = await page.evaluate<number>(
    `(() => {
      const visible = (element) => element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0
      const all = [...document.querySelectorAll(${JSON.stringify(selector)})].filter(visible)
      globalThis.unreached = new Set(all)
      document.addEventListener('focusin', ({ target }) => globalThis.unreached.delete(target))
      document.activeElement?.blur()
      return document.querySelectorAll('*').length
    })()`,
  )
  for (let presses = 0; presses < wanted; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate<boolean>('globalThis.unreached.size === 0')) break
  }
  return page.evaluate<string[]>(
    '[...globalThis.unreached].map((element) => element.cloneNode(false).outerHTML)',
  )
}

/** For `evaluateAll`: it runs in the browser. */
export const hrefs = (links: readonly { readonly getAttribute: (name: string) => string | null }[]) =>
  links.map((link) => link.getAttribute('href') ?? '')

/** An expression: the sum of the layout shifts of the last 300 ms, and of all before. Source: W3C, Layout Instability. */
export const sumOfShifts = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (sum += value)))
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 300)
})`
