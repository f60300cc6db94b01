/** The page of changes in a browser: `?day=2026-11-20` shows that day, made from its file. */

import type { DayChanges } from '../../../core/api/contract/changes.ts'
import { dayMarkup } from '../day.ts'
import { dayId, publishId } from '../parts.ts'
import { changeWords } from '../wording.ts'
import { dayIn } from '../../../core/layout/formats.ts'
import { followAddress, parameterOf } from '../../../core/layout/browser/address.ts'
import { messageWith } from '../../../core/layout/browser/message.ts'

const language = document.documentElement.lang === 'de' ? 'de' : 'en'
const place = document.getElementById('day')
const list = document.getElementById('all-days')
const title = document.title
const w = changeWords[language]
let asked = ''

followAddress(() => {
  const parameter = parameterOf('day')
  const day = /^\d{4}-\d\d-\d\d$/.test(parameter) ? parameter : ''
  // A link to a part of the page changes the address, too.
  if (day !== asked) void show(day)
})

async function show(day: string): Promise<void> {
  const content = place?.querySelector('div')
  const data = place?.querySelector(':scope > .ways li')
  const link = data?.querySelector('a')
  if (!place || !list || !content || !(data instanceof HTMLElement) || !link) return
  place.hidden = day === ''
  list.hidden = day !== ''
  document.title = title
  asked = day
  if (day === '') return
  link.href = `${day}.json`
  data.hidden = true
  content.replaceChildren()
  const changes = await fetchDay(link.href)
  // A slow answer must not win over a later choice.
  if (day !== asked) return
  data.hidden = typeof changes === 'string'
  document.title = title.replace(/^[^·]*(?= · )/, w.dayHeading(dayIn(language, day)))
  if (changes === 'unknown')
    content.replaceChildren(headingOf(day), '\n', paragraphOf(w.unknownDay(dayIn(language, day))))
  else if (changes === 'failed') {
    const again = { label: place.dataset['again'] ?? '', press: () => void show(day) }
    content.replaceChildren(headingOf(day), ...messageWith(w.failedDay(dayIn(language, day)), again))
  } else await fill(content, changes)
}

async function fill(content: HTMLElement, changes: DayChanges): Promise<void> {
  const { as_of: day, publish } = changes
  content.innerHTML = dayMarkup(changes, language, funds()).markup
  content.append(neighbours(day))
  // The newest publish is at the top of the page.
  const id = location.hash.slice(1)
  if (id !== publishId({ as_of: day, publish })) document.getElementById(id)?.scrollIntoView()
  if ((await withdrawn).includes(day) && day === asked)
    content.querySelector('h1')?.after(notice(w.withdrawn, 'callout'))
}

function paragraphOf(text: string): HTMLElement {
  const paragraph = document.createElement('p')
  paragraph.textContent = text
  return paragraph
}

function headingOf(day: string): HTMLElement {
  const heading = document.createElement('h1')
  heading.textContent = w.dayHeading(dayIn(language, day))
  return heading
}

/** Links to the days before and after, of those on the page of all days. */
function neighbours(day: string): HTMLElement {
  const days = [...document.querySelectorAll('.of-day h2')].map(({ id }) => id)
  const at = days.indexOf(dayId(day))
  const ways = document.createElement('ul')
  ways.className = 'ways'
  const add = (to: string | undefined, say: (day: string) => string) => {
    if (at < 0 || to === undefined) return
    const link = document.createElement('a')
    const asOf = to.slice(dayId('').length)
    link.href = `?day=${asOf}`
    link.textContent = say(dayIn(language, asOf))
    const item = document.createElement('li')
    item.append(link)
    ways.append(item)
  }
  add(days[at + 1], w.earlierDay)
  add(days[at - 1], w.laterDay)
  return ways
}

async function fetchDay(address: string): Promise<DayChanges | 'unknown' | 'failed'> {
  try {
    const response = await fetch(address)
    if (response.status === 404) return 'unknown'
    return response.ok ? ((await response.json()) as DayChanges) : 'failed'
  } catch {
    return 'failed'
  }
}

/** A snapshot without pages has no page of a fund. */
function funds(): Parameters<typeof dayMarkup>[2] {
  const { list: address, gone = '' } = place?.dataset ?? {}
  const name = language === 'de' ? 'de.html' : 'index.html'
  const isGone = (isin: string) => gone.split(' ').includes(isin)
  const pageOf = (isin: string) => (address === undefined || isGone(isin) ? null : `../funds/${isin}/${name}`)
  const { names } = document.documentElement.dataset
  return { pageOf, list: address ?? null, names: names === 'de' || names === 'en' ? names : null }
}

/** Days whose downloads were withdrawn. The list is newer than the page: only the flip of a publish decides it. */
const withdrawn = fetchWithdrawn()

async function fetchWithdrawn(): Promise<readonly string[]> {
  if (place?.dataset['downloads'] === undefined || location.protocol === 'file:') return []
  try {
    const response = await fetch('downloads.json')
    return ((await response.json()) as { readonly withdrawn: readonly string[] }).withdrawn
  } catch {
    // Nothing on the page depends on it.
    return []
  }
}

void withdrawn.then((days) => {
  for (const day of days) {
    const said = notice('', 'quiet small')
    const link = document.createElement('a')
    link.href = `?day=${day}`
    link.textContent = w.withdrawnDay
    said.append(link)
    document.getElementById(dayId(day))?.nextElementSibling?.append(said)
  }
})

function notice(text: string, kind: string): HTMLElement {
  const said = document.createElement('p')
  said.className = kind
  said.textContent = text
  return said
}
