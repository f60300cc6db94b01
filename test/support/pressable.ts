/** Asks a page what lies under the pointer at every control: whoever presses there must hit it. */
import type { Page } from 'playwright-core'

/** What reacts to a press or to a pointer over it. A table that scrolls sideways (`.scroll`) holds controls of its own. */
const controls =
  'a[href], button:enabled, input:enabled, select, textarea, summary, label, [role="option"], [role="slider"]'

/**
 * Scrolls each control to the middle, the top and the bottom of the window, and asks at nine points of each of its boxes.
 * @param within asks only controls in such elements
 * @returns a line for each control that something lies over: how many points, the control, and what lies there
 */
export const coveredControls = (page: Page, within = 'body'): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(${findCovered})(${JSON.stringify(controls)}, ${JSON.stringify(within)})`)

/**
 * Presses controls left, in the middle and right, as people do, and looks where the press arrives. Nothing else happens: the page
 * stays as it is.
 * @param press a mouse or a finger, at a place in the window @param most so many controls, evenly spread
 * @returns how many were pressed, and a line for each press that did not arrive
 */
export async function pressControls(
  page: Page,
  press: (x: number, y: number) => Promise<void>,
  most: number,
): Promise<{ readonly pressed: number; readonly missed: readonly string[] }> {
  const count = await page.evaluate<number>(`(${watchPresses})(${JSON.stringify(controls)}, ${most})`)
  const missed: string[] = []
  for (let index = 0; index < count; index++) {
    for (const share of [0.1, 0.5, 0.9]) {
      const place = await page.evaluate<{ x: number; y: number } | null>(`watched.place(${index}, ${share})`)
      if (place === null) continue
      await press(place.x, place.y)
      const fault = await page.evaluate<string | null>(`watched.fault(${index})`)
      if (fault !== null) missed.push(`${fault} (at ${share} of its width)`)
    }
  }
  return { pressed: count, missed }
}

/** Runs in the browser: defines `watched`. */
const watchPresses = `(controls, most) => {
  let last = null
  const stop = (event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  // A list of choices would open at the press of a mouse.
  addEventListener('mousedown', stop, true)
  addEventListener('click', (event) => {
    stop(event)
    last = event.target
  }, true)
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) &&
    element.closest('.unseen') === null && element.getClientRects()[0]?.bottom + scrollY > 0
  const seen = [...document.querySelectorAll(controls)].filter(isSeen)
  const step = Math.max(1, seen.length / most)
  const some = seen.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
  const said = (element) => element.cloneNode(false).outerHTML.slice(0, 120) + ' ' + element.textContent.trim().slice(0, 40)
  globalThis.watched = {
    place: (index, share) => {
      last = null
      some[index].scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
      // A link on two lines has two boxes.
      const box = some[index].getClientRects()[0]
      const x = box.left + box.width * share
      const y = box.top + box.height / 2
      const isInside = x >= 0 && y >= 0 && x < document.documentElement.clientWidth && y < innerHeight
      return box.width > 2 && box.height > 2 && isInside ? { x, y } : null
    },
    fault: (index) => {
      const control = some[index]
      if (last === null) return said(control) + ': nothing was pressed'
      const arrives = control.contains(last) || last.closest('label')?.control === control || last === control.control
      return arrives ? null : said(control) + ': ' + said(last) + ' was pressed'
    },
  }
  return some.length
}`

/** Runs in the browser. */
const findCovered = `(controls, within) => {
  const named = (element) => {
    if (element === null) return 'nothing'
    const text = (element.getAttribute('aria-label') ?? element.textContent).trim().replace(/\\s+/g, ' ')
    return element.cloneNode(false).outerHTML.replace(/ (d|data-[a-z]+|viewBox|xmlns)="[^"]*"/g, '').slice(0, 120) + ' ' + text.slice(0, 40)
  }
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) &&
    element.closest('.unseen') === null
  /** The part of a box that the window and all that clips it show. */
  const shown = (element, box) => {
    let { left, right, top, bottom } = box
    for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(outer)
      if (outer === document.body || outer === document.documentElement) break
      const { left: l, right: r, top: t, bottom: b } = outer.getBoundingClientRect()
      if (overflowX !== 'visible') [left, right] = [Math.max(left, l), Math.min(right, r)]
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, t), Math.min(bottom, b)]
    }
    const { clientWidth, clientHeight } = document.documentElement
    return {
      left: Math.max(left, 0),
      right: Math.min(right, clientWidth),
      top: Math.max(top, 0),
      bottom: Math.min(bottom, clientHeight),
    }
  }
  const belongs = (hit, control) =>
    hit !== null &&
    (control.contains(hit) ||
      // A press on a label is one on its field, and a field may lie over its label.
      hit.closest('label')?.control === control ||
      (control.tagName === 'LABEL' && hit === control.control))
  const found = new Map()
  // Where all scrolls together, the same lies over a control wherever it stands.
  const stays = [...document.querySelectorAll('body *')].some((each) => ['sticky', 'fixed'].includes(getComputedStyle(each).position))
  for (const block of stays ? ['center', 'start', 'end'] : ['center']) {
    for (const control of document.querySelectorAll(controls)) {
      if (control.closest(within) === null || !isSeen(control)) continue
      control.scrollIntoView({ block, inline: 'center', behavior: 'instant' })
      for (const box of control.getClientRects()) {
        if (box.width < 2 || box.height < 2) continue
        // Above the page until it has the focus.
        if (box.bottom + scrollY <= 0) continue
        const { left, right, top, bottom } = shown(control, box)
        const covers = []
        for (const across of [1 / 6, 1 / 2, 5 / 6]) {
          for (const down of [1 / 6, 1 / 2, 5 / 6]) {
            const hit =
              right <= left || bottom <= top
                ? null
                : document.elementFromPoint(left + (right - left) * across, top + (bottom - top) * down)
            if (!belongs(hit, control)) covers.push(named(hit))
          }
        }
        if (covers.length > 0)
          found.set(control, covers.length + ' of 9 points of ' + named(control) + ' (' + block + '): under ' + [...new Set(covers)].join(', '))
      }
    }
  }
  return [...found.values()]
}`
