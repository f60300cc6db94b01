/**
 * The page of the downloads in a browser: buttons that copy code, a navigation that shows the present section, the earlier days, and
 * those whose files were withdrawn. The page links to the same list.
 */

import { keepInLanguages } from '../../../core/layout/browser/address.ts'
import { addCopyButtons } from '../../../core/layout/browser/copy.ts'
import { markSection } from '../../../core/layout/browser/sections.ts'
import { dayIn } from '../../../core/layout/formats.ts'

const language = document.documentElement.lang === 'de' ? 'de' : 'en'
const list = document.getElementById('days')
const withdrawn = document.getElementById('withdrawn')
const address = document.querySelector<HTMLAnchorElement>('#days-list')?.href

/** The list of days, as the contract has it. */
interface DownloadDays {
  readonly days: readonly string[]
  readonly withdrawn: readonly string[]
}

keepInLanguages()
addCopyButtons()
markSection(document.querySelector('.sections'))
// A page that is opened from a folder may read no other file.
if (list && withdrawn && address?.startsWith('http')) void show(list, withdrawn, address)

/** The page says without the list where it is. So a failure changes nothing. */
async function show(list: HTMLElement, withdrawn: HTMLElement, address: string): Promise<void> {
  const found = await fetchDays(address)
  if (found === null) return
  const own = list.dataset['asOf'] ?? ''
  const earlier = found.days.filter((day) => day < own)
  list.replaceChildren(...(earlier.length === 0 ? [list.dataset['none'] ?? ''] : earlier.map(dayLink)))
  list.hidden = false
  withdrawn.hidden = found.withdrawn.length === 0
  withdrawn.querySelector('span')?.replaceChildren(found.withdrawn.map(shown).join(', '))
}

const shown = (day: string) => dayIn(language, day)

function dayLink(day: string): HTMLAnchorElement {
  const link = document.createElement('a')
  link.href = `../${day}/${language === 'de' ? 'de' : 'index'}.html`
  link.textContent = shown(day)
  return link
}

async function fetchDays(address: string): Promise<DownloadDays | null> {
  try {
    const response = await fetch(address)
    return response.ok ? ((await response.json()) as DownloadDays) : null
  } catch {
    return null
  }
}
