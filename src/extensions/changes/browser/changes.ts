/** The page of changes in a browser: `?day=2026-11-20` shows that day, made from its file. */

import type { DayChanges } from '../../../core/api/contract/changes.ts'
import { dayMarkup } from '../day.ts'
import { changeWords } from '../wording.ts'
import { dayIn } from '../../../core/layout/formats.ts'
import { followAddress, parameterOf } from '../../../core/layout/browser/address.ts'
import { messageWith } from '../../../core/layout/browser/message.ts'

const language = document.documentElement.lang === 'de' ? 'de' : 'en'
const place = document.getElementById('day')
const list = document.getElementById('all-days')
const title = document.title
let asked = ''

followAddress(() => {
  const day = parameterOf('day')
  void show(/^\d{4}-\d\d-\d\d$/.test(day) ? day : '')
})

async function show(day: string): Promise<void> {
  if (place === null || list === null) return
  place.hidden = day === ''
  list.hidden = day !== ''
  document.title = title
  asked = day
  if (day === '') return
  const w = changeWords[language]
  const shown = dayIn(language, day)
  const content = place.querySelector('div')
  const data = place.querySelector('a')
  if (content === null || data === null) return
  data.href = `${day}.json`
  data.hidden = true
  content.replaceChildren()
  const changes = await fetchDay(data.href)
  // A slow answer must not win over a later choice.
  if (day !== asked) return
  if (changes === 'unknown') content.replaceChildren(w.unknownDay(shown))
  else if (changes === 'failed') {
    const again = { label: place.dataset['again'] ?? '', press: () => void show(day) }
    content.replaceChildren(...messageWith(w.failedDay(shown), again))
  } else {
    data.hidden = false
    content.innerHTML = dayMarkup(changes, language, pageOf()).markup
    document.title = title.replace(/^[^·]*(?= · )/, w.dayHeading(shown))
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }
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
function pageOf(): ((isin: string) => string) | null {
  if (place?.dataset['pages'] === undefined) return null
  const name = language === 'de' ? 'de.html' : 'index.html'
  return (isin) => `../funds/${isin}/${name}`
}
