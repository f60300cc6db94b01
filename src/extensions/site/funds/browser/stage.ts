/** A chart to explore: a cursor shows the values of a place, by mouse, touch or arrow keys. */

/** A place of a chart, and the lines of its tip. */
interface Place {
  /** From the left of the plot, as a share of its width. */
  readonly x: number
  /** From its top, as a share of its height: for a dot. */
  readonly y?: number
  readonly lines: readonly string[]
  /** With it, the tip is a legend below the chart: as many lines would cover those of the chart. */
  readonly keyOf?: (line: number) => Element | null
}

export interface Places {
  /** The index of the last place; the first has 0. */
  readonly last: number
  readonly at: (index: number) => Place | undefined
  /** The index of the place that is nearest to a share of the plot's width. */
  readonly nearest: (share: number) => number
  /** Shows the values of a place beside the chart: its tip has the first line only. */
  readonly showBeside?: (index: number) => void
}

/** @param figure has a stage with the drawing @returns to be called after each drawing of the chart */
export function exploreChart(figure: ParentNode): (places: Places) => void {
  const stage = figure.querySelector<HTMLElement>('.stage')
  const svg = stage?.querySelector('svg') ?? null
  if (stage === null || svg === null) return () => undefined
  let places: Places = { last: 0, at: () => undefined, nearest: () => 0 }
  let chosen = 0
  const cursor = document.createElement('div')
  cursor.className = 'cursor'
  const tip = document.createElement('div')
  tip.className = 'tip'
  stage.append(cursor, tip)
  nameStage(svg, stage)

  const tell = (index: number) => {
    chosen = Math.max(0, Math.min(places.last, index))
    const place = places.at(chosen)
    if (place === undefined) return
    tip.classList.toggle('legend', place.keyOf !== undefined)
    tip.replaceChildren(
      ...(places.showBeside === undefined ? place.lines : place.lines.slice(0, 1)).flatMap((line, index) => {
        const item = document.createElement('span')
        const key = place.keyOf?.(index) ?? null
        item.append(...(key === null ? [] : [key]), line)
        // A space keeps texts apart also for those who read them without the style.
        return index === 0 ? [item] : [' ', item]
      }),
    )
    stage.setAttribute('aria-valuemax', String(places.last))
    stage.setAttribute('aria-valuenow', String(chosen))
    stage.setAttribute('aria-valuetext', place.lines.join(', '))
    places.showBeside?.(chosen)
    const { box, left, top, width, height } = plotBox(svg)
    const x = left + place.x * width
    cursor.style.transform = `translate(${x}px, ${top}px)`
    cursor.style.height = `${height}px`
    cursor.classList.toggle('dotted', place.y !== undefined)
    cursor.style.setProperty('--dot', `${(place.y ?? 0) * height}px`)
    const edge = Math.max(0, Math.min(box.width - tip.offsetWidth, x - tip.offsetWidth / 2))
    tip.style.transform = `translate(${edge}px, 0)`
  }
  const show = (isShown: boolean) => {
    stage.classList.toggle('told', isShown)
    places.showBeside?.(isShown ? chosen : places.last)
  }
  const point = ({ clientX }: PointerEvent) => {
    const { box, left, width } = plotBox(svg)
    tell(places.nearest((clientX - box.left - left) / width))
    show(true)
  }
  const isFocused = () => document.activeElement === stage

  // A tap moves nothing: it is only a press.
  stage.addEventListener('pointerdown', point)
  stage.addEventListener('pointermove', point)
  stage.addEventListener('pointerleave', ({ pointerType }) => {
    // A lifted finger leaves, too: its tip stays until the reader goes elsewhere.
    if (pointerType !== 'touch') show(isFocused())
  })
  // The finger scrolls the page.
  stage.addEventListener('pointercancel', () => show(isFocused()))
  stage.addEventListener('focus', () => {
    tell(chosen)
    show(true)
  })
  stage.addEventListener('blur', () => show(false))
  stage.addEventListener('keydown', (event) => {
    // With another key it is a command of the browser, for example to go back.
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const index = moved(event.key, chosen, places.last)
    if (event.key === 'Escape') show(false)
    if (index === null) return
    event.preventDefault()
    tell(index)
    show(true)
  })
  return (next) => {
    places = next
    tell(next.last)
    show(false)
  }
}

/** The padding of a drawing holds the axes; the plot lies within. */
function plotBox(svg: SVGSVGElement) {
  const box = svg.getBoundingClientRect()
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(svg)
  const left = parseFloat(paddingLeft)
  const top = parseFloat(paddingTop)
  const width = box.width - left - parseFloat(paddingRight)
  return { box, left, top, width, height: box.height - top - parseFloat(paddingBottom) }
}

/** Moves the drawing's title and description to the element that the arrow keys work on. */
function nameStage(svg: SVGSVGElement, stage: HTMLElement): void {
  const title = svg.querySelector('title')
  const text = svg.querySelector('desc')
  stage.tabIndex = 0
  stage.setAttribute('role', 'slider')
  stage.setAttribute('aria-label', title?.textContent ?? '')
  if (text !== null) stage.setAttribute('aria-description', text.textContent)
  stage.setAttribute('aria-valuemin', '0')
  // A title would show as a second tooltip.
  title?.remove()
  text?.remove()
  svg.setAttribute('aria-hidden', 'true')
  svg.removeAttribute('role')
  svg.removeAttribute('aria-labelledby')
  svg.removeAttribute('aria-describedby')
}

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

/** The index of the nearest day. @param days ascending */
export function nearestDay(days: readonly number[], day: number): number {
  let low = 0
  let high = days.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((days[middle] ?? 0) <= day) low = middle
    else high = middle
  }
  const distance = (index: number) => Math.abs((days[index] ?? 0) - day)
  return distance(high) < distance(low) ? high : low
}
