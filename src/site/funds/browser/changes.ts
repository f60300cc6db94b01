/** The page of changes in a browser: `?day=2026-11-20` shows that day, made from its file. */

import type { DayChanges } from '../../../api/contract/changes.ts'
import { dayMarkup } from '../../changes/day.ts'
import { changeWords } from '../../changes/wording.ts'
import { dayIn } from '../chart/formats.ts'
import { followAddress, parameterOf } from './address.ts'

const language = document.documentElement.lang === 'de' ? 'de' : 'en'
const place = document.getElementById('day')
const list = document.getElementById('all-days')
const title = document.title

followAddress(() => {
  const day = parameterOf('day')
  void show(/^\d{4}-\d\d-\d\d$/.test(day) ? day : '')
})

async function show(day: string): Promise<void> {
  if (place === null || list === null) return
  place.hidden = day === ''
  list.hidden = day !== ''
  document.title = title
  if (day === '') return
  const w = changeWords[language]
  const shown = dayIn(language, day)
  const content = place.querySelector('div')
  const data = place.querySelector('a')
  if (content === null || data === null) return
  data.href = `${day}.json`
  data.hidden = false
  try {
    const response = await fetch(data.href)
    if (!response.ok) throw new Error(String(response.status))
    content.innerHTML = dayMarkup((await response.json()) as DayChanges, language, pageOf()).markup
    document.title = title.replace(/^[^·]*(?= · )/, w.dayHeading(shown))
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
  } catch {
    data.hidden = true
    content.textContent = w.unknownDay(shown)
  }
}

/** A snapshot without pages has no page of a fund. */
function pageOf(): ((isin: string) => string) | null {
  if (place?.dataset['pages'] === undefined) return null
  const name = language === 'de' ? 'de.html' : 'index.html'
  return (isin) => `../funds/${isin}/${name}`
}
