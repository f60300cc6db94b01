/** Facts that no file of a snapshot has: when it went live, the staged snapshot, and the publications before it. */

import type { ChangeHistory } from '../../../../core/api/contract/changes.ts'
import { messageWith } from '../../../../core/layout/browser/message.ts'
import { dayIn } from '../../../../core/layout/formats.ts'
import { historyWords } from '../history-wording.ts'
import {
  daysShown,
  kindsIn,
  type Night,
  nightBars,
  nightIn,
  nightsOf,
  namesIn,
  notableIn,
  notableRuns,
  type Run,
  summaryOf,
} from '../history.ts'

const language = document.documentElement.lang === 'de' ? 'de' : 'en'

/** The day in the reader's time zone. */
function dayOf(date: Date): string {
  const part = (number: number) => String(number).padStart(2, '0')
  return dayIn(language, `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`)
}

/** The time of day and its age: `18:05, 3 hours ago`. */
function timeAndAge(date: Date): string {
  const minutes = Math.max(0, Math.floor((Date.now() - date.getTime()) / 60_000))
  const [age, unit] =
    minutes < 120
      ? ([minutes, 'minute'] as const)
      : minutes < 2880
        ? ([Math.floor(minutes / 60), 'hour'] as const)
        : ([Math.floor(minutes / 1440), 'day'] as const)
  const locale = language === 'de' ? 'de' : 'en-GB'
  const time = date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  return `${time}, ${new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-age, unit)}`
}

function show(id: string, value: string, remark: string): void {
  const place = document.getElementById(id)
  const [first, below] = place?.querySelectorAll('dd') ?? []
  if (place === null || first === undefined || below === undefined) return
  first.textContent = value
  below.textContent = remark
  place.hidden = false
  place.classList.remove('awaited')
}

/**
 * The edge sends as Last-Modified when the snapshot went live. `document.lastModified` has no time zone: an hour is in it twice
 * when summer time ends. @throws {Error} if the server does not say
 */
async function showLive(): Promise<void> {
  const { headers } = await fetch(location.href, { method: 'HEAD' })
  const live = new Date(headers.get('last-modified') ?? '')
  if (Number.isNaN(live.getTime())) throw new Error('no Last-Modified')
  show('live', dayOf(live), timeAndAge(live))
}

interface Staged {
  readonly snapshot: string
  readonly as_of: string
  readonly staged_since: string
}

/** @throws {Error} if the server does not say */
async function showStaged(): Promise<void> {
  const response = await fetch('staged.json')
  if (!response.ok) throw new Error(String(response.status))
  const { staged } = (await response.json()) as { readonly staged: Staged | null }
  if (staged === null) return
  const remark = `${staged.snapshot}: ${timeAndAge(new Date(staged.staged_since))}`
  show('staged', dayIn(language, staged.as_of), remark)
}

const showFailure = (id: 'live' | 'staged') => {
  show(id, '–', document.getElementById(id)?.dataset['failed'] ?? '')
}

if (location.protocol === 'file:') {
  // A folder is not live.
  document.getElementById('live')?.remove()
} else {
  showLive().catch(() => showFailure('live'))
  showStaged().catch(() => showFailure('staged'))
}

const figure = document.getElementById('nights')
if (figure !== null && location.protocol !== 'file:') void showNights(figure)
else figure?.remove()

async function showNights(figure: HTMLElement): Promise<void> {
  const w = historyWords[language]
  const { index = '', changes = '', again = '' } = figure.dataset
  const line = figure.querySelector('p')
  const drawn = figure.querySelector<HTMLElement>('.nights')
  const ends = figure.querySelector<HTMLElement>('.ends')
  if (line === null || drawn === null || ends === null) return
  line.textContent = w.loading
  try {
    const response = await fetch(index)
    if (!response.ok) throw new Error(String(response.status))
    const nights = nightsOf((await response.json()) as ChangeHistory)
    line.textContent = nights.length === 0 ? w.empty : summaryOf(nights, language)
    drawn.innerHTML = nightBars(nights)
    for (const part of [drawn, ends]) part.style.width = `${(100 * nights.length) / daysShown}%`
    for (const [at, night] of [nights[0], nights.slice(1).at(-1)].entries()) {
      const end = ends.children[at]
      if (night !== undefined && end !== undefined) end.textContent = dayIn(language, night.day)
    }
    const kinds = new Set<string>(kindsIn(nights))
    for (const key of figure.querySelectorAll<HTMLElement>('.legend li'))
      key.hidden = !kinds.has(key.dataset['kind'] ?? '')
    tellOnPoint(drawn, line, nights)
    listNotable(notableRuns(nights), changes)
  } catch {
    line.replaceChildren(...messageWith(w.failed, { label: again, press: () => void showNights(figure) }))
  }
}

/** The line above the bars is about the day at the pointer, or else about all of them. */
function tellOnPoint(drawn: Element, line: HTMLElement, nights: readonly Night[]): void {
  const summary = line.textContent
  const tell = (event: Event) => {
    const { left, width } = drawn.getBoundingClientRect()
    const share = ((event as PointerEvent).clientX - left) / width
    const night = nights[Math.min(nights.length - 1, Math.max(0, Math.floor(share * nights.length)))]
    line.textContent = night === undefined ? summary : nightIn(night, language)
  }
  for (const kind of ['pointermove', 'pointerdown']) drawn.addEventListener(kind, tell)
  drawn.addEventListener('pointerleave', () => (line.textContent = summary))
}

/** Lines of the list: the page of changes has all days. */
const mostNotable = 10

/** @param runs the newest first @param changes the address of the page of changes */
function listNotable(runs: readonly Run[], changes: string): void {
  const section = document.getElementById('notable')
  const list = section?.querySelector('ul')
  if (section === null || list === null || list === undefined) return
  section.hidden = runs.length === 0
  const linked = (address: string, text: string) => {
    const link = document.createElement('a')
    link.href = address
    link.textContent = text
    return link
  }
  const dayLink = ({ day }: Night) => linked(`${changes}?day=${day}`, dayIn(language, day))
  const item = ({ first, last }: Run) => {
    const days = document.createElement('span')
    days.append(...(first === last ? [] : [dayLink(first), '\u00a0– ']), dayLink(last))
    const said = document.createElement('span')
    said.textContent = notableIn(last, language)
    for (const names of namesIn(last, language)) {
      const below = document.createElement('small')
      below.textContent = names
      said.append(' ', below)
    }
    const made = document.createElement('li')
    made.append(days, ' ', said)
    return made
  }
  list.replaceChildren(...runs.slice(0, mostNotable).map(item))
  if (runs.length <= mostNotable) return
  const more = document.createElement('li')
  more.append(linked(changes, historyWords[language].earlier))
  list.append(more)
}
