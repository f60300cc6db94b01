/** Pages look as their golden pictures do. `npm run pictures` takes these again; review looks at each. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../support/folders.ts'
import { differenceOf, openCamera, readPicture, whyNoPictures } from '../../support/picture.ts'
import { rounds } from '../../support/rounds.ts'
import { servePageKinds } from '../browser/page-kinds.ts'
import { photograph, scenes, settings, type Fault, type Scene, type Setting } from './scenes.ts'

/** Pictures that differ stay there, for those who want to know. */
const found = makeTempFolder()

const golden = ({ name }: Scene, setting: Setting) =>
  join(import.meta.dirname, `${name}-${setting.name}.webp`)

/** Limit of cells that may differ. */
const cellTolerance = 2
/** Limit in pixels of a picture, half of CSS pixels: fonts of another release may round a line up. */
const sizeTolerance = 2

describe.skipIf(whyNoPictures !== undefined)('pages look as before', () => {
  let site: Awaited<ReturnType<typeof servePageKinds>>
  let camera: Awaited<ReturnType<typeof openCamera>>
  beforeAll(async () => {
    site = await servePageKinds()
    camera = await openCamera()
    return async () => {
      await camera.close()
      await site.stop()
    }
  })

  /** @returns what a reader of the message has to know; null without a difference */
  const difference = async (scene: Scene, setting: Setting, fault: Fault = {}) => {
    const shown = await photograph(camera.browser, site.base, { scene, setting, fault })
    const file = found.file(`${scene.name}-${setting.name}.webp`)
    writeFileSync(file, shown)
    const expected = readPicture(golden(scene, setting))
    if (expected === null) return `there is no golden picture: npm run pictures (${file})`
    const { sizes, cells } = await differenceOf(camera.browser, expected, shown)
    const isAsLarge = sizes.golden.every(
      (size, side) => Math.abs(size - (sizes.found[side] ?? 0)) <= sizeTolerance,
    )
    if (isAsLarge && cells.length <= cellTolerance) return null
    return { file, sizes, first: cells.slice(0, 5), cells: cells.length }
  }

  const all = scenes.flatMap((scene, index) =>
    settings
      // In a run of one round each page in two settings.
      .filter((_, which) => rounds > 1 || which % 2 === index % 2)
      .map((setting) => [scene.name, setting.name, scene, setting] as const),
  )
  it.each(all)('%s, %s', async (_, __, scene, setting) => {
    expect(await difference(scene, setting)).toBeNull()
  })

  const style = (rules: string) => (page: Page) =>
    page.evaluate(`(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(${JSON.stringify(rules)})
      document.adoptedStyleSheets.push(sheet)
    })()`)
  /** Faults that pages had on 28 November 2026 and no test saw: each brought back. */
  const faults: readonly (readonly [what: string, scene: string, fault: Fault])[] = [
    [
      'a range button shows the change of a coarse sample where prices could not be loaded',
      'fund-not-loaded',
      {
        after: (page) =>
          page.evaluate(`document.querySelector('#nav .change').textContent = '1 year: +6.14%'`),
      },
    ],
    [
      'an invisible heading lies over a tab',
      'fund',
      {
        before: style(
          `.fund-head + section { position: relative }
          .fund-head + section > #price {
            position: absolute; inset: 0 auto auto 0; width: 6rem; height: 6rem; z-index: 1;
            opacity: 0; clip-path: none; pointer-events: auto
          }`,
        ),
      },
    ],
    [
      'a chart has no rules for its keys and its second line',
      'chart',
      {
        after: (page) =>
          page.evaluate(
            `for (const each of document.querySelectorAll('.key, .l2')) each.removeAttribute('class')`,
          ),
      },
    ],
    [
      'texts of a tooltip run together',
      'fund-tooltip',
      { after: style('.tip > * { display: inline !important }') },
    ],
  ]
  it.each(faults)('and it is seen when %s', async (_, name, fault) => {
    const scene = scenes.find((one) => one.name === name)
    const [setting] = settings
    if (scene === undefined || setting === undefined) throw new Error(`there is no scene ${name}`)
    expect(await difference(scene, setting)).toBeNull()
    expect(await difference(scene, setting, fault)).toMatchObject({ cells: expect.any(Number) })
  })
})
