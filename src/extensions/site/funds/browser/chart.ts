/** A chart of one line: a cursor with the value of a day, and, for prices, buttons for ranges. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import {
  type AdjustedPrice,
  type DayPrice,
  type FundActions,
  noActions,
  pricesSince,
} from '../../../../core/layout/total-return.ts'
import { unpacked } from '../chart/actions.ts'
import { amountIn, dayIn, decimalIn } from '../../../../core/layout/formats.ts'
import { depthOf } from '../chart/charts.ts'
import {
  indexLine,
  type PriceLine,
  priceLine,
  priceLineChange,
  priceLineShapes,
} from '../chart/price-line.ts'
import { followAddress } from '../../../../core/layout/browser/address.ts'
import { messageWith } from '../../../../core/layout/browser/message.ts'
import { fetchPrices, yearToAsk, yearOf } from './prices.ts'
import { firstDayOf } from './first-day.ts'
import { chosenRange, limitRanges, onRange, rangeChoices, showRange, wholeRange } from './ranges.ts'
import { eventKey, lineKey } from './keys.ts'
import { type Say, sayOf } from './say.ts'
import { exploreChart, nearestDay, type TipRow } from './stage.ts'
import { stretchChange, stretchText } from './stretch.ts'

const navKey = () => lineKey(0)
const reinvestedKey = () => lineKey(1)

export function exploreLine(figure: HTMLElement, language: Language): void {
  const { points = '', currency, pricesOf } = figure.dataset
  // The ranges of an index show the prices of another figure.
  const source = (pricesOf === undefined ? null : document.getElementById(pricesOf)) ?? figure
  const isIndex = source !== figure
  const { distributions = '', splits = '' } = source.dataset
  const actions = unpacked({ distributions, splits })
  const say = sayOf(source)
  const name = figure.dataset['name'] ?? ''
  const words = { nav: name, reinvested: say('reinvested'), perYear: say('perYear') }
  const drawn = figure.querySelector('.drawn')
  const change = figure.querySelector<HTMLElement>('.change')
  const history = historyOf(source)
  const explore = exploreChart(figure)

  /** @param actions what the tip names @returns the line */
  const take = (line: PriceLine, actions: FundActions) => {
    const { plot, navs, reinvested } = line
    const days = navs.map(({ day }) => day)
    const amount = (nav: string) =>
      currency === undefined ? decimalIn(language, nav) : amountIn(language, nav, currency)
    explore({
      last: navs.length - 1,
      nearest: (share) => nearestDay(days, plot.first + share * plot.days),
      at: (index) => {
        const value = navs[index]
        const total = reinvested?.[index]
        return (
          value && {
            x: (value.day - plot.first) / plot.days,
            dots: [value, ...(total === undefined ? [] : [total])].map((price, style) => ({
              y: depthOf(plot.axis, price.value),
              style,
            })),
            heading: dayIn(language, isoOf(value.day)),
            rows: [
              ...(total === undefined
                ? [{ name: '', value: amount(value.nav) }]
                : [
                    { name, value: amount(value.nav), key: navKey },
                    { name: say('reinvested'), value: amount(total.nav), key: reinvestedKey },
                  ]),
              ...eventsBetween(actions, navs[index - 1]?.day ?? value.day, value.day, say, {
                language,
                amount,
              }),
            ],
          }
        )
      },
      between: (first, last) => {
        const from = navs[first]
        const to = navs[last]
        if (from === undefined || to === undefined) return undefined
        const changeOf = (prices: readonly AdjustedPrice[]) => {
          const ratio = (prices[last]?.value ?? NaN) / (prices[first]?.value ?? NaN)
          return stretchChange(language, say, ratio, from.day, to.day)
        }
        const values = { name: '', value: `${amount(from.nav)} → ${amount(to.nav)}` }
        return {
          heading: stretchText(language, say, from.day, to.day),
          rows:
            reinvested === null
              ? [values, { name, value: changeOf(navs) }]
              : [
                  values,
                  { name, value: changeOf(navs), key: navKey },
                  { name: say('reinvested'), value: changeOf(reinvested), key: reinvestedKey },
                ],
        }
      },
    })
    return line
  }

  const wholeActions = isIndex ? noActions : actions
  const whole = priceLine(pointsIn(points), wholeActions)
  take(whole, wholeActions)
  const ranges = source.querySelector('.ranges')
  if (isIndex && ranges !== null) figure.prepend(ranges.cloneNode(true))
  const buttons = rangeChoices(figure)
  if (buttons.length === 0) return
  const oldest = history.sample[0]?.day ?? 0
  const newest = history.sample.at(-1)?.day ?? 0
  limitRanges(figure, oldest, newest)
  let shown: string = wholeRange
  const show = async () => {
    const range = chosenRange(figure, wholeRange)
    if (range === shown || drawn === null || change === null) return
    shown = range
    const pressed = buttons.find(({ dataset }) => dataset['range'] === range)
    const period = pressed?.title ?? ''
    const tell = (text: string, again?: () => void) => {
      change.classList.add('callout', 'fault')
      change.replaceChildren(...messageWith(text, again && { label: say('again'), press: again }))
    }
    figure.setAttribute('aria-busy', 'true')
    // The change over another period must not stand beside this one's button. What is below does not move.
    change.style.minHeight = `${change.getBoundingClientRect().height}px`
    change.classList.remove('callout', 'fault')
    change.textContent = `${period}: …`
    const first = firstDayOf(range, newest)
    const answer = first === null ? null : await history.since(first)
    // A slow answer must not win over a later choice.
    if (range !== shown) return
    figure.removeAttribute('aria-busy')
    change.style.minHeight = ''
    const isWhole = answer?.isWhole ?? true
    const lineOf = (prices: readonly DayPrice[]) => {
      if (isIndex) return take(indexLine(prices, actions), noActions)
      // From another first day, reinvested distributions would be worth something else.
      const known = isWhole ? actions : { distributions: [], splits: actions.splits }
      return take(priceLine(prices, known), known)
    }
    const line = answer === null ? take(whole, wholeActions) : lineOf(answer.prices)
    drawn.innerHTML = priceLineShapes(line, language)
    if (isWhole && line.navs.length > 1)
      change.innerHTML = priceLineChange(line, language, { period, ...words })
    else if (isWhole) tell(say('few'))
    else if (location.protocol === 'file:') tell(say('folder'))
    else
      tell(say('failed'), () => {
        // The focus would be lost with the button.
        pressed?.focus()
        showRange()
      })
    // The next try asks again.
    if (!isWhole) shown = ''
  }
  onRange(figure, wholeRange, () => void show())
  followAddress(() => void show())
}

/** What was paid or split after a day, until another: with its own day, since a coarse line leaves days out. */
const eventsBetween = (
  { distributions, splits }: FundActions,
  after: number,
  until: number,
  say: Say,
  {
    language,
    amount: amountIn,
  }: { readonly language: Language; readonly amount: (decimal: string) => string },
): readonly TipRow[] => {
  const nameOf = (name: string, exDay: number) =>
    exDay === until ? say(name) : `${say(name)} ${dayIn(language, isoOf(exDay))}`
  const isThen = ({ exDay }: { readonly exDay: number }) => exDay > after && exDay <= until
  return [
    ...splits.filter(isThen).map(({ exDay }) => ({ name: '', value: nameOf('split', exDay), key: eventKey })),
    ...distributions.filter(isThen).map(({ exDay, amount }) => ({
      name: nameOf('distribution', exDay),
      value: amountIn(amount),
      key: eventKey,
    })),
  ]
}

/** @param flat pairs of day and value, each day relative to the one before */
function pointsIn(flat: string): readonly DayPrice[] {
  const parts = flat.split(' ')
  let day = 0
  return Array.from({ length: parts.length / 2 }, (_, index) => {
    day += Number(parts[2 * index])
    return { day, nav: parts[2 * index + 1] ?? '' }
  })
}

type History = ReturnType<typeof loadedHistory>

const histories = new WeakMap<HTMLElement, History>()

/** @returns the prices of a figure, which all charts of them share */
function historyOf(figure: HTMLElement): History {
  const { points = '', windows = '' } = figure.dataset
  const known = histories.get(figure) ?? loadedHistory(pointsIn(points), windows)
  histories.set(figure, known)
  return known
}

/** @param sample some of the prices @param windows the address of all */
function loadedHistory(sample: readonly DayPrice[], windows: string) {
  const years = new Map<number, Promise<readonly DayPrice[]>>()
  const ofYear = (year: number) => {
    const known = years.get(year) ?? fetchPrices(windows, year, year)
    years.set(year, known)
    return known
  }
  return {
    sample,
    /** Every price since the last one at or before a day. If the API does not answer, some of them (`isWhole` is false). */
    since: async (first: number) => {
      const from = yearToAsk(first)
      const to = yearOf(sample.at(-1)?.day ?? 0)
      const asked = Array.from({ length: to - from + 1 }, (_, index) => ofYear(from + index))
      const found = await Promise.all(asked).catch(() => [])
      const prices = pricesSince(found.flat(), first)
      if (prices.length > 0) return { prices, isWhole: true }
      years.clear()
      return { prices: pricesSince(sample, first), isWhole: false }
    },
  }
}
