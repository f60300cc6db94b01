/** Pages that were opened from a folder: there a document of the API is a file with the name that it has in a snapshot. */

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
