/** The price chart: ranges to choose from, and a cursor that shows the price of a day, by mouse, touch or arrow keys. */

import type { Language } from '../../../api/routes/table.ts'
import { dayIn, dayNumber, decimalIn, isoOf } from '../chart/formats.ts'
import { depthOf, lineChart, linePath, plotOf } from '../chart/charts.ts'

export function priceChart(figure: HTMLElement): void {
  const language: Language = document.documentElement.lang === 'de' ? 'de' : 'en'
  const { nav = '', windows = '', currency = '' } = figure.dataset
  const svg = figure.querySelector('svg')
  const drawn = figure.querySelector('.drawn')
  const stage = figure.querySelector<HTMLElement>('.stage')
  if (svg === null || drawn === null || stage === null) return
  const history = historyOf(nav, windows)
  let prices = history.sample
  let plot = plotOf(pointsOf(prices))
  let chosen = prices.length - 1

  const cursor = document.createElement('div')
  cursor.className = 'cursor'
  const tip = document.createElement('div')
  tip.className = 'tip'
  stage.append(cursor, tip)
  nameStage(svg, stage)

  const tell = (index: number) => {
    chosen = Math.max(0, Math.min(prices.length - 1, index))
    const price = prices[chosen]
    if (price === undefined) return
    const x = (price.day - plot.first) / plot.days
    const y = depthOf(plot.axis, Number(price.nav))
    const text = `${decimalIn(language, price.nav)} ${currency}, ${dayIn(language, isoOf(price.day))}`
    tip.textContent = text
    stage.setAttribute('aria-valuemax', String(prices.length - 1))
    stage.setAttribute('aria-valuenow', String(chosen))
    stage.setAttribute('aria-valuetext', text)
    const { box, left, top, width, height } = plotBox(svg)
    cursor.style.transform = `translate(${left + x * width}px, ${top}px)`
    cursor.style.height = `${height}px`
    cursor.style.setProperty('--dot', `${y * height}px`)
    const edge = Math.max(0, Math.min(box.width - tip.offsetWidth, left + x * width - tip.offsetWidth / 2))
    tip.style.transform = `translate(${edge}px, 0)`
  }
  const show = (isShown: boolean) => stage.classList.toggle('told', isShown)

  stage.addEventListener('pointermove', ({ clientX }) => {
    const { box, left, width } = plotBox(svg)
    tell(nearest(prices, plot.first + ((clientX - box.left - left) / width) * plot.days))
    show(true)
  })
  stage.addEventListener('pointerleave', () => show(document.activeElement === stage))
  stage.addEventListener('focus', () => {
    tell(chosen)
    show(true)
  })
  stage.addEventListener('blur', () => show(false))
  stage.addEventListener('keydown', (event) => {
    const index = moved(event.key, chosen, prices.length - 1)
    if (event.key === 'Escape') show(false)
    if (index === null) return
    event.preventDefault()
    tell(index)
    show(true)
  })

  const draw = (next: readonly Price[]) => {
    prices = next
    plot = plotOf(pointsOf(next))
    drawn.innerHTML = lineChart(plot, linePath(pointsOf(next), plot), language)
    show(false)
    tell(next.length - 1)
  }
  ranges(figure, history.sample, async (first) => {
    const found = first === null ? history.sample : await history.since(first)
    if (found.length > 1) draw(found)
  })
  tell(chosen)
}

/** The padding of a drawing holds the axes; the plot lies within. */
function plotBox(svg: SVGSVGElement) {
  const box = svg.getBoundingClientRect()
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(svg)
  const [left, top] = [parseFloat(paddingLeft), parseFloat(paddingTop)]
  const width = box.width - left - parseFloat(paddingRight)
  return { box, left, top, width, height: box.height - top - parseFloat(paddingBottom) }
}

/** Moves the drawing's title and description to the element that the arrow keys work on. */
function nameStage(svg: SVGSVGElement, stage: HTMLElement): void {
  const [title, text] = [svg.querySelector('title'), svg.querySelector('desc')]
  stage.tabIndex = 0
  stage.setAttribute('role', 'slider')
  stage.setAttribute('aria-label', title?.textContent ?? '')
  stage.setAttribute('aria-description', text?.textContent ?? '')
  stage.setAttribute('aria-valuemin', '0')
  // A title would show as a second tooltip.
  title?.remove()
  text?.remove()
  svg.setAttribute('aria-hidden', 'true')
  svg.removeAttribute('role')
  svg.removeAttribute('aria-labelledby')
}

/** @param choose gets the first day of the range, or null for the whole history */
function ranges(
  figure: HTMLElement,
  sample: readonly Price[],
  choose: (first: number | null) => Promise<void>,
): void {
  const [oldest, newest] = [sample[0]?.day ?? 0, sample.at(-1)?.day ?? 0]
  const buttons = [...figure.querySelectorAll<HTMLButtonElement>('.ranges button')]
  let wanted = 0
  for (const button of buttons) {
    const first = firstOf(button.dataset['range'] ?? '', newest)
    button.disabled = first !== null && first <= oldest
    button.setAttribute('aria-pressed', String(first === null))
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button))
      const mine = ++wanted
      figure.setAttribute('aria-busy', 'true')
      // A slow answer must not win over a later choice.
      const chooseOnce = async () => {
        await choose(first)
        if (mine === wanted) figure.removeAttribute('aria-busy')
      }
      void chooseOnce()
    })
  }
  figure.classList.add('ready')
}

/** The first day of a range that ends with the newest price; null is the whole history. */
function firstOf(range: string, newest: number): number | null {
  const day = isoOf(newest)
  // A year counts from the last price of the year before.
  if (range === 'YTD') return dayNumber(`${Number(day.slice(0, 4)) - 1}-12-28`)
  const [, count = '', unit] = /^(\d+)([MY])$/.exec(range) ?? []
  if (unit === undefined) return null
  const start = new Date(`${day}T00:00:00Z`)
  const months = Number(count) * (unit === 'Y' ? 12 : 1)
  start.setUTCDate(1)
  start.setUTCMonth(start.getUTCMonth() - months)
  const lastOfMonth = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate()
  start.setUTCDate(Math.min(Number(day.slice(8)), lastOfMonth))
  return dayNumber(start.toISOString().slice(0, 10))
}

/** The index that a key leads to, or null for other keys. */
function moved(key: string, from: number, last: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: from - 1,
    ArrowDown: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    PageDown: from - 20,
    PageUp: from + 20,
    Home: 0,
    End: last,
  }
  return targets[key] ?? null
}

const pointsOf = (prices: readonly Price[]) => prices.map(({ day, nav }) => ({ day, value: Number(nav) }))

/** The index of the price that is nearest to a day. */
function nearest(prices: readonly Price[], day: number): number {
  let [low, high] = [0, prices.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((prices[middle]?.day ?? 0) <= day) low = middle
    else high = middle
  }
  const distance = (index: number) => Math.abs((prices[index]?.day ?? 0) - day)
  return distance(high) < distance(low) ? high : low
}

interface Price {
  /** Days since 1970-01-01. */
  readonly day: number
  /** Decimal text with a point. */
  readonly nav: string
}

/** @param flat pairs of day and NAV; each day after the first counts from the one before @param windows their address */
function historyOf(flat: string, windows: string) {
  const sample: Price[] = []
  const parts = flat.split(' ')
  let day = 0
  for (let index = 0; index < parts.length; index += 2) {
    day += Number(parts[index])
    sample.push({ day, nav: parts[index + 1] ?? '' })
  }
  const years = new Map<number, Promise<readonly Price[]>>()
  const ofYear = (year: number) => {
    const known = years.get(year) ?? fetchYear(windows, year)
    years.set(year, known)
    return known
  }
  return {
    sample: sample as readonly Price[],
    /** Every price since a day; if the API cannot be asked, the sample's. */
    since: async (first: number) => {
      const from = Number(isoOf(first).slice(0, 4))
      const to = Number(isoOf(sample.at(-1)?.day ?? 0).slice(0, 4))
      try {
        const found = await Promise.all(
          Array.from({ length: to - from + 1 }, (_, index) => ofYear(from + index)),
        )
        return within(found.flat(), first)
      } catch {
        years.clear()
        return within(sample, first)
      }
    },
  }
}

const within = (prices: readonly Price[], first: number) => prices.filter(({ day }) => day >= first)

/** The part of the answer that the chart reads. Historic prices carry a decimal comma. */
interface PricesAnswer {
  readonly prices: readonly { readonly date: string; readonly net_asset_value: { readonly value: string } }[]
}

/** A whole calendar year is one stored window. */
async function fetchYear(windows: string, year: number): Promise<readonly Price[]> {
  if (windows === '' || location.protocol === 'file:') throw new Error('there is no API')
  const response = await fetch(`${windows}${year}-01-01/${year}-12-31/?format=json`)
  if (!response.ok) throw new Error(`the API answered with ${response.status}`)
  const { prices } = (await response.json()) as PricesAnswer
  return prices.map(({ date, net_asset_value }) => ({
    day: dayNumber(date),
    nav: net_asset_value.value.replace(',', '.'),
  }))
}
