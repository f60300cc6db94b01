/** A chart of one line: a cursor with the value of a day, and, for prices, buttons for ranges. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import { type DayPrice, type FundActions, pricesSince } from '../../../../core/layout/total-return.ts'
import { unpacked } from '../chart/actions.ts'
import { amountIn, changeIn, dayIn, decimalIn } from '../../../../core/layout/formats.ts'
import { depthOf } from '../chart/charts.ts'
import { priceLine, priceLineChange, priceLineShapes } from '../chart/price-line.ts'
import { followAddress } from '../../../../core/layout/browser/address.ts'
import { messageWith } from '../../../../core/layout/browser/message.ts'
import { fetchPrices, yearToAsk, yearOf } from './prices.ts'
import { firstDayOf } from './first-day.ts'
import { chosenRange, limitRanges, onRange, rangeChoices, wholeRange } from './ranges.ts'
import { eventKey, lineKey } from './keys.ts'
import { type Say, sayOf } from './say.ts'
import { exploreChart, nearestDay, type TipRow } from './stage.ts'
import { stretchText } from './stretch.ts'

const navKey = () => lineKey(0)
const reinvestedKey = () => lineKey(1)

export function exploreLine(figure: HTMLElement, language: Language): void {
  const { points = '', windows = '', currency, distributions = '', splits = '' } = figure.dataset
  const actions = unpacked({ distributions, splits })
  const say = sayOf(figure)
  const words = { nav: say('nav'), reinvested: say('reinvested'), perYear: say('perYear') }
  const drawn = figure.querySelector('.drawn')
  const change = figure.querySelector<HTMLElement>('.change')
  const history = historyOf(points, windows)
  const explore = exploreChart(figure)

  /** Explores the line of prices. @returns it */
  const take = (prices: readonly DayPrice[], actions: FundActions) => {
    const line = priceLine(prices, actions)
    const { plot, navs, reinvested } = line
    const days = navs.map(({ day }) => day)
    const amount = (nav: string) =>
      currency === undefined ? decimalIn(language, nav) : amountIn(language, nav, currency)
    /** @returns how a line has changed from a place to another, in percent */
    const changeOf = (prices: readonly { readonly value: number }[], first: number, last: number) => {
      const ratio = (prices[last]?.value ?? NaN) / (prices[first]?.value ?? NaN)
      return Number.isFinite(ratio) ? changeIn(language, (ratio - 1) * 100) : '–'
    }
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
                    { name: say('nav'), value: amount(value.nav), key: navKey },
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
      between: (first, last) => ({
        heading: stretchText(language, say, navs[first]?.day ?? 0, navs[last]?.day ?? 0),
        rows:
          reinvested === null
            ? [{ name: '', value: changeOf(navs, first, last) }]
            : [
                { name: say('nav'), value: changeOf(navs, first, last), key: navKey },
                { name: say('reinvested'), value: changeOf(reinvested, first, last), key: reinvestedKey },
              ],
      }),
    })
    return line
  }

  take(history.sample, actions)
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
    const answer = first === null ? { prices: history.sample, isWhole: true } : await history.since(first)
    // A slow answer must not win over a later choice.
    if (range !== shown) return
    figure.removeAttribute('aria-busy')
    change.style.minHeight = ''
    const { prices, isWhole } = answer
    // From another first day, reinvested distributions would be worth something else.
    const line = take(prices, isWhole ? actions : { distributions: [], splits: actions.splits })
    drawn.innerHTML = priceLineShapes(line, language)
    if (isWhole && prices.length > 1) change.innerHTML = priceLineChange(line, language, { period, ...words })
    else if (isWhole) tell(say('few'))
    else if (location.protocol === 'file:') tell(say('folder'))
    else
      tell(say('failed'), () => {
        // The focus would be lost with the button.
        pressed?.focus()
        shown = ''
        void show()
      })
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

/** @param flat pairs of day and value, each day relative to the one before @param windows their address */
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
    /** Every price since the last one at or before a day. If the API does not answer, some of them (`isWhole` is false). */
    since: async (first: number) => {
      const from = yearToAsk(first)
      const to = yearOf(sample.at(-1)?.day ?? 0)
      const asked = Array.from({ length: to - from + 1 }, (_, index) => ofYear(from + index))
      const found = await Promise.all(asked).catch(() => [])
      const prices = pricesSince(found.flat(), first)
      if (prices.length > 0) return { prices, isWhole: true }
      // The next try asks again.
      years.clear()
      return { prices: pricesSince(sample, first), isWhole: false }
    },
  }
}
