/** Links between the pages of a snapshot: relative, and by the names of files, so that they hold from `file://` too. */

/**
 * @param from key of the page that holds the link: `docs/de/index.html`
 * @param to key of the file, a fragment may follow: `docs/index.html#errors`
 * @returns for example `../index.html#errors`
 */
export function linkTo(from: string, to: string): string {
  const here = from.split('/').slice(0, -1)
  const there = to.split('/')
  let common = 0
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++
  return '../'.repeat(here.length - common) + there.slice(common).join('/')
}
