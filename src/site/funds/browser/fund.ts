/** A fund's page in a browser: ranges and a tooltip for its chart, buttons that copy. The page works without them. */

import { priceChart } from './chart.ts'

if (location.protocol === 'file:') {
  linkToFiles(document)
  linkToSnapshot(document)
}
addCopyButtons(document)
const figure = document.getElementById('nav')
if (figure !== null) priceChart(figure)

function addCopyButtons(root: ParentNode): void {
  const [copy, copied] = document.documentElement.lang === 'de' ? ['Kopieren', 'Kopiert'] : ['Copy', 'Copied']
  for (const block of root.querySelectorAll('.code')) {
    const code = block.querySelector('code')
    if (code === null) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = copy
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', () => {
      void copyText(code).then((isCopied) => {
        if (!isCopied) return
        button.textContent = copied
        setTimeout(() => (button.textContent = copy), 2000)
      })
    })
    block.append(button)
  }
}

/** Over plain HTTP there is no clipboard, despite its type: the text is selected. @returns true if it is copied */
async function copyText(code: Element): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard === undefined) getSelection()?.selectAllChildren(code)
  else await clipboard.writeText(code.textContent)
  return clipboard !== undefined
}

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
