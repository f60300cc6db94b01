/** Nothing lies over what can be pressed: the browser is asked at coordinates, and pressed by mouse and finger. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { tap, visit, whyNoBrowser, type Look } from '../../support/browser.ts'
import { coveredControls, pressControls } from '../../support/pressable.ts'
import { isComplete, sample } from '../../support/rounds.ts'
import { isins, pageKinds, usePageKinds } from './page-kinds.ts'

const widths = [320, 390, 600, 800, 1440]
const height = 800

describe.skipIf(whyNoBrowser !== undefined)('what can be pressed', () => {
  const site = usePageKinds()
  const withPage = async (path: string, look: Look, run: (page: Page) => Promise<void>) => {
    const { page, end } = await visit(site.browser(), `${site.base()}/${path}`, look)
    try {
      await run(page)
    } finally {
      await end()
    }
  }
  const expectNothingOver = async (page: Page, state: string, within?: string, at = widths) => {
    for (const width of at) {
      await page.setViewportSize({ width, height })
      expect({ state, width, covered: await coveredControls(page, within) }).toEqual({
        state,
        width,
        covered: [],
      })
    }
  }

  /** In CI each page at each width; elsewhere each kind of page in one language, at one width. */
  const looked = pageKinds.flatMap(([kind, language, path], index) => {
    const turn = index >> 1
    const at = isComplete ? widths : [widths[turn % widths.length] ?? 1440]
    return isComplete || index % 2 === turn % 2 ? [[kind, language, path, at] as const] : []
  })

  it.each(looked)(
    'has nothing over it, whatever is open or chosen: %s (%s)',
    async (_, language, path, at) => {
      const scheme = language === 'de' ? 'dark' : 'light'
      await withPage(path, { scheme, width: 1440, height }, async (page) => {
        const expectNothing = (state: string, within?: string, widthsOfState = at) =>
          expectNothingOver(page, state, within, widthsOfState)
        const few = isComplete ? [320, 1440] : at
        if (isComplete) await expectNothing('as it comes', undefined, [390])
        await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
        await expectNothing('with all details open')
        // The second view of two, and the bar that offers to compare what is selected.
        const others = '.views label + label input, .select input'
        const chosen = await page.evaluate<number>(`(() => {
          const all = document.querySelectorAll('${others}')
          for (const each of all) each.click()
          return all.length
        })()`)
        if (chosen > 0) await expectNothing('with other choices', undefined, few)
        for (const stage of await page.locator('.stage:visible').all()) {
          await stage.focus()
          await stage.press('End')
          await expectNothing('with the figures of a chart', 'figure', few)
        }
      })
    },
  )

  it('has nothing over the links of an open menu', async () => {
    for (const path of ['', 'docs/de/']) {
      await withPage(path, { scheme: 'light', width: 1440, height }, async (page) => {
        for (const width of widths.filter((each) => each < 1000)) {
          await page.setViewportSize({ width, height })
          await page.locator('.menu').click()
          expect(await page.locator('#menu').isVisible()).toBe(true)
          await expectNothingOver(page, 'with the menu', '#menu', [width])
          await page.keyboard.press('Escape')
        }
      })
    }
  })

  it('has nothing over the suggestions of a search field', async () => {
    for (const path of ['', `compare/de.html?isins=${isins.whole}`]) {
      await withPage(path, { scheme: 'light', width: 1440, height }, async (page) => {
        await page.locator('[role="combobox"]').fill('e')
        await page.locator('[role="option"]').nth(3).waitFor()
        await expectNothingOver(page, 'with suggestions', '.picker')
      })
    }
  })

  const loading = [
    `compare/?range=1y&isins=${isins.whole},${isins.accumulating}`,
    `funds/${isins.withoutIndex}/?range=1y`,
  ]
  it.each(loading)(
    'has nothing over it while prices load, and after they could not be loaded: %s',
    async (path) => {
      await withPage('docs/', { scheme: 'light', width: 1440, height }, async (page) => {
        const held = Promise.withResolvers<undefined>()
        await page.route('**/prices-historic/**', async (route) => {
          await held.promise
          await route.abort()
        })
        await page.goto(`${site.base()}/${path}`)
        await page.locator('figure[aria-busy]').waitFor()
        await expectNothingOver(page, 'while prices load')
        held.resolve(undefined)
        await page.getByRole('button', { name: 'Try again' }).waitFor()
        await expectNothingOver(page, 'after a failure')
      })
    },
  )

  const presses = [
    ['a mouse', 1440],
    ['a mouse', 800],
    ['a finger', 600],
    ['a finger', 390],
  ] as const
  /** Each page by one of them. */
  const pressedBy = pageKinds.map(([, , path], index) => {
    const [by, width] = presses[(index >> 1) % presses.length] ?? presses[0]
    return [by, width, path] as const
  })
  const pressOf = (page: Page, by: string) => (x: number, y: number) =>
    by === 'a finger' ? tap(page, x, y) : page.mouse.click(x, y)
  it.each(sample(pressedBy, { least: 9, turn: 1 }))(
    'is what a press arrives at, by %s on a page of %i pixels: /%s',
    async (by, width, path) => {
      const look: Look = { scheme: 'light', width, height, touch: by === 'a finger' }
      await withPage(path, look, async (page) => {
        await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
        const { pressed, missed } = await pressControls(page, pressOf(page, by), isComplete ? 80 : 20)
        expect(missed).toEqual([])
        // On a phone the links of the head are in its menu.
        expect(pressed).toBeGreaterThan(3)
      })
    },
  )

  const charts = (['whole', 'accumulating', 'withoutIndex'] as const).flatMap((kind) => [
    `funds/${isins[kind]}/`,
    `funds/${isins[kind]}/de.html`,
  ])
  const cases = presses.flatMap(([by, width]) => charts.map((path) => [by, width, path] as const))
  it.each(sample(cases, { least: 5 }))(
    'reacts wherever it is pressed, by %s on a page of %i pixels: tabs and ranges of %s',
    async (by, width, path) => {
      const look: Look = { scheme: 'light', width, height, touch: by === 'a finger' }
      await withPage(path, look, async (page) => {
        const press = pressOf(page, by)
        /** Presses each control left, in the middle and right. @param reset an expression: chooses another one */
        const pressAll = async (
          all: Locator,
          reset: string,
          isChosen: (control: Locator) => Promise<boolean>,
        ) => {
          for (const control of await all.all()) {
            const name = await control.textContent()
            for (const share of [0.1, 0.5, 0.9]) {
              await page.evaluate(reset)
              await control.scrollIntoViewIfNeeded()
              const box = await control.boundingBox()
              if (box === null) throw new Error(`${name} is not to be seen`)
              await press(box.x + box.width * share, box.y + box.height / 2)
              expect({ name, share, isChosen: await isChosen(control) }).toEqual({
                name,
                share,
                isChosen: true,
              })
            }
          }
          return all.count()
        }
        const ranges = await pressAll(
          page.locator('#nav .ranges button:enabled'),
          'document.querySelector("#nav .ranges button:not([aria-pressed=true]):enabled").click()',
          async (button) => (await button.getAttribute('aria-pressed')) === 'true',
        )
        expect(ranges).toBeGreaterThan(3)
        const tabs = await pressAll(
          page.locator('.tabs label'),
          'for (const each of document.querySelectorAll(".tabs input:not(:checked)")) each.click()',
          (label) => label.locator('input').isChecked(),
        )
        expect(tabs).toBe(path.includes(isins.withoutIndex) ? 2 : 4)
      })
    },
  )
})
