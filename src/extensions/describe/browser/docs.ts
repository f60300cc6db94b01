/**
 * The pages of the documentation in a browser: buttons that copy code, headings that are links to their sections, a language or a
 * format that is chosen once for all pages, a navigation that shows the present section, links to files where there is no server. The
 * pages work without them.
 */

import { addCopyButtons } from '../../../core/layout/browser/copy.ts'
import { markSection } from '../../../core/layout/browser/sections.ts'

addCopyButtons()
markSection(document.querySelector('.side .wide'))
linkHeadings()
rememberChoices()
if (location.protocol === 'file:') linkToFiles()

function linkHeadings(): void {
  for (const heading of document.querySelectorAll('main :is(h2, h3)[id]')) {
    if (heading.querySelector('a') !== null) continue
    const link = document.createElement('a')
    link.className = 'anchor'
    link.href = `#${heading.id}`
    link.append(...heading.childNodes)
    heading.append(link)
  }
}

function rememberChoices(): void {
  for (const kind of ['program', 'format'])
    choose(
      kind,
      fromStorage((kept) => kept.getItem(kind)),
    )
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return
    const kind = target.parentElement?.dataset['remembered']
    if (kind === undefined) return
    // Panels above grow or shrink, too: what was chosen stays where it is.
    const { top } = target.getBoundingClientRect()
    choose(kind, target.value)
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' })
    fromStorage((kept) => {
      kept.setItem(kind, target.value)
    })
  })
}

function choose(kind: string, value: string | null | undefined): void {
  for (const input of document.querySelectorAll<HTMLInputElement>(`[data-remembered=${kind}] > input`))
    if (input.value === value) input.checked = true
}

/** A browser may keep nothing: then a choice is that of its page. */
function fromStorage<T>(task: (kept: Storage) => T): T | undefined {
  try {
    return task(localStorage)
  } catch {
    return undefined
  }
}

/** In a folder an answer is a file with the name that it has in a snapshot; what is asked for in error has none. */
function linkToFiles(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('main a[href*="/api/v"]')) {
    const [, folder, dates = 'index', query] =
      /^([^?]*?\/)(\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d\/)?(?:\?(.*))?$/.exec(link.getAttribute('href') ?? '') ??
      []
    const parameters = new URLSearchParams(query)
    const ending = [parameters.get('language'), parameters.get('format') ?? 'json']
    const name = [dates === 'index' ? dates : dates.slice(0, 4), ...ending].filter((part) => part !== null)
    if (folder === undefined || link.closest('.links') === null) link.removeAttribute('href')
    else link.setAttribute('href', folder + name.join('.'))
  }
}
