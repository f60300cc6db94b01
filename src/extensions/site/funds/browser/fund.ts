/**
 * A fund's page in a browser: charts that tell their values, ranges, a navigation that shows the present section, buttons
 * that copy. The page works without them.
 */

import type { Language } from '../../../../core/api/routes/table.ts'
import { keepInLanguages } from '../../../../core/layout/browser/address.ts'
import { addCopyButtons } from '../../../../core/layout/browser/copy.ts'
import { markSection } from '../../../../core/layout/browser/sections.ts'
import { exploreAreas, exploreBars } from './beside.ts'
import { exploreLine } from './chart.ts'

if (location.protocol === 'file:') {
  linkToFiles(document)
  linkToSnapshot(document)
}
const language: Language = document.documentElement.lang === 'de' ? 'de' : 'en'
keepInLanguages()
addCopyButtons()
markSection(document.querySelector('.sections'))
const figures = (kind: string) => document.querySelectorAll<HTMLElement>(`figure${kind}`)
for (const figure of figures('[data-points]')) exploreLine(figure, language)
for (const figure of figures('.bar-chart')) exploreBars(figure)
for (const figure of figures('[data-days]')) exploreAreas(figure, language)

/** Links to files of the snapshot, since a folder has no server. */
function linkToFiles(root: ParentNode): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href*="?"]')) {
    const [, folder = '', dates, query = ''] =
      /^(.*?)(\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d\/)?\?(.*)$/.exec(link.getAttribute('href') ?? '') ?? []
    const parameters = new URLSearchParams(query)
    const name = dates === undefined ? 'index' : dates.slice(11, 15)
    const ending = [parameters.get('language'), parameters.get('format')].filter((part) => part !== null)
    if (folder.includes('api/')) link.setAttribute('href', folder + [name, ...ending].join('.'))
  }
}

/**
 * In a folder, downloads lie below their day only. A fund's page does not know it, since many snapshots reuse the page:
 * the script `latest/as-of.js` does.
 */
function linkToSnapshot(root: ParentNode): void {
  const links = [...root.querySelectorAll('a[href*="downloads/latest/"]')]
  const address = (link: Element) => link.getAttribute('href') ?? ''
  const [first] = links
  if (first === undefined) return
  const script = document.createElement('script')
  script.src = address(first).replace(/latest\/.*/, 'latest/as-of.js')
  script.addEventListener('load', () => {
    const day = document.documentElement.dataset['downloads']
    if (day === undefined) return
    for (const link of links) link.setAttribute('href', address(link).replace('/latest/', `/${day}/`))
  })
  document.head.append(script)
}
