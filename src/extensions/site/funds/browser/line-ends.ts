/** Names at the ends of a chart's lines: short, and never one over another. */

import { lineStyle } from '../chart/charts.ts'

interface LineEnd {
  readonly name: string
  readonly style: number
  /** From the top of the plot, as a share of its height. */
  readonly depth: number
}

/** A line of text in a chart of the least height, as a share of it. */
const leastDistance = 0.08
/** More letters have no room beside the chart. */
const mostLetters = 17

/** @returns for each line a key and its name, right of the plot */
export function lineEnds(ends: readonly LineEnd[]): readonly SVGElement[] {
  const depths = apart(ends.map(({ depth }) => depth))
  const names = shortened(ends.map(({ name }) => name))
  return ends.map(({ style }, index) => {
    const end = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    end.setAttribute('class', 'end')
    end.setAttribute('x', '100%')
    end.setAttribute('y', `${(depths[index] ?? 0) * 100}%`)
    end.innerHTML = `<line class="${lineStyle(style)}" x1="6" x2="26"/><text x="32" dy=".32em"></text>`
    const text = end.querySelector('text')
    if (text !== null) text.textContent = names[index] ?? ''
    return end
  })
}

/** Moves what is too close: downwards from the highest, then upwards from the bottom. */
function apart(depths: readonly number[]): readonly number[] {
  const order = [...depths.keys()].sort((one, other) => (depths[one] ?? 0) - (depths[other] ?? 0))
  const moved = [...depths]
  let least = 0
  for (const index of order) {
    moved[index] = Math.max(least, moved[index] ?? 0)
    least = moved[index] + leastDistance
  }
  let most = 1
  for (const index of order.reverse()) {
    moved[index] = Math.min(most, moved[index] ?? 0)
    most = moved[index] - leastDistance
  }
  return moved
}

/** Leaves out the words that all names begin with, and letters at the end. */
function shortened(names: readonly string[]): readonly string[] {
  const words = names.map((name) => name.split(' '))
  const [first = []] = words
  const differs = first.findIndex((word, index) => words.some((other) => other[index] !== word))
  return words.map((all) => {
    const letters = [...all.slice(Math.max(0, Math.min(differs, all.length - 1))).join(' ')]
    return letters.length > mostLetters
      ? `${letters
          .slice(0, mostLetters - 1)
          .join('')
          .trimEnd()}…`
      : letters.join('')
  })
}
