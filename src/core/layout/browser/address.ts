/** The state of a page in its address, for bookmarks, the browser's buttons, and the links to the other language. */

export const parameterOf = (name: string): string => new URLSearchParams(location.search).get(name) ?? ''

/** @param values empty ones are removed @param entry `new` adds one to the history; `same` changes the present one */
export function setParameters(values: Readonly<Record<string, string>>, entry: 'new' | 'same'): void {
  const parameters = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) {
    if (value === '') parameters.delete(name)
    else parameters.set(name, value)
  }
  // A comma needs no encoding in a query.
  const query = parameters.toString().replaceAll('%2C', ',')
  showAddress(query === '' ? '' : `?${query}`, location.hash, entry)
}

/** @param search `?day=2026-11-19`, or nothing @param hash `#errors`, or nothing */
export function showAddress(search: string, hash: string, entry: 'new' | 'same'): void {
  if (search === location.search && hash === location.hash) return
  const address = location.pathname + search + hash
  if (entry === 'new') history.pushState(null, '', address)
  else history.replaceState(null, '', address)
  carryToLanguages()
}

/** @param show called now, and after each use of the browser's buttons */
export function followAddress(show: () => void): void {
  addEventListener('popstate', show)
  keepInLanguages()
  show()
}

/** Links to the other language lead to the same state and the same section, which has one name in all languages. */
export function keepInLanguages(): void {
  addEventListener('popstate', carryToLanguages)
  addEventListener('hashchange', carryToLanguages)
  carryToLanguages()
}

function carryToLanguages(): void {
  for (const link of document.querySelectorAll('header a[hreflang]')) {
    const plain = (link.getAttribute('href') ?? '').replace(/[?#].*/, '')
    link.setAttribute('href', plain + location.search + location.hash)
  }
}
