/** The price chart of a fund: buttons for ranges, and a cursor with the price of a day. */

import type { Language } from '../../../api/routes/table.ts'
import { isoOf } from '../../../system/day-number.ts'
import { dayIn, decimalIn } from '../chart/formats.ts'
import { depthOf, lineChart, linePath, plotOf } from '../chart/charts.ts'
import { followAddress } from './address.ts'
import { type DayPrice, fetchPrices, pricesSince, yearToAsk, yearOf } from './prices.ts'
import { chosenRange, firstDayOf, onRange, rangeChoices } from './ranges.ts'
import { exploreChart, nearestDay } from './stage.ts'

const whole = 'Max'

export function priceChart(figure: HTMLElement): void {
  const language: Language = document.documentElement.lang === 'de' ? 'de' : 'en'
  const { nav = '', windows = '', currency = '' } = figure.dataset
  const svg = figure.querySelector('svg')
  const drawn = figure.querySelector('.drawn')
  const stage = figure.querySelector<HTMLElement>('.stage')
  if (svg === null || drawn === null || stage === null) return
  const history = historyOf(nav, windows)
  const explore = exploreChart(stage, svg)

  /** Explores the prices. @returns their plot */
  const take = (prices: readonly DayPrice[]) => {
    const plot = plotOf(pointsOf(prices))
    const days = prices.map(({ day }) => day)
    explore({
      last: prices.length - 1,
      nearest: (share) => nearestDay(days, plot.first + share * plot.days),
      at: (index) => {
        const price = prices[index]
        return (
          price && {
            x: (price.day - plot.first) / plot.days,
            y: depthOf(plot.axis, Number(price.nav)),
            lines: [`${decimalIn(language, price.nav)} ${currency}, ${dayIn(language, isoOf(price.day))}`],
          }
        )
      },
    })
    return plot
  }

  const [oldest, newest] = [history.sample[0]?.day ?? 0, history.sample.at(-1)?.day ?? 0]
  for (const button of rangeChoices(figure)) {
    const first = firstDayOf(button.dataset['range'] ?? '', newest)
    button.disabled = first !== null && first <= oldest
  }
  let shown = whole
  const show = async () => {
    const range = chosenRange(figure, whole)
    if (range === shown) return
    shown = range
    figure.setAttribute('aria-busy', 'true')
    const first = firstDayOf(range, newest)
    const prices = first === null ? history.sample : await history.since(first)
    // A slow answer must not win over a later choice.
    if (range !== shown) return
    figure.removeAttribute('aria-busy')
    if (prices.length < 2) return
    const plot = take(prices)
    drawn.innerHTML = lineChart(plot, [linePath(pointsOf(prices), plot)], language)
  }
  take(history.sample)
  onRange(figure, whole, () => void show())
  followAddress(() => void show())
}

const pointsOf = (prices: readonly DayPrice[]) => prices.map(({ day, nav }) => ({ day, value: Number(nav) }))

/** @param flat pairs of day and NAV, each day relative to the one before @param windows their address */
function historyOf(flat: string, windows: string) {
  const sample: DayPrice[] = []
  const parts = flat.split(' ')
  let day = 0
  for (let index = 0; index < parts.length; index += 2) {
    day += Number(parts[index])
    sample.push({ day, nav: parts[index + 1] ?? '' })
  }
  const years = new Map<number, Promise<readonly DayPrice[]>>()
  const ofYear = (year: number) => {
    const known = years.get(year) ?? fetchPrices(windows, year, year)
    years.set(year, known)
    return known
  }
  return {
    sample: sample as readonly DayPrice[],
    /** Every price since the last one at or before a day; those of the sample if the API does not answer. */
    since: async (first: number) => {
      const [from, to] = [yearToAsk(first), yearOf(sample.at(-1)?.day ?? 0)]
      try {
        const found = await Promise.all(
          Array.from({ length: to - from + 1 }, (_, index) => ofYear(from + index)),
        )
        return pricesSince(found.flat(), first)
      } catch {
        years.clear()
        return pricesSince(sample, first)
      }
    },
  }
}
