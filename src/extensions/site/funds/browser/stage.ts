/**
 * A chart to explore: a cursor shows the values of a place, by mouse, touch or arrow keys. Two places are measured by dragging the
 * mouse, by two fingers, or by arrow keys with Shift.
 */

interface Tip {
  /** The first line: a day, mostly. */
  readonly heading: string
  readonly rows: readonly TipRow[]
}

/** A place of a chart, and what its tip says. */
interface Place extends Tip {
  /** From the left of the plot, as a share of its width. */
  readonly x: number
  /** On the lines. */
  readonly dots?: readonly Dot[]
}

interface Dot {
  /** From the top of the plot, as a share of its height. */
  readonly y: number
  /** Of the line. */
  readonly style: number
}

export interface TipRow {
  /** '' if the chart has one value only, which its own name says. */
  readonly name: string
  readonly value: string
  /** Makes what stands for the value in the chart. */
  readonly key?: () => Element
}

export interface Places {
  /** The index of the last place; the first has 0. */
  readonly last: number
  readonly at: (index: number) => Place | undefined
  /** What happened from a place to a later one; absent if nobody can measure it. */
  readonly between?: (first: number, last: number) => Tip | undefined
  /** The index of the place that is nearest to a share of the plot's width. */
  readonly nearest: (share: number) => number
  /** Shows the values of a place beside the chart: its tip has the heading only. */
  readonly showBeside?: (index: number) => void
}

/** From the cursor to its tip, in CSS pixels. */
const tipDistance = 12
/** Places below a tip that tell where the lines run there: a tip may cover thousands. */
const mostCovered = 100

/** @param figure has a stage with the drawing @returns to be called after each drawing of the chart */
export function exploreChart(figure: ParentNode): (places: Places) => void {
  const stage = figure.querySelector<HTMLElement>('.stage')
  const svg = stage?.querySelector('svg') ?? null
  if (stage === null || svg === null) return () => undefined
  let places: Places = { last: 0, at: () => undefined, nearest: () => 0 }
  let chosen = 0
  /** The place from which is measured. */
  let from: number | null = null
  /** Where a button or fingers press, by pointer. */
  const pressed = new Map<number, number>()
  const band = layerOf('band')
  const cursor = layerOf('cursor')
  const tip = layerOf('tip')
  stage.append(band, cursor, tip)
  nameStage(svg, stage)

  /** @returns true if the tip has more than a heading */
  const fill = ({ heading, rows }: Tip): boolean => {
    const shown = places.showBeside === undefined ? rows : []
    tip.classList.toggle('rows', shown.length > 0)
    // A space keeps texts apart also for those who read them without the style.
    tip.replaceChildren(part('b', heading), ...shown.flatMap((row) => [' ', rowOf(row)]))
    return shown.length > 0
  }
  const tell = (index: number) => {
    chosen = Math.max(0, Math.min(places.last, index))
    const place = places.at(chosen)
    if (place === undefined) return
    const { dots = [] } = place
    const start = from === null || from === chosen ? undefined : places.at(from)
    const measured = start && places.between?.(Math.min(from ?? 0, chosen), Math.max(from ?? 0, chosen))
    const { heading, rows } = measured ?? place
    const hasRows = fill(measured ?? place)
    stage.setAttribute('aria-valuemax', String(places.last))
    stage.setAttribute('aria-valuenow', String(chosen))
    stage.setAttribute('aria-valuetext', [heading, ...rows.map(textOf)].join(', '))
    places.showBeside?.(chosen)
    const { box, left, top, width, height } = plotBox(svg)
    const x = left + place.x * width
    const y = box.top - stage.getBoundingClientRect().top + top
    cursor.style.transform = `translate(${x}px, ${y}px)`
    cursor.style.height = `${height}px`
    cursor.replaceChildren(...dotsOn(dots, height))
    band.hidden = start === undefined
    if (start !== undefined) {
      const begin = left + start.x * width
      band.style.transform = `translate(${Math.min(begin, x)}px, ${y}px)`
      band.style.width = `${Math.abs(begin - x)}px`
      band.style.height = `${height}px`
      band.classList.toggle('back', begin > x)
      band.replaceChildren(...dotsOn(start.dots ?? [], height))
    }
    const tipWidth = tip.offsetWidth
    if (hasRows) {
      const begin = besideCursor(x, tipWidth, left + width)
      const covered = depthsBetween((begin - left) / width, (begin + tipWidth - left) / width)
      const down = isMoreRoomBelow(covered) ? Math.max(0, height - tip.offsetHeight) : 0
      tip.style.transform = `translate(${begin}px, ${y + down}px)`
    } else {
      const begin = Math.max(0, Math.min(box.width - tipWidth, x - tipWidth / 2))
      tip.style.transform = `translate(${begin}px, 0)`
    }
  }
  /** @returns how deep the lines run between two shares of the plot's width */
  const depthsBetween = (begin: number, end: number): readonly number[] => {
    const placeAt = (share: number) => Math.max(0, Math.min(places.last, places.nearest(share)))
    const first = placeAt(begin)
    const last = placeAt(end)
    const steps = Math.max(1, Math.min(last - first, mostCovered))
    const indices = Array.from(
      { length: steps + 1 },
      (_, step) => first + Math.round(((last - first) * step) / steps),
    )
    return indices.flatMap((index) => (places.at(index)?.dots ?? []).map(({ y }) => y))
  }
  const show = (isShown: boolean) => {
    stage.classList.toggle('told', isShown)
    if (!isShown) {
      from = null
      band.hidden = true
    }
    // Below a narrow chart it stays, with the values of the last place.
    const last = isShown ? undefined : places.at(places.last)
    if (last !== undefined) fill(last)
    places.showBeside?.(isShown ? chosen : places.last)
  }
  const indexAt = (clientX: number) => {
    const { box, left, width } = plotBox(svg)
    return Math.max(0, Math.min(places.last, places.nearest((clientX - box.left - left) / width)))
  }
  const point = ({ clientX, pointerId, pointerType }: PointerEvent) => {
    if (pressed.has(pointerId)) pressed.set(pointerId, clientX)
    const [one, other] = pressed.values()
    if (pointerType === 'touch' && one !== undefined && other !== undefined && places.between) {
      from = indexAt(one)
      tell(indexAt(other))
    } else if (from === null || (pointerType !== 'touch' && pressed.has(pointerId))) tell(indexAt(clientX))
    // What was measured stays until the next press.
    show(true)
  }
  const isFocused = () => document.activeElement === stage

  // A tap moves nothing: it is only a press.
  stage.addEventListener('pointerdown', (event) => {
    const { button, clientX, pointerId, pointerType } = event
    if (button === 0) {
      if (pressed.size === 0) from = null
      pressed.set(pointerId, clientX)
      if (pointerType !== 'touch' && places.between) from = indexAt(clientX)
      // The mouse may leave the chart: its end is meant then.
      stage.setPointerCapture(pointerId)
    }
    point(event)
  })
  stage.addEventListener('pointermove', point)
  const lift = ({ pointerId }: PointerEvent) => {
    pressed.delete(pointerId)
    if (from === chosen) from = null
  }
  stage.addEventListener('pointerup', lift)
  stage.addEventListener('pointerenter', ({ pointerType }) => {
    if (pointerType !== 'touch' && pressed.size === 0) from = null
  })
  stage.addEventListener('pointerleave', ({ pointerType }) => {
    // A lifted finger leaves, too: its tip stays until the reader goes elsewhere.
    if (pointerType !== 'touch') show(isFocused())
  })
  // The finger scrolls the page.
  stage.addEventListener('pointercancel', (event) => {
    lift(event)
    show(isFocused())
  })
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
    from = event.shiftKey && places.between ? (from ?? chosen) : null
    tell(index)
    show(true)
  })
  return (next) => {
    places = next
    from = null
    tell(next.last)
    show(false)
  }
}

/** Right of the cursor, or left of it where the plot ends: the tip covers no finger, and no name at the end of a line. */
function besideCursor(x: number, tipWidth: number, plotEnd: number): number {
  const right = x + tipDistance
  return right + tipWidth <= plotEnd ? right : Math.max(0, x - tipDistance - tipWidth)
}

/** @param depths of the lines below a tip, which is to hide least of them */
const isMoreRoomBelow = (depths: readonly number[]): boolean => 1 - Math.max(...depths) > Math.min(...depths)

function layerOf(kind: 'band' | 'cursor' | 'tip'): HTMLElement {
  const made = document.createElement('div')
  made.className = kind
  return made
}

/** Where lines meet, the dot is that of the first one. */
const dotsOn = (dots: readonly Dot[], height: number): readonly HTMLElement[] =>
  [...dots].reverse().map((dot) => {
    const made = part('i', '')
    made.className = dot.style === 0 ? 'dot' : `dot l${dot.style + 1}`
    made.style.top = `${dot.y * height}px`
    return made
  })

const textOf = ({ name, value }: TipRow) => (name === '' ? value : `${name}: ${value}`)

function rowOf({ name, value, key }: TipRow): HTMLElement {
  const row = part('span', '')
  row.append(
    ...(key === undefined ? [] : [key()]),
    ...(name === '' ? [] : [part('span', `${name}:`), ' ']),
    part('span', value),
  )
  return row
}

function part(tag: 'b' | 'i' | 'span', text: string): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = text
  return made
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
