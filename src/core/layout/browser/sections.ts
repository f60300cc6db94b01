/** Marks the link to the section that is read: the last one that has reached the upper third of the window. @param menu of the page; null without one */
export function markSection(menu: Element | null): void {
  const links = [...(menu?.querySelectorAll<HTMLAnchorElement>('a[href^="#"]') ?? [])]
  const tops = () =>
    links.map(({ hash }) => document.getElementById(hash.slice(1))?.getBoundingClientRect().top ?? Infinity)
  const mark = () => {
    const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2
    const present = isAtEnd ? links.at(-1) : links[tops().filter((top) => top < innerHeight / 3).length - 1]
    for (const link of links) link.removeAttribute('aria-current')
    present?.setAttribute('aria-current', 'location')
    // On a narrow screen the links are a row that is wider than the window.
    const row = present?.closest('ul')
    if (row && present) row.scrollLeft = present.offsetLeft - (row.clientWidth - present.offsetWidth) / 2
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
}
