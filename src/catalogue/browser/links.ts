/** Pages that were opened from a folder: where there is no server, links have to lead to files. */

/** A document of the API is a file with the name that it has in a snapshot. */
export function linksToFiles(root: ParentNode): void {
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
 * An edge takes `latest` for the newest night; a folder has that night's own folder only. A fund's page does not know
 * which it is, since it stands for many nights: a script beside them does.
 */
export function linksToNight(root: ParentNode): void {
  const links = [...root.querySelectorAll('a[href*="downloads/latest/"]')]
  const address = (link: Element) => link.getAttribute('href') ?? ''
  const [first] = links
  if (first === undefined) return
  const script = document.createElement('script')
  script.src = address(first).replace(/latest\/.*/, 'latest/as-of.js')
  script.addEventListener('load', () => {
    const night = document.documentElement.dataset['downloads']
    if (night === undefined) return
    for (const link of links) link.setAttribute('href', address(link).replace('/latest/', `/${night}/`))
  })
  document.head.append(script)
}
