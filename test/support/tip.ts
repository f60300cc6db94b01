/** Asks a page where the tip of a chart stands, by what is drawn. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

interface TipPlace {
  /** True if it is within the chart and the window. */
  readonly isWithin: boolean
  /** True if it lies beside the cursor, on one side. */
  readonly isBeside: boolean
  /** Names at the ends of lines that it covers. */
  readonly names: readonly string[]
  /** In pixels: from the top of the plot to the highest line below the tip, and from the lowest one to the bottom. */
  readonly above: number
  readonly below: number
  /** True if it stands in the lower half of the plot. */
  readonly isLow: boolean
}

/** Below this difference, neither half of a plot has more room to the eye. */
const seen = 16

/** Expects the tip beside the cursor, over no name, and where the lines that it covers leave more room. @param chart of lines that has a tip */
export async function expectTipAside(page: Page, chart: string): Promise<void> {
  const { above, below, isLow, ...place } = await page.evaluate<TipPlace>(
    `(${placeOfTip})(document.querySelector(${JSON.stringify(chart)}))`,
  )
  expect(place).toEqual({ isWithin: true, isBeside: true, names: [] })
  if (Math.abs(above - below) > seen)
    expect({ above, below, isLow }).toEqual({ above, below, isLow: below > above })
}

/** Runs in the browser. */
const placeOfTip = `(chart) => {
  const boxOf = (selector) => chart.querySelector(selector).getBoundingClientRect()
  const tip = boxOf('.tip')
  const cursor = boxOf('.cursor')
  const stage = boxOf('.stage')
  const depths = [...chart.querySelectorAll('.drawn .plot path')].flatMap((path) => {
    const toScreen = path.getScreenCTM()
    const [x, y, ...steps] = path.getAttribute('d').match(/-?\\d+/g).map(Number)
    const point = new DOMPoint(x, y)
    const found = []
    for (let index = 0; index < steps.length; index += 2) {
      point.x += steps[index]
      point.y += steps[index + 1]
      const { x, y } = point.matrixTransform(toScreen)
      if (x >= tip.left && x <= tip.right) found.push(y)
    }
    return found
  })
  const isCovered = (name) => {
    const { left, right, top, bottom } = name.getBoundingClientRect()
    return left < tip.right && right > tip.left && top < tip.bottom && bottom > tip.top
  }
  return {
    isWithin: tip.left >= 0 && tip.right <= innerWidth && tip.top >= stage.top && tip.bottom <= stage.bottom + 1,
    isBeside: tip.left > cursor.left || tip.right < cursor.right,
    names: [...chart.querySelectorAll('.end text')].filter(isCovered).map((name) => name.textContent),
    above: Math.min(...depths) - cursor.top,
    below: cursor.bottom - Math.max(...depths),
    isLow: tip.top + tip.bottom > cursor.top + cursor.bottom,
  }
}`
